#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results as a script reads them, with csv, json and sqlite3: the files agree, and sums are exact:  read_results_test.py WAFERTLM"""
import collections
import csv
import json
import pathlib
import re
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

    def test_reports_of_cells(self):
        """Asked for later, cells run again; the page links to each; the tables stay the same."""
        (self.path / "s.yaml").write_text(STUDY)
        self.tool("study", "s.yaml", "--out", "plain")
        before = (self.path / "plain/results.json").read_text()
        self.assertEqual(list((self.path / "plain/cells").glob("*.html")), [])
        self.tool("study", "s.yaml", "--out", "plain", "--report")
        self.assertEqual((self.path / "plain/results.json").read_text(), before)
        page = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', (self.path / "plain/report.html").read_text(), re.S)[1])["study"]
        self.assertEqual([each["as"] for each in page["columns"]], ["time", "time"])
        self.assertEqual([each["values"] for each in page["cells"]], [each["values"] for each in json.loads(before)["cells"]])
        for cell in page["cells"]:
            report = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', (self.path / "plain" / cell["report"]).read_text(), re.S)[1])
            self.assertEqual(report["results"]["iteration_time_s"], cell["values"]["iteration"])
        self.tool("study", "resume", "plain")  # it asks for reports as the start did, and they are there
        (self.path / "p.yaml").write_text("platform: p\nwafer: {width: 2, height: 1}\n")
        (self.path / "c.yaml").write_text("study: s\ncommand: collective\nfile: p.yaml\narguments: [--type, all_reduce, --size, 1KiB]\n"
                                          "axes: [{axis: n, values: ['1', '2'], set: 'collectives.chunks={}'}]\ncolumns: [{column: time, read: 'rows[0].time_s'}]\n")
        refused = subprocess.run([TOOL, "study", "c.yaml", "--out", "c", "--report"], capture_output=True, text=True, check=False, cwd=self.path)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("--report: cells of 'command: collective' have no reports", refused.stderr)
        self.assertFalse((self.path / "c").exists())


if __name__ == "__main__":
    unittest.main()
