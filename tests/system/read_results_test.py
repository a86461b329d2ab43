#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results as a script reads them, with csv, json and sqlite3: the files agree, and sums are exact:  read_results_test.py WAFERTLM"""
import collections
import csv
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
EXPERIMENT = ("experiment: e\nplatform: {platform: p, wafer: {width: 2, height: 2, fabric: {link_bandwidth: 100 GB/s, link_latency: 20 ns}}}\n"
              "workload: {layers: resnet50, data_parallel: 4, batch_per_npu: 1, effective_rate: 400 TFLOPS}\niterations: 2\n")
STUDY = ("study: s\nfile: e.yaml\naxes:\n  - {axis: link, values: [50 GB/s, 100 GB/s, 200 GB/s], set: 'wafer.fabric.link_bandwidth={}'}\n"
         "columns:\n  - {column: iteration, read: iteration_time_s, as: time}\n"
         "  - {column: compute, read: 'iterations[-1].breakdown_s.compute', as: time}\n")


def picoseconds(seconds):
    return round(float(seconds) * 1e12)


class ReadResults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "e.yaml").write_text(EXPERIMENT)

    def tool(self, *words):
        done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True, check=False, cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_run(self):
        self.tool("run", "e.yaml", "--out", "out")
        results = json.loads((self.path / "out/results.json").read_text())
        with open(self.path / "out/results.csv", newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        by_kind = collections.defaultdict(list)
        for row in rows:
            by_kind[row["kind"]].append(row)
        self.assertEqual([picoseconds(row["time_s"]) for row in by_kind["iteration"]], [each["time_ps"] for each in results["iterations"]])
        # The parts of each rank's iteration sum to its time, in both files.
        sums = collections.Counter()
        for row in by_kind["breakdown"]:
            _, iteration, _, rank, _ = row["name"].split(" ", 4)
            sums[int(iteration), int(rank)] += picoseconds(row["time_s"])
        self.assertEqual(len(sums), 2 * 4)
        for (iteration, rank), time in sums.items():
            self.assertEqual(time, results["iterations"][iteration]["time_ps"])
            self.assertEqual(sum(results["iterations"][iteration]["ranks"][rank]["breakdown_ps"].values()), time)
        self.assertEqual(sorted(picoseconds(row["time_s"]) for row in by_kind["collective"]), sorted(each["time_ps"] for each in results["collectives"]))
        self.assertEqual(sum(int(row["bytes"]) for row in by_kind["link"]), sum(each["bytes"] for each in results["links"]))

    def test_a_study(self):
        (self.path / "s.yaml").write_text(STUDY)
        self.tool("study", "s.yaml", "--out", "study")
        cells = json.loads((self.path / "study/results.json").read_text())["cells"]
        with open(self.path / "study/results.csv", newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        with sqlite3.connect(self.path / "study/results.sqlite") as database:
            kept = database.execute('select cell, link, iteration, compute from study order by cell').fetchall()
            states = database.execute("select state, exit_code, command from cells order by cell").fetchall()
        self.assertEqual(len(cells), 3)
        for number, (cell, row, stored, state) in enumerate(zip(cells, rows, kept, states, strict=True)):
            at, values = cell["at"]["link"], cell["values"]
            self.assertEqual(stored, (number, at, values["iteration"], values["compute"]))
            self.assertEqual((row["link"], float(row["iteration"]), float(row["compute"])), stored[1:])
            self.assertEqual(state, ("done", 0, cell["command"]))
            self.assertLessEqual(values["compute"], values["iteration"])
        self.assertEqual(sum(float(row["iteration"]) for row in rows), sum(each[2] for each in kept))
        self.assertGreater(kept[0][2], kept[2][2])


if __name__ == "__main__":
    unittest.main()
