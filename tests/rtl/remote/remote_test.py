#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RTL in Verilator and Icarus Verilog as processes of their own: the same packets at the same times as the design of the
program has them, and every end of either side is told.

    remote_test.py WAFERTLM VERILATOR IVERILOG|- WORK

WAFERTLM has DESIGNS. Exit code 77, if not in CI: there is no Icarus Verilog.
"""
import itertools
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from documents import without_host  # pylint: disable=wrong-import-position
from fake_simulator import AXI_FIFO, VERSION, Simulator  # pylint: disable=wrong-import-position

TOOL = pathlib.Path(sys.argv[1]).resolve()
VERILATOR, IVERILOG = sys.argv[2:4]
WORK = pathlib.Path(sys.argv[4]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[3]
REMOTE = ROOT / "models/rtl/remote"
PLATFORM = """
platform: two NPUs
wafer:
  width: 2
  height: 1
  fabric:
    link_bandwidth: 32 GB/s
    injection_bandwidth: 32 GB/s
    ejection_bandwidth: 32 GB/s
    link_latency: 20 ns
    ejection_latency: 20 ns
    router_pipeline: 2 ns
    packet_bytes: 256 B
    flit_bytes: 32 B
    virtual_channels: 1
    classes: [{name: mp, vc: 0, priority: 0}, {name: ep, vc: 0, priority: 0}, {name: pp, vc: 0, priority: 0}, {name: dp, vc: 0, priority: 0}]
    input_buffer: 16 KiB
npu:
  hbm: {read_bandwidth: 3 TB/s, write_bandwidth: 3 TB/s, latency: 100 ns, capacity: 80 GB}
