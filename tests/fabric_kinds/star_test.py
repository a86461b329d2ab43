#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A kind of fabric that is not in the library goes through all of the tool:  star_test.py WAFERTLM_STAR"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parents[2] / "platform/package/examples/fabric"
TOOL = sys.argv.pop(1)
STAR = str(HERE / "star.yaml")
TYPES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "barrier")


def run(*arguments):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)


class Star(unittest.TestCase):
    def good(self, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def bad(self, text, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(text, done.stderr)

    def test_check_describes_it(self):
        text = self.good("check", STAR)
        self.assertIn("8 NPUs around one switch", text)
        self.assertIn("spoke_bandwidth: 1 TB/s", self.good("check", STAR, "--resolved"))

    def test_schema_has_its_keys(self):
        fabric = json.loads(self.good("schema"))["$defs"]["fabric"]
        for key in ("npus", "spoke_bandwidth", "hub_pipeline"):
            self.assertIn(key, fabric["properties"])
        self.assertIn("star", json.dumps(fabric["properties"]["kind"]))
        self.assertEqual(len(fabric["oneOf"]), 6)

    def test_wrong_keys_are_errors(self):
        self.bad("did you mean", "check", STAR, "--set", "wafer.fabric.spoke_bandwith=1TB/s")
        self.bad("goes with 'kind: mesh'", "check", STAR, "--set", "wafer.fabric.failed_routers=[1]")
        self.bad("has no effect beside 'star'", "check", STAR, "--set", "wafer.width=3")
        self.bad("no I/O controllers", "check", STAR, "--set", "wafer.io.controllers=perimeter")
        self.bad("queue per output", "check", STAR, "--set", "wafer.fabric.input_queue=fifo")

    def test_traffic(self):
        with tempfile.TemporaryDirectory() as folder:
            out = folder + "/traffic.json"
            text = self.good("traffic", STAR, "--packet", "4000B", "--load", "0.2:0.6:0.4", "--json", out)
            self.assertIn("star of 8 NPUs", text)
            for row in json.loads(pathlib.Path(out).read_text())["rows"]:
                self.assertEqual(row["channel_bound"], 1)
                self.assertFalse(row["saturated"])
                self.assertGreaterEqual(row["mean_ps"], row["zero_load_ps"])
                self.assertAlmostEqual(row["accepted"], row["offered"], delta=0.05)

    def test_every_collective(self):
        for kind in TYPES:
            for size in ("0B",) if kind == "barrier" else ("1KiB", "1MiB"):
                with self.subTest(kind=kind, size=size):
                    text = self.good("collective", STAR, "--type", kind, "--size", size, "--json",
                                     "--set", "run.functional=true", "--set", "run.checkers=true")
                    (row,) = json.loads(text)["rows"]
                    self.assertGreaterEqual(row["time_ps"], row["bound_ps"])
                    if kind != "barrier":
                        self.assertTrue(row["values_proven"])

    def test_every_algorithm_of_an_all_reduce(self):
        for algorithm in ("ring", "bidirectional_ring", "halving_doubling", "double_binary_tree", "tree", "direct"):
            with self.subTest(algorithm=algorithm):
                text = self.good("collective", STAR, "--type", "all_reduce", "--size", "256KiB", "--json", "--algorithm", algorithm,
                                 "--set", "run.functional=true", "--set", "run.checkers=true")
                (row,) = json.loads(text)["rows"]
                self.assertTrue(row["values_proven"])
                self.assertGreaterEqual(row["time_ps"], row["bound_ps"])

    def test_an_iteration_with_its_report(self):
        with tempfile.TemporaryDirectory() as folder:
            self.good("run", str(HERE / "experiment.yaml"), "--out", folder, "--report")
            results = json.loads(pathlib.Path(folder, "results.json").read_text())
            self.assertGreater(results["iteration_time_s"], 0)
            self.assertTrue(results["collectives"])
            for collective in results["collectives"]:
                self.assertGreaterEqual(collective["time_s"], collective["bound_s"])
            page = pathlib.Path(folder, "report.html").read_text()
            self.assertIn('"kind":"tree"', page)
            self.assertIn("hub->npu7", page)


if __name__ == "__main__":
    unittest.main()
