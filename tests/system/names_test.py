#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Presets by name: in every command, in --set and in YAML, far from the folder of the presets:  names_test.py WAFERTLM"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
ENVIRONMENT = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
# Of every command whose argument is a file with presets: a preset, and what makes it short.
USES = {"run": "resnet50_dp20_mesh_5x4 --out o --set iterations=1", "collective": "fred_d --type all_reduce --size 1M", "synthesize": "wafer_mesh_5x4 --type all_gather --npus 0-3 --size 64K --out a.xml",
        "traffic": "wafer_mesh_5x4 --packet 3072B --load 0.05 --measure 50 --warmup-packets 50", "check": "link_bandwidth", "optimize": "link_bandwidth --limit 0.1s --out p --evaluations 3 --set workload.batch_per_npu=1",
        "comet": "comet_transformer_1t --point MP8_DP128", "pipeline": "pipeline_small", "partition": "partition_small", "precision": "precision_training", "yield": "wafer_20x20 --set wafers=100", "goodput": "llama3_405b --set seeds=2", "tune": "tune_golden",
        "study": "comet_network --out s", "workload show": "gpt3_streamed", "workload generate": "resnet50_dp20 --out w --set data_parallel=2", "model fred routes": "fred_d --parallelism MP(2)-DP(2)",
        "model memory-engine": "mesh_memory_engine --accesses 100", "trace export": "resnet50_dp20_mesh_5x4 --out k"}
EXPERIMENT = "experiment: by name\nplatform: {platform}\nworkload: {workload}\niterations: 1\n"


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def tool(self, *words, code=0):
        done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False, cwd=self.path, env=ENVIRONMENT)
        self.assertEqual(done.returncode, code, (words, done.stdout[-500:], done.stderr))
        return done

    def write(self, name, text):
        (self.path / name).write_text(text)
        return name

    def names(self, file):
        results = json.loads(self.tool("run", file, "--out", "out", "--json", "-").stdout)
        return results["platform"], results["workload"]

    def test_every_command_finds_presets(self):
        tree = json.loads(self.tool("man", "--json").stdout)

        def with_files(command):
            for option in command["options"]:
                if option["positional"] and option["names"][0] in ("EXPERIMENT", "PLATFORM", "WORKLOAD", "STUDY", "FILE", "RUN"):
                    yield command["command"][len("wafertlm "):]
            for each in command["commands"]:
                yield from with_files(each)

        self.assertEqual(set(with_files(tree)), set(USES))
        for command, words in USES.items():
            with self.subTest(command=command):
                self.tool(*command.split(), *words.split())

    def test_yaml_and_overrides_name_presets(self):
        file = self.write("e.yaml", EXPERIMENT.format(platform="wafer_mesh_5x4", workload="resnet50_dp20"))
        mesh = self.names(file)
        self.assertEqual(mesh[1], "ResNet-50, data parallel on 20 NPUs")
        fred = json.loads(self.tool("run", file, "--set", "platform=fred_d", "--out", "fred", "--json", "-").stdout)
        self.assertEqual(fred["platform"], "FRED-D")
        again = json.loads(self.tool("run", "fred/resolved.yaml", "--out", "again", "--json", "-").stdout)
        self.assertEqual(again["iteration_time_s"], fred["iteration_time_s"])
        self.write("mine.yaml", "extends: fred_d\nplatform: mine\nnpu: {hbm: {level: flow, efficiency: hbm3, generation: hbm3, stacks: 4, capacity: 60 GB}}\n")
        for body in ("platform: {extends: fred_d, platform: inside}", "platform: mine.yaml"):
            self.write("x.yaml", f"experiment: x\n{body}\nworkload: {{extends: resnet50_dp20, batch_per_npu: 1}}\niterations: 1\n")
            self.tool("check", "x.yaml")
        self.assertIn("endpoint: RDMA write", self.tool("check", "e.yaml", "--resolved", "--set", "npu.endpoint=rdma").stdout.replace('"', ""))
        model = "workload: w\nmodel: {}\nparallelism: DP(2)\nsamples_per_replica: 1\nmicrobatches: 1\nduration_per_layer: x\n"
        refused = self.tool("check", self.write("w.yaml", model.format("gpt33")), code=2).stderr
        self.assertIn("did you mean 'gpt3'?", refused)
        self.assertNotIn("w.yaml'?", refused)
        study = "study: s\nfile: resnet50_dp20_mesh_5x4\naxes:\n  - {axis: platform, values: [fred_c, fred_d], set: \"platform={}\"}\ncolumns:\n  - {column: time, read: iteration_time_s, as: time}\n"
        self.tool("study", self.write("s.yaml", study), "--out", "s", "--set", "iterations=1")
        self.assertEqual(len(json.loads((self.path / "s/results.json").read_text())["cells"]), 2)

    def test_a_file_of_that_name_goes_before(self):
        self.write("fred_d", "platform: from here\nwafer: {width: 5, height: 4, fabric: {link_bandwidth: 1 TB/s, link_latency: 20 ns}}\n")
        file = self.write("e.yaml", EXPERIMENT.format(platform="fred_d", workload="resnet50_dp20"))
        self.assertEqual(self.names(file)[0], "from here")
        done = self.tool("check", "fred_d", "-v")
        self.assertIn("from here", done.stdout)
        self.assertIn("note: fred_d is the file here, not the preset", done.stderr)
        self.assertNotIn("note", self.tool("check", "fred_d").stderr)

    def test_names_of_two_kinds(self):
        """A workload and a model are called llama3_8b; what extends it says which."""
        self.tool("check", self.write("m.yaml", "extends: llama3_8b\nmodel: mine\n"))
        self.assertIn("workload", self.tool("check", self.write("w.yaml", "extends: llama3_8b\nworkload: mine\n")).stdout)
        self.assertIn("'extends' names", self.tool("check", self.write("n.yaml", "extends: nosuch\nworkload: mine\n"), code=2).stderr)

    def test_new_files_have_no_absolute_paths(self):
        for kind in ("platform", "workload", "experiment"):
            self.tool("new", kind, "x", "--out", f"{kind}.yaml")
            self.tool("check", f"{kind}.yaml")
            for word in (self.path / f"{kind}.yaml").read_text().split():
                self.assertFalse(word.startswith("/") or "=/" in word, (kind, word))


if __name__ == "__main__":
    unittest.main()
