#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps of the Python package: order, errors, interrupts, and what they are equal to:  sweep_test.py WAFERTLM"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

os.environ["WAFERTLM"] = sys.argv.pop(1)
PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "platform/python"
sys.path.insert(0, str(PACKAGE))

import wafertlm  # noqa: E402

EXPERIMENT, SMALL = "resnet50_dp20_mesh_5x4", {"workload.batch_per_npu": 1, "iterations": 1}
BANDWIDTH = "wafer.fabric.link_bandwidth"
# A program that says its place in the order of starts, and ends in the order of those that wait for each other's files.
LAST_FIRST = """
cd {folder}; n=${{2##*/}}
: >started$n
while [ $n -lt {last} ] && [ ! -e ended$((n + 1)) ]; do sleep 0.01; done
: >ended$n
[ ! -e fails$n ] || {{ echo "wafertlm: point $n" >&2; exit 2; }}
echo '{{"platform": "'$n'", "type": "t", "algorithm": "a", "class": "dp", "group_size": 1, "notes": [], "rows": []}}'
"""


class Sweeps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def stub(self, last):
        path = self.path / "stub"
        path.write_text("#!/bin/sh\n" + LAST_FIRST.format(folder=self.path, last=last))
        path.chmod(0o755)
        return unittest.mock.patch.dict(os.environ, WAFERTLM=str(path))

    def test_points_are_single_runs_in_order_whatever_runs_at_a_time(self):
        axes = {BANDWIDTH: ["375 GB/s", "750 GB/s"], "workload.overlap": [True, False]}
        sweeps = [wafertlm.sweep(EXPERIMENT, axes, set=SMALL, jobs=jobs) for jobs in (1, 3, None)]
        self.assertEqual([tuple(point.at.values()) for point in sweeps[0]],
                         [("375 GB/s", True), ("375 GB/s", False), ("750 GB/s", True), ("750 GB/s", False)])
        self.assertEqual(sweeps[0], sweeps[1])
        self.assertEqual(sweeps[0], sweeps[2])
        for point in sweeps[1]:
            self.assertEqual(point.result, wafertlm.run(EXPERIMENT, set={**SMALL, **point.at}))
        times = [result.iteration_time_s for result in sweeps[0].results]
        self.assertEqual(len(set(times)), 4)
        self.assertGreater(times[0], times[2])

    def test_results_are_in_order_when_the_last_ends_first(self):
        with self.stub(3):
            sweep = wafertlm.sweep_collective("x", "t", {"platform": [f"/{n}" for n in range(4)]}, jobs=4)
        self.assertEqual([result.platform for result in sweep.results], ["0", "1", "2", "3"])

    def test_no_more_run_at_a_time_than_was_said(self):
        with self.stub(0):
            lines = []
            wafertlm.sweep_collective("x", "t", {"platform": ["/2", "/1", "/0"]}, jobs=1, progress=lines.append)
        self.assertEqual(lines, ["1 of 3 done", "2 of 3 done", "3 of 3 done"])
        for jobs in (0, -1):
            with self.assertRaises(ValueError):
                wafertlm.sweep(EXPERIMENT, {"iterations": [1]}, jobs=jobs)

    def test_the_first_error_in_order_is_raised_though_a_later_one_came_first(self):
        for number in (1, 2):
            (self.path / f"fails{number}").touch()
        with self.stub(3), self.assertRaisesRegex(wafertlm.BadInput, "^point 1$"):
            wafertlm.sweep_collective("x", "t", {"platform": [f"/{n}" for n in range(4)]}, jobs=4)

    def test_after_an_error_no_more_are_started(self):
        (self.path / "fails0").touch()
        with self.stub(0), self.assertRaisesRegex(wafertlm.BadInput, "^point 0$"):
            wafertlm.sweep_collective("x", "t", {"platform": ["/0", "/5"]}, jobs=1)
        self.assertFalse((self.path / "started5").exists())

    def test_errors_can_be_kept(self):
        sweep = wafertlm.sweep_collective("wafer_mesh_5x4", "all_reduce", {"algorithm": ["ring", "no_such"], "size": ["64KiB", "1MiB"]}, on_error="keep")
        self.assertEqual([point.error is None for point in sweep], [True, True, False, False])
        self.assertEqual([row.get("bytes") for row in sweep.records()], [1 << 16, 1 << 20, None, None])
        self.assertIn("no_such", sweep.records()[2]["error"])
        with self.assertRaises(wafertlm.BadInput):
            sweep.results  # pylint: disable=pointless-statement

    def test_axes_may_be_objects(self):
        wafers = [wafertlm.Platform("wafer_mesh_5x4").set(BANDWIDTH, bandwidth) for bandwidth in ("375 GB/s", "1.5 TB/s")]
        runs = wafertlm.sweep(EXPERIMENT, {"platform": [*wafers, "fred_d"]}, set=SMALL)
        singles = [wafertlm.run(wafertlm.Experiment(EXPERIMENT, platform=wafer), set=SMALL) for wafer in (*wafers, "fred_d")]
        self.assertEqual([run.iteration_time_s for run in runs.results], [run.iteration_time_s for run in singles])
        collectives = wafertlm.sweep_collective(wafers[0], "all_reduce", {"platform": wafers, "size": ["1MiB", "4MiB"]})
        self.assertEqual([each.rows[0].time_ps for each in collectives.results],
                         [wafertlm.collective(wafer, "all_reduce", size).rows[0].time_ps for wafer in wafers for size in ("1MiB", "4MiB")])

    def test_an_interrupt_ends_the_children(self):
        (self.path / "stub").write_text("#!/bin/sh\necho $$ >>" + f"{self.path}/pids; exec sleep 100\n")
        (self.path / "stub").chmod(0o755)
        script = ("import wafertlm, sys\ntry:\n  wafertlm.sweep('/a.yaml', {'iterations': [1, 2, 3]}, jobs=2)\n"
                  "except KeyboardInterrupt:\n  sys.exit(7)\n")
        process = subprocess.Popen([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(PACKAGE), "WAFERTLM": str(self.path / "stub")})
        pids = self.path / "pids"
        while not pids.exists() or len(pids.read_text().split()) < 2:
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)  # to Python alone, as Jupyter does
        self.assertEqual(process.wait(), 7)
        children = [int(pid) for pid in pids.read_text().split()]
        self.assertEqual(len(children), 2)
        for pid in children:
            with self.assertRaises(ProcessLookupError):
                os.kill(pid, 0)


if __name__ == "__main__":
    unittest.main()
