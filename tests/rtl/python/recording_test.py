#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The readers of recordings for other benches: in Python, and by DPI-C from SystemVerilog; and the examples that use them.

    recording_test.py WAFERTLM VERILATOR WORK

There is no cocotb and no UVM in Debian 12: the cocotb bench runs on a stand-in (cocotb/), with a switch in Python, and the
UVM classes are read by Verilator, whose version 5.006 compiles no classes of this kind, beside a stand-in of uvm_pkg (../uvm).
"""
import dataclasses
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
UVM = ROOT / "models/rtl/uvm"
sys.path[:0] = [str(ROOT / "models/rtl/python"), str(HERE)]
sys.dont_write_bytecode = True
import cocotb  # pylint: disable=wrong-import-position
from wafertlm_recording import Arrive, Credit, Leave, Open, Origin, Recording, RecordingError  # pylint: disable=wrong-import-position

TOOL = pathlib.Path(sys.argv[1]).resolve()
VERILATOR = sys.argv[2]
WORK = pathlib.Path(sys.argv[3]).resolve()
HEAD = """wafertlm-rtl-recording 2
switch router5 ports 3 channels 2 flit_bytes 8 clock_hz 3000000000 tolerance -
model pipeline_ps 500 link_bytes_per_s 24000000000 queue per_output
rooms 4 4 0 0 4 4
"""
EVENTS = """open 10 3 1 6 bf16 4 100 1 inputs 2 0 2 outputs 1 1 order 1 0 1
arrive 20 2 1 32769 7 10 2 1000 1667 from 4 - 5 6 7 00112233445566778899
arrive 30 0 0 32768 8 0 1 2000 2334
arrive 40 0 0 32768 9 12 2 3000 4001 flits 2 3000 3900 from 4 9 5 6 7
credit 50 1 0 2 60
leave 70 1 1 3 4 10 5000 - 00
leave 80 0 0 32768 8 0 5000 5334
"""


def run(*words, folder):
    done = subprocess.run([str(word) for word in words], cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text):
        path = self.folder / "chip.rec"
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, text):
        with Recording(self.file(text)) as recording:
            return recording.head, list(recording)

    def recorded(self, *more):
        """Of an all-reduce on two NPUs: what router0 saw."""
        platform = {"width": 2, "height": 1}
        settings = [f"wafer.{key}={value}" for key, value in platform.items()] + list(more)
        run(TOOL, "collective", ROOT / "configs/platforms/wafer_mesh_5x4.yaml", "--type", "all_reduce", "--size", "8KiB",
            *(word for setting in settings for word in ("--set", setting)), "--set",
            "wafer.fabric.rtl=[{switch: router0, view: tlm, flit_bytes: 32 B, record: chip.rec}]", folder=self.folder)
        return self.folder / "chip.rec"


class Reader(Case):
    def test_every_kind_of_line(self):
        head, events = self.read(HEAD + EVENTS)
        self.assertEqual((head.switch, head.ports, head.channels, head.flit_bytes, head.clock_hz, head.tolerance, head.rooms),
                         ("router5", 3, 2, 8, 3_000_000_000, None, [4, 4, 0, 0, 4, 4]))
        self.assertEqual(head.model, {"pipeline_ps": 500, "link_bytes_per_s": 24_000_000_000, "queue": "per_output"})
        self.assertEqual([head.cycle_of(time) for time in (0, 1, 333, 334, 1000, 1001)], [0, 1, 1, 2, 3, 4])
        values = bytes.fromhex("00112233445566778899")
        self.assertEqual(events, [
            Open(10, 3, 1, 6, "bf16", 4, 100, 1, [0, 2], [1], [(0, 1)]),
            Arrive(20, 2, 1, 32769, 7, 10, 2, 1000, 1667, None, Origin(4, None, 5, 6, 7), values),
            Arrive(30, 0, 0, 32768, 8, 0, 1, 2000, 2334, None, None, b""),
            Arrive(40, 0, 0, 32768, 9, 12, 2, 3000, 4001, [3000, 3900], Origin(4, 9, 5, 6, 7), b""),
            Credit(50, 1, 0, 2, 60),
            Leave(70, 1, 1, 3, 4, 10, 5000, None, b"\0"),
            Leave(80, 0, 0, 32768, 8, 0, 5000, 5334, b"")])
        self.assertEqual(events[1].header(), 10 << 40 | 7 << 16 | 32769)
        self.assertEqual(events[1].words(8), [0x7766554433221100, 0x9988])
        self.assertEqual(dataclasses.replace(events[1], sequence=0x1_00_0002).header(), 10 << 40 | 2 << 16 | 32769)

    def test_bad_lines_are_told_with_their_place(self):
        for text, line, why in [
                ("", 1, "expected 'wafertlm-rtl-recording 2'"),
                (HEAD.replace("recording 2", "recording 1"), 1, "expected 'wafertlm-rtl-recording 2'"),
                (HEAD.replace("ports", "holes"), 2, "expected 'ports'"),
                (HEAD.replace("rooms 4", "rooms x"), 4, "invalid literal"),
                (HEAD + EVENTS + "lost 5\n", 12, "unknown event 'lost'; known: open, arrive, credit, leave"),
                (HEAD + "credit 50 1 0 2\n", 5, "the line ends"),
                (HEAD + "credit 50 1 0 2 60 7\n", 5, "what is '7'?"),
                (HEAD + "leave 80 0 0 32768 8 0 5000 5334 0g\n", 5, "non-hexadecimal")]:
            with self.subTest(why=why), self.assertRaises(RecordingError) as raised:
                self.read(text)
            self.assertIn(f"chip.rec:{line}: {why}", str(raised.exception))

    def test_what_the_tool_writes(self):
        with Recording(self.recorded()) as recording:
            events = list(recording)
            self.assertEqual(recording.head.switch, "router0")
        arrived = [event for event in events if isinstance(event, Arrive)]
        left = {(event.flow, event.sequence): event for event in events if isinstance(event, Leave)}
        self.assertGreater(len(arrived), 5)
        for event in arrived:
            self.assertGreaterEqual(left.pop((event.flow, event.sequence)).head_ps, event.head_ps)
            self.assertEqual(event.flits, max(1, -(-event.payload_bytes // 32)))
        self.assertEqual(left, {})


class CocotbBench(Case):
    def bench_of(self, spoil=lambda word: word):
        os.environ.update(RECORDING=str(self.recorded()), VC="4", DEPTH="8")
        module = importlib.import_module("test_credit_stream")
        cocotb.run(module.what_leaves_is_what_the_model_sent, cocotb.WireSwitch(ports=5, flit_bits=256, channel_bits=2, spoil=spoil))

    def test_passes(self):
        self.bench_of()

    def test_fails_with_a_wrong_bit(self):
        with self.assertRaisesRegex(AssertionError, "output [0-9]: packet [0-9]+ of flow [0-9]+: data"):
            self.bench_of(lambda word: word ^ 4)


class BySystemVerilog(Case):
    def test_reads_the_same(self):
        folder = WORK / "reader"
        run(VERILATOR, "--binary", "--output-split", "0", "-CFLAGS", "-O0", "-MAKEFLAGS", "VM_PARALLEL_BUILDS=0", f"-I{UVM}", "--Mdir",
            folder, "--top-module", "print_recording", HERE.parent / "uvm/print_recording.sv", UVM / "wafertlm_rec.c", folder=WORK)
        for path in (self.file(HEAD + EVENTS), self.recorded("run.functional=true")):
            with self.subTest(path=path):
                printed = run(folder / "Vprint_recording", f"+recording={path}", folder=self.folder).stdout
                with Recording(path) as recording:
                    wanted = [f"{recording.head.ports} ports, {recording.head.flit_bytes} B, {recording.head.clock_hz} Hz"]
                    for each in recording:
                        if isinstance(each, (Arrive, Leave)):
                            data = each.data[:each.payload_bytes]
                            wanted.append(f"{int(isinstance(each, Leave))} {each.port} {each.channel} {each.flow} {each.sequence} "
                                          f"{each.payload_bytes} {each.head_ps} {-1 if each.tail_ps is None else each.tail_ps} "
                                          f"{data.hex()}")
                self.assertEqual([line for line in printed.splitlines() if not line.startswith("- ")], wanted)
        self.file(HEAD.replace("recording 2", "recording 9"))
        done = subprocess.run([folder / "Vprint_recording", f"+recording={self.folder}/chip.rec"], check=False, capture_output=True, text=True)
        self.assertIn("chip.rec:1: this is no recording of version 2", done.stderr)

    def test_uvm_classes_are_read(self):
        run(VERILATOR, "--lint-only", "-Wall", "-Wno-DECLFILENAME", "-Wno-UNUSED", "-Wno-UNDRIVEN", f"-I{UVM}", f"-I{HERE.parent}/uvm",
            HERE.parent / "uvm/uvm_pkg.sv", UVM / "wafertlm_packets.sv", folder=WORK)


shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)
unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