"""
# Of the program, by name: wrapper, module, parameters, source.
DESIGNS = {
    "crossbar5": ("axi4_stream", "crossbar", {"P": 5, "W": 256, "LATENCY": 1}, ROOT / "tests/rtl/crossbar/crossbar.sv"),
    "queue_switch": ("credit_stream", "queue_switch", {"P": 3, "W": 256, "VC": 1, "DEPTH": 64, "LATENCY": 2, "QUEUE": "fifo"},
                     pathlib.Path(__file__).resolve().with_name("queue_switch.sv")),
}


def run(*words, folder=WORK, code=0):
    done = subprocess.run([str(word) for word in words], cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == code, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def text_of(value):
    return f'"{value}"' if isinstance(value, str) else str(value)


def by_verilator(name, folder):
    protocol, module, parameters, source = DESIGNS[name]
    top = f"{protocol}_remote"
    run(VERILATOR, "--binary", "-Wno-fatal", "-Wno-lint", "--assert", "--output-split", "0", "-CFLAGS", "-O0", "-MAKEFLAGS",
        "VM_PARALLEL_BUILDS=0", "--top-module", top, f"-D{protocol.upper()}_TOP={module}", f"-I{REMOTE}",
        *(f"-G{key}={text_of(value)}" for key, value in parameters.items()), source, REMOTE / f"{top}.sv",
        REMOTE / "wafertlm_rtl.c", REMOTE / "wafertlm_rtl_dpi.c", folder=folder)
    return [folder / "obj_dir" / f"V{top}"]


def by_icarus(name, folder, source=None):
    protocol, module, parameters, of_program = DESIGNS[name]
    top = f"{protocol}_remote"
    run(f"{IVERILOG}-vpi", "-Werror", REMOTE / "wafertlm_rtl.c", REMOTE / "wafertlm_rtl_vpi.c", folder=folder)
    run(IVERILOG, "-g2012", "-DWAFERTLM_VPI", f"-D{protocol.upper()}_TOP={module}", f"-I{REMOTE}", "-s", top,
        *(f"-P{top}.{key}={text_of(value)}" for key, value in parameters.items()), "-o", folder / "switch",
        source or of_program, REMOTE / f"{top}.sv", folder=folder)
    return [pathlib.Path(IVERILOG).with_name("vvp"), f"-M{folder}", "-mwafertlm_rtl", folder / "switch"]


BUILDERS = {"verilator": by_verilator, "icarus": by_icarus}
BUILT = {}


def built(simulator, name):
    """The command that starts it, built once."""
    if (simulator, name) not in BUILT:
        folder = WORK / f"{simulator}_{name}"
        folder.mkdir()
        BUILT[simulator, name] = BUILDERS[simulator](name, folder)
    return BUILT[simulator, name]


class RemoteCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.socket = self.folder / "socket"
        self.design = f"remote:{self.socket}"
        (self.folder / "platform.yaml").write_text(PLATFORM)

    def start(self, *command, **more):
        """Ends with the test."""
        process = subprocess.Popen([str(word) for word in command], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, **more)

        def end():
            if process.poll() is None:
                process.kill()
            process.communicate()
        self.addCleanup(end)
        return process

    def with_remote(self, command, *words):
        """What the tool prints while a simulator of `command` is there."""
        simulator = self.start(*command, f"+wafertlm={self.socket}")
        printed = run(TOOL, *words, folder=self.folder).stdout
        out, error = simulator.communicate()
        self.assertEqual(simulator.returncode, 0, out + error)
        return printed


class SameAsOfTheProgram(RemoteCase):
    def test_under_stress(self):
        """All that is counted: packets, cycles, what heads waited, credits, bins."""
        for simulator, name in itertools.product(BUILDERS, DESIGNS):
            with self.subTest(simulator=simulator, design=name):
                cases = 3 if simulator == "verilator" else 1
                words = ["--seed", 5, "--cases", cases, "--limit", "0s", "--packets", 100, "--json"]
                wanted = json.loads(run(TOOL, "rtl", "stress", name, *words).stdout)
                got = json.loads(self.with_remote(built(simulator, name), "rtl", "stress", self.design, *words))
                self.assertGreater(wanted["cycles"], 500)
                self.assertEqual(got.pop("design"), DESIGNS[name][1])
                self.assertEqual({"design": name, **got}, wanted)

    def test_in_a_replay(self):
        """Heads and tails to the cycle, beside the model whose packets were recorded."""
        rtl = "wafer.fabric.rtl=[{switch: router0, view: tlm, flit_bytes: 32 B, record: chip.rec}]"
        run(TOOL, "collective", "platform.yaml", "--type", "all_reduce", "--size", "8KiB", "--set", rtl, folder=self.folder)
        words = ["rtl", "replay", "chip.rec", "--tolerance", "none", "--json", "--design"]
        for simulator, name in itertools.product(BUILDERS, DESIGNS):
            with self.subTest(simulator=simulator, design=name):
                wanted = json.loads(run(TOOL, *words, name, folder=self.folder).stdout)
                self.assertTrue(wanted["data_equal"])
                self.assertGreater(wanted["packets_compared"], 20)
                self.assertEqual(json.loads(self.with_remote(built(simulator, name), *words, self.design)), wanted)

    def test_in_place_in_a_run(self):
        """All results of a run whose packets the RTL carries."""
        def words(design):
            return ["collective", "platform.yaml", "--type", "all_reduce", "--size", "4KiB", "--json", "--set",
                    f"wafer.fabric.rtl=[{{switch: router0, view: rtl, design: '{design}'}}]"]
        for simulator, name in itertools.product(BUILDERS, DESIGNS):
            with self.subTest(simulator=simulator, design=name):
                wanted = without_host(json.loads(run(TOOL, *words(name), folder=self.folder).stdout)["rows"])
                self.assertGreater(wanted[0]["rtl"][0]["packets_in"], 10)
                got = without_host(json.loads(self.with_remote(built(simulator, name), *words(self.design)))["rows"])
                got[0]["rtl"][0]["design"] = name
                self.assertEqual(got, wanted)


class Unknown(RemoteCase):
    def test_is_told_with_pin_and_time(self):
        """Registers that no reset sets are X in Icarus, and any value in Verilator."""
        source = DESIGNS["crossbar5"][3].read_text()
        broken = source.replace("m_tvalid[o] <= 1'b0;", "")
        self.assertNotEqual(broken, source)
        (self.folder / "broken.sv").write_text(broken)
        command = by_icarus("crossbar5", self.folder, self.folder / "broken.sv")
        self.start(*command, f"+wafertlm={self.socket}")
        error = run(TOOL, "rtl", "stress", self.design, "--cases", 1, "--json", "--shrink", 0, folder=self.folder, code=1)
        self.assertRegex(error.stdout, r"crossbar: m_tvalid of port 0 is unknown \(X or Z\) in the cycle at [0-9]+ ps")


class Ends(RemoteCase):
    def stress(self):
        return self.start(TOOL, "rtl", "stress", self.design, "--limit", "0s")

    def refused(self, lines, *words):
        """@return what the tool says, which the simulator is told, too."""
        tool = self.start(TOOL, *(words or ["rtl", "stress", self.design]))
        simulator = Simulator(tool, self.socket, lines)
        self.addCleanup(simulator.close)
        told = simulator.receive()
        _, error = tool.communicate()
        self.assertEqual(tool.returncode, 2, error)
        if told:
            self.assertIn(told.decode(), error)
        return error

    def test_of_a_killed_simulator(self):
        for simulator in BUILDERS:
            with self.subTest(simulator=simulator):
                process = self.start(*built(simulator, "crossbar5"), f"+wafertlm={self.socket}")
                tool = self.stress()
                with self.assertRaises(subprocess.TimeoutExpired):  # without it the stress has no end
                    tool.wait(1)
                process.kill()
                _, error = tool.communicate()
                self.assertEqual(tool.returncode, 1, error)
                self.assertRegex(error, rf"the simulator at {self.socket} has ended(, in the cycle at [0-9]+ ps)?\n")
                self.assertFalse(self.socket.exists())

    def test_of_a_simulator_that_stops_in_the_middle(self):
        tool = self.stress()
        simulator = Simulator(tool, self.socket, AXI_FIFO)
        self.assertEqual(simulator.receive(), b"")
        for _ in range(10):
            self.assertTrue(simulator.receive())
            simulator.send(b"")
        simulator.close()
        _, error = tool.communicate()
        self.assertEqual(tool.returncode, 1)
        self.assertRegex(error, r"has ended, in the cycle at [1-9][0-9]* ps\n")

    def test_of_a_killed_tool(self):
        for simulator in BUILDERS:
            with self.subTest(simulator=simulator):
                process = self.start(*built(simulator, "crossbar5"), f"+wafertlm={self.socket}")
                tool = self.stress()
                with self.assertRaises(subprocess.TimeoutExpired):
                    tool.wait(1)
                tool.send_signal(signal.SIGKILL)
                self.assertEqual(process.wait(), 0)

    def test_of_what_does_not_fit(self):
        def changed(before, after):
            self.assertIn(before, AXI_FIFO)
            return [line.replace(before, after) for line in AXI_FIFO if line != before or after]
        for lines, why in [
                (changed(VERSION, "wafertlm-rtl 2"), "it speaks 'wafertlm-rtl 2' in place of 'wafertlm-rtl 1'"),
                (["hello"], "it speaks 'hello'"),
                (changed("protocol axi4_stream", "protocol avalon"), "its protocol is 'avalon': credit_stream or axi4_stream"),
                (changed("protocol axi4_stream", "protocol credit_stream"), "it must say DEPTH"),
                (changed("parameter W 256", "parameter W 40"), "a multiple of 32), and says P=1 W=40"),
                (changed("parameter P 1", "parameter P 65"), "its parameter P is 65: 1 to 64 fit"),
                (changed("parameter P 1", "parameter P -1"), "its parameter P is -1: 1 to 64 fit"),
                (changed("parameter P 1", "parameter P 2"),
                 "its pin s_tvalid is an input of 1 bits, and its parameters ask for an input of 2"),
                (changed("output m_tdata 256", "input m_tdata 256"), "its pin m_tdata is an input of 256 bits, and its parameters ask for an output"),
                (changed("output m_tid 16", ""), "it lacks the pin m_tid"),
                (AXI_FIFO + ["output m_tkeep 32"], "a pin m_tkeep is not of axi4_stream"),
                (AXI_FIFO + ["parameter QUEUE lifo"], "its parameter QUEUE is 'lifo': fifo or per_output"),
                (changed("top axi_fifo", "top ../x"), "its module is called '../x'"),
                (AXI_FIFO + ["clock 1 GHz"], "what is 'clock 1 GHz'?")]:
            with self.subTest(why=why):
                error = self.refused(lines)
                self.assertIn(f"remote:{self.socket}: ", error)
                self.assertIn(why, error)
        rtl = f"wafer.fabric.rtl=[{{switch: router0, view: both, design: '{self.design}'}}]"
        self.assertIn("wafer.fabric.rtl[0]: the RTL design 'axi_fifo' does not fit the switch",
                      self.refused(AXI_FIFO, "collective", "platform.yaml", "--type", "all_reduce", "--size", "4KiB", "--set", rtl))

    def test_of_what_speaks_something_else(self):
        tool = self.stress()
        simulator = Simulator(tool, self.socket, AXI_FIFO)
        self.assertEqual(simulator.receive(), b"")
        simulator.receive()
        simulator.send(b"\xff" * 12)
        _, error = tool.communicate()
        self.assertEqual(tool.returncode, 1)
        self.assertIn("tells a word 4294967295 of 11: is it of wafertlm_rtl.h?", error)
        simulator.close()

    def test_of_a_simulator_that_is_refused(self):
        """The real one ends with WaferTLM's words."""
        for simulator in BUILDERS:
            command = built(simulator, "crossbar5")
            with self.subTest(simulator=simulator):
                with socket.socket(socket.AF_UNIX) as listener:
                    self.socket.unlink(missing_ok=True)
                    listener.bind(str(self.socket))
                    listener.listen()
                    process = self.start(*command, f"+wafertlm={self.socket}")
                    with listener.accept()[0] as connection:
                        size = struct.unpack("=I", connection.recv(4, socket.MSG_WAITALL))[0]
                        connection.recv(size, socket.MSG_WAITALL)  # what is not read would break the connection
                        connection.sendall(struct.pack("=I", 9) + b"not today")
                    self.assertIn("WaferTLM refuses: not today", "".join(process.communicate()))
                    self.assertNotEqual(process.returncode, 0)
                nowhere = self.start(*command)
                self.assertIn("where does WaferTLM listen? +wafertlm=SOCKET", "".join(nowhere.communicate()))
                self.assertNotEqual(nowhere.returncode, 0)

    def test_of_places_where_no_socket_can_be(self):
        for path, why in [("none/socket", "No such file or directory"), ("x" * 200, "has 1 to 107 letters"), ("", "has 1 to 107 letters"),
                          ("platform.yaml", "Address already in use")]:
            error = run(TOOL, "rtl", "stress", f"remote:{path}", folder=self.folder, code=2).stderr
            self.assertIn(f"remote:{path}: ", error)
            self.assertIn(why, error)
        self.assertEqual((self.folder / "platform.yaml").read_text(), PLATFORM)

    def test_of_a_socket_that_somebody_has(self):
        """A run's own is refused; what a killed one has left is not in the way."""
        first = self.stress()
        while not self.socket.exists():
            time.sleep(0.02)
        error = run(TOOL, "rtl", "stress", self.design, folder=self.folder, code=2).stderr
        self.assertIn(f"remote:{self.socket}: another program listens there", error)
        first.kill()
        first.wait()
        self.assertTrue(self.socket.exists())
        self.refused(["hello"])
        self.assertFalse(self.socket.exists())


def main():
    if IVERILOG == "-":
        print("left out: there is no Icarus Verilog (apt-get install iverilog)")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[5:], verbosity=2)


main()
