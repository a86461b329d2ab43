#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs, collectives, studies and comparisons of the Python package against the program's files:  run_test.py WAFERTLM"""
import dataclasses
import gc
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

PROGRAM = os.environ["WAFERTLM"] = sys.argv.pop(1)
PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "platform/python"
sys.path.insert(0, str(PACKAGE))

import wafertlm  # noqa: E402

EXPERIMENT, SMALL = "resnet50_dp20_mesh_5x4", {"workload.batch_per_npu": 1, "iterations": 1}


def stub(folder, text):
    """A program in the place of wafertlm."""
    path = pathlib.Path(folder, "stub")
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = wafertlm.run(EXPERIMENT, set=SMALL)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def test_a_run_is_its_results_json(self):
        written = json.loads((self.result.folder / "results.json").read_text())
        again = self.result.as_dict()

        def without_null(value):
            if isinstance(value, dict):
                return {key: without_null(each) for key, each in value.items() if each is not None}
            return [without_null(each) for each in value] if isinstance(value, list) else value

        self.assertEqual(again, without_null(written))
        self.assertEqual(self.result.iteration_time_s, written["iterations"][-1]["time_s"])
        self.assertEqual(self.result.collectives[0].class_, "dp")
        self.assertAlmostEqual(sum(self.result.iterations[-1].breakdown_s.values()), self.result.iteration_time_s, places=14)

    def test_the_same_as_the_command_line_and_as_an_object(self):
        words = [word for key, value in SMALL.items() for word in ("--set", f"{key}={value}")]
        subprocess.run([PROGRAM, "run", EXPERIMENT, "--out", self.path / "a", *words], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(wafertlm.read_run(self.path / "a"), self.result)
        spec = wafertlm.Experiment(EXPERIMENT, iterations=1).set("workload.batch_per_npu", 1)
        self.assertEqual(wafertlm.run(spec), self.result)
        self.assertNotEqual(wafertlm.run(spec.set("workload.batch_per_npu", 2)), self.result)

    def test_a_folder_of_its_own_goes_with_the_result(self):
        result = wafertlm.run(EXPERIMENT, set=SMALL, report=True)
        folder = result.folder
        self.assertTrue((folder / "report.html").exists())
        del result
        gc.collect()
        self.assertFalse(folder.exists())
        kept = wafertlm.run(EXPERIMENT, set=SMALL, out=self.path / "kept")
        self.assertEqual(kept.folder, self.path / "kept")
        del kept
        gc.collect()
        self.assertTrue((self.path / "kept/results.json").exists())

    def test_bad_input_names_its_place(self):
        file = self.path / "wafer.yaml"
        file.write_text("platform: p\nwafer:\n  width: 5\n  height: 4\n  fabric: {link_bandwidth: 750 XB/s}\n")
        with self.assertRaises(wafertlm.BadInput) as caught:
            wafertlm.collective(file, "all_reduce")
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.column), (str(file), 5, 28))
        self.assertIn("750 XB/s", str(caught.exception))
        self.assertEqual(caught.exception.command[1], "collective")
        with self.assertRaisesRegex(wafertlm.BadInput, "^--set wafer.fabric.link_bandwith: .*did you mean") as caught:
            wafertlm.run(EXPERIMENT, set={"wafer.fabric.link_bandwith": "1 TB/s"})
        self.assertIsNone(caught.exception.line)
        with self.assertRaisesRegex(wafertlm.BadInput, "no preset 'resnet50_dp20_mesh_5x5'"):
            wafertlm.run("resnet50_dp20_mesh_5x5")
        with self.assertRaises(wafertlm.BadInput):
            wafertlm.collective("wafer_mesh_5x4", "all_reduce", "no size")

    def test_a_failed_run_is_another_error(self):
        with self.assertRaisesRegex(wafertlm.RunFailed, "watchdog") as caught:
            wafertlm.run(EXPERIMENT, set={**SMALL, "run.watchdog": "10 us"})
        self.assertEqual(caught.exception.exit_code, 1)

    def test_other_ends_of_the_program(self):
        for text, kind, message in (("echo 'wafertlm: not in here' >&2; exit 75", wafertlm.BuiltWithout, "^not in here$"),
                                    ("kill -KILL $$", wafertlm.EndedBySignal, "SIGKILL"),
                                    ("echo 'wafertlm: ended by SIGTERM' >&2; exit 143", wafertlm.EndedBySignal, "^ended by SIGTERM$"),
                                    ("echo more >&2; echo 'wafertlm: a' >&2; echo b >&2; exit 1", wafertlm.RunFailed, "^a\nb$"),
                                    ("exit 1", wafertlm.RunFailed, "exit code 1")):
            with unittest.mock.patch.dict(os.environ, WAFERTLM=stub(self.path, text)), self.assertRaisesRegex(kind, message) as caught:
                wafertlm.run("/a.yaml")
            if kind is wafertlm.EndedBySignal:
                self.assertIn(caught.exception.signal, (signal.SIGKILL, signal.SIGTERM))
        with unittest.mock.patch.dict(os.environ, WAFERTLM="/no/such/program"), self.assertRaisesRegex(wafertlm.ProgramNotFound, "/no/such"):
            wafertlm.run("/a.yaml")

    def test_warnings_and_progress_of_the_program(self):
        lines = []
        text = "echo 'warning: this takes long' >&2; echo '1 ms simulated, 50 % done' >&2; echo '{}'"
        with unittest.mock.patch.dict(os.environ, WAFERTLM=stub(self.path, text)), self.assertWarnsRegex(wafertlm.WaferTLMWarning, "^this takes long$"):
            with self.assertRaisesRegex(wafertlm.UnexpectedResults, "collective: .*platform"):
                wafertlm.collective("/a.yaml", "all_reduce", progress=lines.append)
        self.assertEqual(lines, ["warning: this takes long", "1 ms simulated, 50 % done"])
        lines.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            wafertlm.run(EXPERIMENT, set=SMALL, progress=lines.append)
        self.assertRegex(lines[-1], r"^wafertlm run: .* s, of processors")

    def test_unknown_fields_are_kept_and_missing_ones_said(self):
        written = json.loads((self.result.folder / "results.json").read_text())
        written["new_field"], written["links"][0]["news"] = {"a": 1}, 2
        (self.path / "results.json").write_text(json.dumps(written))
        newer = wafertlm.read_run(self.path)
        self.assertEqual((newer.other, newer.links[0].other), ({"new_field": {"a": 1}}, {"news": 2}))
        self.assertEqual(newer.as_dict()["new_field"], {"a": 1})
        for change in (lambda: written["links"][3].pop("bytes"), lambda: written.update(notes=3)):
            change()
            (self.path / "results.json").write_text(json.dumps(written))
            with self.assertRaisesRegex(wafertlm.UnexpectedResults, r"links\[3\].*bytes|results.json.notes: expected"):
                wafertlm.read_run(self.path)
            written["links"][3]["bytes"] = 0

    def test_a_collective_is_what_the_program_prints(self):
        rows = wafertlm.collective("fred_d", "all_reduce", ["1MiB", 2 << 20])
        printed = wafertlm.tool_json("collective", "fred_d", "--type", "all_reduce", "--size", "1MiB,2MiB")
        self.assertEqual([row.bytes for row in rows.rows], [1 << 20, 2 << 20])
        self.assertEqual([row.time_ps for row in rows.rows], [row["time_ps"] for row in printed["rows"]])
        self.assertEqual(rows.rows[0].other["groups"], printed["rows"][0]["groups"])
        few = wafertlm.collective(wafertlm.Platform("fred_d"), "all_to_all", npus="0-4", algorithm="direct", traffic_class="mp")
        self.assertEqual((few.class_, few.group_size, few.algorithm), ("mp", 5, "direct"))

    def test_a_study_has_its_cells_also_when_one_fails(self):
        file = self.path / "study.yaml"
        file.write_text(f"""study: two
file: {PACKAGE.parents[1]}/configs/experiments/{EXPERIMENT}.yaml
set: [iterations=1, workload.batch_per_npu=1]
axes:
  - {{axis: end, values: [10 s, 10 us], set: "run.watchdog={{}}"}}
columns:
  - {{column: iteration, read: iteration_time_s, as: time}}
""")
        with self.assertRaisesRegex(wafertlm.RunFailed, "1 of 2 cells failed") as caught:
            wafertlm.study(file)
        good, bad = caught.exception.results.cells
        self.assertEqual((good.at, good.values, good.error), ({"end": "10 s"}, {"iteration": self.result.iteration_time_s}, None))
        self.assertIn("watchdog", bad.error)
        self.assertEqual([record.get("error") for record in caught.exception.results.records()], [None, bad.error])
        file.write_text(file.read_text().replace(", 10 us", ""))
        well = wafertlm.study(file, jobs=1, out=self.path / "out")
        self.assertEqual((len(well.cells), well.cells[0]), (1, good))
        self.assertTrue((self.path / "out/results.csv").exists())

    def test_a_comparison_says_what_changed(self):
        slow = wafertlm.run(EXPERIMENT, set={**SMALL, "wafer.fabric.link_bandwidth": "375 GB/s"})
        both = wafertlm.compare(self.result, slow, out=self.path / "page.html")
        self.assertEqual([run.iteration_time_s for run in both.runs], [self.result.iteration_time_s, slow.iteration_time_s])
        self.assertIn("platform.wafer.fabric.link_bandwidth", [change["key"] for change in both.differences[0].changed])
        self.assertTrue((self.path / "page.html").exists())

    def test_results_do_not_change(self):
        with self.assertRaises(dataclasses.FrozenInstanceError):
            self.result.iteration_time_s = 0

    def test_the_module_runs_the_program(self):
        def module(*words):
            done = subprocess.run([sys.executable, "-m", "wafertlm", *words], capture_output=True, text=True, check=False,
                                  env={**os.environ, "PYTHONPATH": str(PACKAGE)})
            return done.returncode, done.stdout, done.stderr

        self.assertIn("usage: python3 -m wafertlm", module("--help")[1])
        self.assertEqual(module("where")[1].splitlines()[1].split(), ["program", PROGRAM])
        self.assertEqual(module("version")[1].strip(), wafertlm.version())
        self.assertIn("wafer_mesh_5x4", module("presets", "platforms")[1])
        code, _, said = module("check", "/no/such.yaml")
        self.assertEqual((code, said.startswith("wafertlm: /no/such.yaml")), (2, True))


if __name__ == "__main__":
    unittest.main()
