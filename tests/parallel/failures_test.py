#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs in several processes that fail: a process that is killed, signals, bad input, jobs that are stuck.

    failures_test.py WAFERTLM [--kills 20] [--seed 1] [unittest options]

--kills: so many of each process, at random moments of a run; what it says, what it leaves, and how soon all have ended.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tool")
parser.add_argument("--kills", type=int, default=20)
parser.add_argument("--seed", type=int, default=1)
ARGUMENTS, sys.argv[1:] = parser.parse_known_args()
TOOL = str(pathlib.Path(ARGUMENTS.tool).resolve())
PLATFORM = pathlib.Path(__file__).parents[2] / "configs" / "platforms" / "wafers_4_mesh_5x4.yaml"
ENVIRONMENT = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
MPIRUN = ["mpirun", "--quiet", "--oversubscribe", "--bind-to", "none", "-n"]
HEAD = f"""experiment: failing
platform:
  extends: {PLATFORM}
  platform: small wafers
  wafer: {{width: 2, height: 2, outer: {{wafers: 3, latency: 200 ns}}}}
"""
LAYERS = """workload:
  workload: two layers
  layers:
    model: two layers
    layers:
      - {name: a, parameters: 20000, forward_operations: 100000000}
      - {name: b, parameters: 20000, forward_operations: 100000000}
  data_parallel: 12
  batch_per_npu: 1
  effective_rate: 400 TFLOPS
"""
COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7  # of Chakra's node types


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def node(number, kind, parents=(), **attributes):
    return {"Id": number, "Name": f"n{number}", "NodeType": kind, "data_deps": list(parents), **attributes}


