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


try:
    import pandas
except ImportError:
    pandas = None


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


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

    def rows(self, name):
        """Of a table with one header; every row has its columns, and a column is all numbers or all text."""
        with open(self.path / name, newline="", encoding="utf-8") as stream:
            header, *lines = csv.reader(stream)
        self.assertEqual(len(set(header)), len(header), name)
        for line in lines:
            self.assertEqual(len(line), len(header), name)
        for column, values in zip(header, zip(*lines)):
            kinds = {is_number(value) for value in values if value != ""}
            self.assertLessEqual(len(kinds), 1, (name, column, values))
        if pandas:
            frame = pandas.read_csv(self.path / name)
            self.assertEqual(list(frame.columns), header)
            for column, values in zip(header, zip(*lines)):
                if any(value != "" for value in values):
                    self.assertEqual(pandas.api.types.is_numeric_dtype(frame[column]), all(is_number(value) for value in values if value != ""), (name, column))
        return [dict(zip(header, line)) for line in lines]

    def test_a_run(self):
        self.tool("run", "e.yaml", "--out", "out")
        results = json.loads((self.path / "out/results.json").read_text())
        self.assertFalse((self.path / "out/results.csv").exists())
        iterations = self.rows("out/iterations.csv")
        self.assertEqual([picoseconds(row["time_s"]) for row in iterations], [each["time_ps"] for each in results["iterations"]])
        self.assertEqual([int(row["iteration"]) for row in iterations], [0, 1])
        self.assertEqual([picoseconds(row["breakdown_compute_s"]) for row in iterations], [each["breakdown_ps"]["compute"] for each in results["iterations"]])
        # The parts of each rank's iteration sum to its time, in both files.
        sums = collections.Counter()
        for row in self.rows("out/breakdown.csv"):
            self.assertEqual(set(row), {"iteration", "rank", "part", "time_s"})
            sums[int(row["iteration"]), int(row["rank"])] += picoseconds(row["time_s"])
        self.assertEqual(len(sums), 2 * 4)
        for (iteration, rank), time in sums.items():
            self.assertEqual(time, results["iterations"][iteration]["time_ps"])
            self.assertEqual(sum(results["iterations"][iteration]["ranks"][rank]["breakdown_ps"].values()), time)
        collectives = self.rows("out/collectives.csv")
        self.assertEqual([picoseconds(row["time_s"]) for row in collectives], [each["time_ps"] for each in results["collectives"]])
        self.assertEqual([row["algorithm"] for row in collectives], [each["algorithm"] for each in results["collectives"]])
        links = self.rows("out/links.csv")
        self.assertEqual([int(row["bytes"]) for row in links], [each["bytes"] for each in results["links"]])
        self.assertEqual([float(row["packet_wait_queue_s"]) for row in links], [each["packet_wait_s"]["queue"] for each in results["links"]])
        self.assertEqual([row["name"] for row in self.rows("out/memories.csv")], [each["name"] for each in results["memories"]])

    def test_a_table_without_rows_has_its_header(self):
        self.tool("run", "e.yaml", "--out", "many")
        self.tool("run", "e.yaml", "--out", "none", "--set", "workload.data_parallel=1", "--set", "wafer.width=1", "--set", "wafer.height=1")
        heads = [(self.path / out / "collectives.csv").read_text().split("\n")[0] for out in ("none", "many")]
        self.assertEqual(self.rows("none/collectives.csv"), [])
        self.assertEqual(*heads)

    def test_a_large_table_stands_beside_the_resolved_configuration(self):
        """The run again from there, also moved, is the same; compare sees what is in the table."""
        source = pathlib.Path(__file__).resolve().parents[2] / "configs/memory/hbm3.yaml"
        memory = self.path / "my_memory.yaml"
        memory.write_text(source.read_text())
        words = ["--set", "npu.hbm.generation=hbm3", "--set", "npu.hbm.stacks=4", "--set", "npu.hbm.capacity=64GB", "--set", "npu.hbm.efficiency=my_memory.yaml", "--set", "npu.endpoint.memory=hbm"]
        self.tool("run", "e.yaml", "--out", "own", *words)
        resolved = (self.path / "own/resolved.yaml").read_text()
        self.assertLess(len(resolved), 16 * 1024)
        self.assertIn("efficiency: \"resolved.efficiency.yaml\"  # my_memory.yaml:", resolved)
        memory.unlink()
        (self.path / "own").rename(self.path / "elsewhere")
        self.tool("run", "elsewhere/resolved.yaml", "--out", "again")
        first, again = (json.loads((self.path / out / "results.json").read_text()) for out in ("elsewhere", "again"))
        for each in (first, again):
            del each["host"]
        self.assertEqual(first, again)
        self.assertEqual((self.path / "again/resolved.efficiency.yaml").read_text().count("\n"), (self.path / "elsewhere/resolved.efficiency.yaml").read_text().count("\n"))
        self.assertEqual(self.differences("elsewhere", "again"), [])
        changed = self.path / "again/resolved.efficiency.yaml"
        changed.write_text(changed.read_text().replace("efficiency: ", "efficiency: another ", 1))
        self.assertEqual([row["key"] for row in self.differences("elsewhere", "again")], ["platform.npu.hbm.efficiency.efficiency"])

    def differences(self, *runs):
        done = subprocess.run([TOOL, "compare", *runs, "--out", "c.html", "--json", "-"], capture_output=True, text=True, check=True, cwd=self.path)
        return json.loads(done.stdout)["differences"][0]["changed"]

    def test_a_study(self):
        (self.path / "s.yaml").write_text(STUDY)
        self.tool("study", "s.yaml", "--out", "study")
        cells = json.loads((self.path / "study/results.json").read_text())["cells"]
        rows = self.rows("study/results.csv")
        with sqlite3.connect(self.path / "study/results.sqlite") as database:
            kept = database.execute('select cell, link_bytes_per_s, iteration_s, compute_s, status from study order by cell').fetchall()
            states = database.execute("select state, exit_code, command from cells order by cell").fetchall()
        self.assertEqual(len(cells), 3)
        for number, (cell, row, stored, state) in enumerate(zip(cells, rows, kept, states, strict=True)):
            values = cell["values"]
            self.assertEqual(cell["at"]["link"], f"{stored[1] // 10**9} GB/s")
            self.assertEqual(stored, (number, [50, 100, 200][number] * 10**9, values["iteration"], values["compute"], "done"))
            self.assertEqual((int(row["link_bytes_per_s"]), float(row["iteration_s"]), float(row["compute_s"]), row["status"]), stored[1:])
            self.assertEqual(state, ("done", 0, cell["command"]))
            self.assertEqual(cell["status"], "done")
            self.assertLessEqual(values["compute"], values["iteration"])
        self.assertEqual(sum(float(row["iteration_s"]) for row in rows), sum(each[2] for each in kept))
        self.assertGreater(kept[0][2], kept[2][2])

    def test_axes_of_a_study(self):
        """Units in the axis' text or in what it sets; texts stay."""
        (self.path / "axes.yaml").write_text(
            "study: s\nfile: e.yaml\naxes:\n"
            "  - {axis: latency, values: ['5', '20'], set: 'wafer.fabric.link_latency={}ns'}\n"
            "  - {axis: packet size, values: [1 KiB, 4 KiB], set: 'wafer.fabric.packet_bytes={}'}\n"
            "  - {axis: batch, values: ['1', '2'], set: 'workload.batch_per_npu={}'}\n"
            "  - {axis: rate, values: [{name: slow, set: workload.effective_rate=1 TFLOPS}, {name: '2 TFLOPS', set: workload.effective_rate=2 TFLOPS}]}\n"
            "columns:\n  - {column: time_s, read: iteration_time_s}\n  - {column: busy, read: 'links[0].busy_fraction', as: percent}\n"
            "  - {column: bytes, read: 'links[0].bytes'}\n")
        self.tool("study", "axes.yaml", "--out", "axes", "--set", "iterations=1")
        rows = self.rows("axes/results.csv")
        self.assertEqual(list(rows[0]), ["latency_s", "packet size_bytes", "batch", "rate", "time_s", "busy", "bytes", "status", "error"])
        self.assertEqual({row["latency_s"] for row in rows}, {"5e-09", "2e-08"})
        self.assertEqual({row["packet size_bytes"] for row in rows}, {"1024", "4096"})
        self.assertEqual({row["rate"] for row in rows}, {"slow", "2 TFLOPS"})
        self.assertEqual({row["status"] for row in rows}, {"done"})

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