def processes_with(text):
    """Process ids by command line."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if text in line and (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                    found[int(entry.name)] = line
            except OSError:
                pass
    return found


class Failures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "e.yaml").write_text(HEAD + LAYERS)

    def tool(self, *words):
        done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False, cwd=self.path, env=ENVIRONMENT,
                              timeout=300)
        self.assertNotIn("Traceback", done.stderr)
        return done

    def start(self, words):
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.path, env=ENVIRONMENT)

    def ends(self, running, seconds):
        """Its output, and that nothing of it is left."""
        try:
            running.communicate(timeout=0)
        except subprocess.TimeoutExpired:
            pass
        try:
            out, errors = running.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            left = processes_with(str(self.path))
            for process in left:
                os.kill(process, signal.SIGKILL)
            running.kill()
            self.fail(f"still there: {left}")
        end = time.monotonic() + seconds
        while processes_with(str(self.path)) and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(processes_with(str(self.path)), {}, errors)
        return out, errors

    def ranks(self):
        """Process ids by rank, once each has begun to simulate or to load."""
        ranks = {}
        for process in processes_with(f"--out {self.path}/out"):
            try:
                found = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", pathlib.Path(f"/proc/{process}/environ").read_bytes())
            except OSError:
                continue
            if found:
                ranks[int(found.group(1))] = process
        return ranks

    def started(self, iterations, before=(), processes=("--processes", "3")):
        """A run of three processes that goes on, after it has said how far it is; the processes by rank."""
        for left in (self.path / "out").glob(".wafertlm-incomplete*"):
            shutil.rmtree(left)
        running = self.start([*before, TOOL, "run", "e.yaml", "--out", f"{self.path}/out", *processes, "--set", f"iterations={iterations}"])
        end = time.monotonic() + 120
        while time.monotonic() < end:
            ranks = self.ranks()
            if len(ranks) == 3 and list((self.path / "out").glob(".wafertlm-incomplete*")):
                return running, ranks
            time.sleep(0.02)
        running.kill()
        self.fail("the processes do not begin")
        return None

    def test_who_is_killed_is_named_and_all_end(self):
        draw = random.Random(ARGUMENTS.seed)
        first = self.tool("run", "e.yaml", "--out", f"{self.path}/out", "--processes", "3")
        self.assertEqual(first.returncode, 0, first.stderr)
        earlier = content(self.path / "out")
        self.assertIn("results.json", earlier)
        named = 0
        for number in range(3 * ARGUMENTS.kills):
            running, ranks = self.started(5000)
            time.sleep(draw.random() * 2 if number >= 3 else 1)
            victim = number % 3
            os.kill(ranks[victim], signal.SIGKILL)
            begin = time.monotonic()
            _, errors = self.ends(running, 60)
            took = time.monotonic() - begin
            if ARGUMENTS.kills > 2:
                print(f"process {victim}: {took:.2f} s", flush=True)
            self.assertEqual(running.returncode, 128 + signal.SIGKILL, errors)
            said = [line for line in errors.splitlines() if line.startswith("wafertlm:")]
            self.assertEqual(len(said), 1, errors)
            self.assertRegex(said[0], rf"^wafertlm: process {victim}( \(wafer {victim}\))? \(pid {ranks[victim]}\) ended by SIGKILL; "
                                      r"[0-9.]+ .s of simulated time had been reached$")
            named += 1
            self.assertLess(took, 5 * max(1, os.getloadavg()[0] / os.cpu_count()))
            now = {name: text for name, text in content(self.path / "out").items() if not name.startswith(".wafertlm-")}
            self.assertEqual(now, {name: text for name, text in earlier.items() if not name.startswith(".wafertlm-")})
        self.assertEqual(named, 3 * ARGUMENTS.kills)
        print(f"{named} of {3 * ARGUMENTS.kills} were named", flush=True)
        again = self.tool("run", "e.yaml", "--out", f"{self.path}/out", "--processes", "3")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(set(content(self.path / "out")), set(earlier))

    def expect_end(self, running, exit_code, message):
        _, errors = self.ends(running, 60)
        self.assertEqual(running.returncode, exit_code, errors)
        said = [line for line in errors.splitlines() if line.startswith("wafertlm:")]
        self.assertEqual(len(said), 1 if message else 0, errors)
        if message:
            self.assertRegex(said[0], message)
        self.assertFalse((self.path / "out" / "results.json").exists())
        shutil.rmtree(self.path / "out", ignore_errors=True)

    def test_signals_end_all(self):
        for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            running, _ = self.started(5000)
            running.send_signal(sent)
            self.expect_end(running, 128 + sent, f"^wafertlm: ended by {sent.name} at [0-9.]+ .s of simulated time$")
        running, ranks = self.started(5000, before=["timeout", "--kill-after=60", "1000"])  # sends it to a whole group, twice
        running.send_signal(signal.SIGTERM)
        self.expect_end(running, 128 + signal.SIGTERM, "^wafertlm: ended by SIGTERM at ")
        running, ranks = self.started(5000)
        os.kill(ranks[1], signal.SIGTERM)
        self.expect_end(running, 128 + signal.SIGTERM, "^wafertlm: ended by SIGTERM at ")

    def test_all_end_with_the_launcher_and_with_mpirun(self):
        running, _ = self.started(5000)
        running.kill()
        self.expect_end(running, -signal.SIGKILL, None)
        running, _ = self.started(5000)
        os.kill(int(pathlib.Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text()), signal.SIGKILL)
        self.expect_end(running, 128 + signal.SIGKILL, "^wafertlm: mpirun ended by SIGKILL; [0-9.]+ .s of simulated time had been reached$")

    def test_a_stopped_run_goes_on(self):
        running, ranks = self.started(50)
        os.kill(running.pid, signal.SIGTSTP)
        stopped = {running.pid, *ranks.values()}
        end = time.monotonic() + 60

        def states():
            return {pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] for process in stopped}

        while states() != {"T"} and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(states(), {"T"})
        os.kill(running.pid, signal.SIGCONT)
        _, errors = self.ends(running, 200)
        self.assertEqual(running.returncode, 0, errors)
        self.assertTrue((self.path / "out" / "results.json").exists())

    def test_without_a_launcher_one_that_lives_speaks(self):
        running, ranks = self.started(5000, before=[*MPIRUN, "3"], processes=())
        time.sleep(1)
        os.kill(ranks[2], signal.SIGKILL)
        _, errors = self.ends(running, 60)
        self.assertNotEqual(running.returncode, 0)
        said = [line for line in errors.splitlines() if line.startswith("wafertlm:")]
        self.assertLessEqual(len(said), 1, errors)
        for line in said:  # whoever lives may be inside MPI when mpirun ends it
            self.assertRegex(line, rf"process 2( \(wafer 2\))? \(pid {ranks[2]}\) ended by itself; .* had been reached")

    def refused(self, message, *words, experiment="e.yaml"):
        done = self.tool("run", experiment, "--out", "out", *words)
        self.assertEqual(done.returncode, 2, done.stderr)
        said = [line for line in done.stderr.splitlines() if line.strip()]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertIn(message, said[0])
        self.assertFalse((self.path / "out" / "results.json").exists())

    def test_bad_input_is_said_once(self):
        two = ["--processes", "2"]
        dealing = self.path / "dealing.txt"
        self.refused("4 processes for 3 wafers: each needs a wafer", "--processes", "4")
        self.refused("is one wafer", *two, "--set", "platform=wafer_mesh_5x4", "--set", "workload.data_parallel=2")
        dealing.write_text("0 1 # the third\n2\n")
        self.refused(f"{dealing}:2: '2' is no process; they are 0 to 1", *two, "--deal", str(dealing))
        dealing.write_text("0\n0\n0\n")
        self.refused("process 1 has no wafer", *two, "--deal", str(dealing))
        dealing.write_text("0\n1\n0\n1\n")
        self.refused(f"{dealing}:4: there are 3 wafers, this is one too many", *two, "--deal", str(dealing))
        dealing.write_text("0 1\n")
        self.refused("the process of each of 3 wafers, in their order; found 2", *two, "--deal", str(dealing))
        self.refused("nowhere.txt", *two, "--deal", "nowhere.txt")
        self.refused("--deal shares wafers out to processes; give --processes too", "--deal", str(dealing))
        self.refused("outer.latency", *two, "--set", "wafer.outer.latency=0 ns")
        self.refused("--log: no socket is called 'nothing*'", *two, "--log", "nothing*")
        self.refused("run.faults", *two, "--set", "run.faults=[{link: 'wafer0_router0->wafer0_router1', at: 1 us}]")
        self.refused("nosuch.yaml", *two, experiment="nosuch.yaml")

    def test_memory_for_all_processes_is_asked_for(self):
        large = ["--set", "wafer.width=32", "wafer.height=32", "npu.hbm.generation=hbm3", "npu.hbm.level=command", "npu.hbm.stacks=8"]
        words = [TOOL, "run", "e.yaml", "--out", "out", "--processes", "2", *large]
        done = subprocess.run(["sh", "-c", 'ulimit -v 2000000; exec "$@"', "sh", *words], capture_output=True, text=True, check=False,
                              cwd=self.path, env=ENVIRONMENT, timeout=300)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("wafertlm:"), 1, done.stderr)
        self.assertRegex(done.stderr, r"the run takes about [0-9.]+ GB of memory, and [0-9.]+ .B are available; .* --force runs it all the same")

    def test_processes_with_different_experiments_are_refused(self):
        wrapper = self.path / "wrapper.sh"
        wrapper.write_text(f'#!/bin/sh\nmore=\n[ "$OMPI_COMM_WORLD_RANK" = 1 ] && more="--set iterations=3"\n'
                           f'exec {TOOL} run e.yaml --out out $more\n')
        wrapper.chmod(0o755)
        done = subprocess.run([*MPIRUN, "2", str(wrapper)], capture_output=True, text=True, check=False, cwd=self.path, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("wafertlm:"), 1, done.stderr)
        self.assertIn("the experiment of process 1 is not that of process 0", done.stderr)

    def job(self, ranks, groups):
        """Writes traces of ranks 0 to 11; those that are not given compute."""
        for rank in range(12):
            nodes = ranks.get(rank) or [node(1, COMPUTE, runtime=1)]
            (self.path / f"job.{rank}.json").write_text(json.dumps({"workload_graph": nodes}))
        (self.path / "groups.json").write_text(json.dumps(groups))
        (self.path / "stuck.yaml").write_text(HEAD + f"workload: {{chakra: {self.path}/job, comm_groups: {self.path}/groups.json}}\n")

    def expect_same_chain(self, *lines):
        alone = self.tool("run", "stuck.yaml", "--out", "out")
        self.assertEqual(alone.returncode, 1, alone.stderr)
        for line in ("deadlock at", *lines):
            self.assertIn(line, alone.stderr)
        together = self.tool("run", "stuck.yaml", "--out", "out", "--processes", "2")
        self.assertEqual(together.returncode, 1, together.stderr)

        def chain(text):
            return text[text.index("wafertlm:"):text.index("\nIncomplete")] if "\nIncomplete" in text else text[text.index("wafertlm:"):]

        self.assertEqual(chain(together.stderr).strip(), chain(alone.stderr).strip())
        self.assertFalse((self.path / "out" / "results.json").exists())

    def test_collectives_in_opposite_order_over_two_wafers(self):
        def collective(number, group, parents=()):
            return node(number, COLLECTIVE, parents, comm_type=0, comm_size=4096, pg_name=group)

        self.job({0: [collective(1, "a"), collective(2, "b", [1])], 5: [collective(3, "b"), collective(4, "a", [3])]},
                 {"a": [0, 5], "b": [0, 5]})
        self.expect_same_chain("1. rank 0: node 1", "2. rank 5: node 3", "line 1 again: they wait in a circle")

    def test_a_receive_that_waits_for_a_send_behind_another_one(self):
        def receive(peer):
            return [node(1, RECEIVE, comm_src=peer, comm_tag=1, comm_size=64),
                    node(2, SEND, [1], comm_dst=peer, comm_tag=1, comm_size=64)]

        self.job({0: receive(9), 9: receive(0)}, {})
        self.expect_same_chain("1. rank 0: node 1", "2. rank 9: node 1", "line 1 again")


if __name__ == "__main__":
    unittest.main()
