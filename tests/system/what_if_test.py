#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `wafertlm explain` claims about single changes, against runs with them:  what_if_test.py WAFERTLM"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
CASES = int(os.environ.get("WAFERTLM_CASES", "2"))
CLAIMS_RUN = 8  # of each case and kind


def tool(*arguments, code=0):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return done


def random_experiment(seed):
    """A small wafer and a transformer on it, or layers of a table."""
    draw = random.Random(seed)
    width, height = draw.choice([(2, 2), (4, 1), (2, 1)])
    npus = width * height
    mp = draw.choice([each for each in (1, 2) if npus % each == 0])
    return (
        "experiment: e\nplatform:\n  platform: p\n  wafer:\n"
        f"    width: {width}\n    height: {height}\n    fabric:\n"
        f"      link_bandwidth: {draw.randint(20, 400)} GB/s\n      link_latency: {draw.randint(1, 200)} ns\n"
        f"      injection_bandwidth: {draw.randint(30, 900)} GB/s\n      ejection_bandwidth: {draw.randint(30, 900)} GB/s\n"
        f"workload:\n  model: {{model: m, transformer: {{layers: 2, hidden: {draw.choice((64, 128))}, heads: 4, sequence: 64, vocabulary: 256}}}}\n"
        f"  parallelism: MP({mp})-DP({npus // mp})-PP(1)\n  samples_per_replica: 4\n  microbatches: 2\n"
        f"  effective_flops: {draw.randint(1, 40)} TFLOPS\n"
        f"iterations: {draw.randint(1, 2)}\n")


def settings_of(change):
    return ([change["with"]] if change["with"] else []) + [f"{change['key']}={change['to']}"]


class WhatIf(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def run_of(self, text):
        (self.path / "e.yaml").write_text(text)
        tool("run", self.path / "e.yaml", "--out", self.path / "out")
        return json.loads((self.path / "out/results.json").read_text())["iterations"][-1]["time_ps"]

    def explained(self, *options):
        return json.loads(tool("explain", self.path / "out", "--limit", "600s", "--json", "-", *options).stdout)

    def with_settings(self, *settings):
        """The last iteration of the resolved experiment with these settings."""
        words = [word for each in settings for word in ("--set", each)]
        tool("run", self.path / "out/resolved.yaml", *words, "--out", self.path / "changed")
        return json.loads((self.path / "changed/results.json").read_text())["iterations"][-1]["time_ps"]

    def test_claims_are_runs(self):
        for seed in range(CASES):
            with self.subTest(seed=seed):
                base = self.run_of(random_experiment(seed))
                found = self.explained()["what_if"]
                self.assertEqual((found["iteration_ps"], found["not_tried"]), (base, 0))
                self.assertTrue(found["savings"])
                draw = random.Random(seed)
                savings = [each["saved_ps"] for each in found["savings"]]
                self.assertEqual(savings, sorted(savings, reverse=True))
                claims = [(settings_of(each), base, each) for each in found["savings"] + found["without_saving"]
                          if each["problem"] is None]
                sides = [([f"{row['key']}={row[side]['to']}"], base, row[side]) for row in found["sensitivity"]
                         for side in ("less", "more") if row[side] and row[side]["problem"] is None]
                pairs = [(settings_of(each) + settings_of(each["then"]), each["iteration_ps"], each["then"])
                         for each in found["savings"] if each["then"]]
                for kind in (claims, sides, pairs):
                    for settings, before, claim in draw.sample(kind, min(len(kind), CLAIMS_RUN)):
                        last = {each.split("=")[0]: each for each in settings}  # more of the same: the second holds
                        time = self.with_settings(*last.values())
                        self.assertEqual((claim["iteration_ps"], claim["saved_ps"]), (time, before - time), settings)
                effects = [max([abs(row[side]["saved_ps"]) for side in ("less", "more") if row[side] and row[side]["problem"] is None] or [0])
                           for row in found["sensitivity"]]
                self.assertEqual(effects, sorted(effects, reverse=True))

    def test_what_takes_the_time_is_tried_first(self):
        """Computation is nearly all: an NPU twice as fast, with the peak that it needs, comes first, also with a few trials only."""
        self.run_of("experiment: e\nplatform: {platform: p, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 750 GB/s}}, npu: {peak: 500 TFLOPS}}\n"
                    "workload: {layers: resnet50, data_parallel: 2, batch_per_npu: 64, effective_rate: 400 TFLOPS}\n")
        for options in ([], ["--trials", 3]):
            first = self.explained(*options)["what_if"]["savings"][0]
            self.assertEqual((first["key"], first["to"], first["with"], first["of"]),
                             ("workload.effective_rate", "800 TFLOPS", "npu.peak=800 TFLOPS", "platform"))
        self.assertRegex(tool("explain", self.path / "out", "--quick").stdout, r"\nIts critical path: compute 9\d\.\d\d %, ")

    def test_every_numeric_key_is_there(self):
        self.run_of(random_experiment(1))
        keys = {row["key"]: row for row in self.explained()["what_if"]["sensitivity"]}
        for key in ("wafer.fabric.link_bandwidth", "wafer.fabric.link_latency", "wafer.width", "npu.peak", "run.watchdog",
                    "workload.model.transformer.hidden", "workload.samples_per_replica", "iterations", "wafer.fabric.classes[0].vc"):
            self.assertIn(key, keys)
        for key in ("wafer.fabric.kind", "npu.hbm.level", "collectives.algorithm", "experiment"):
            self.assertNotIn(key, keys)
        # Zero has no tenth; a whole number moves by one at least.
        self.assertIsNone(keys["wafer.fabric.injection_latency"]["less"])
        self.assertEqual([keys["wafer.width"][side]["to"] for side in ("less", "more")],
                         [str(int(keys["wafer.width"]["value"]) + step) for step in (-1, 1)])

    def test_a_known_case(self):
        """One all-reduce over a link of 100 GB/s with nothing beside it: half of its time goes when the link is twice as fast."""
        self.run_of("experiment: e\nplatform: {platform: p, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s, link_latency: 20 ns, "
                    "injection_bandwidth: 9 PB/s, ejection_bandwidth: 9 PB/s}}}\n"
                    "workload: {layers: resnet50, data_parallel: 2, batch_per_npu: 1, effective_rate: 400 TFLOPS, overlap: false, bucket_bytes: 1 GB}\n")
        text = tool("explain", self.path / "out", "--limit", "600s", "--json", self.path / "x.json").stdout
        found = json.loads((self.path / "x.json").read_text())["what_if"]
        first = next(each for each in found["savings"] if each["of"] == "platform")
        self.assertEqual((first["key"], first["to"], first["of"], first["factor"]), ("wafer.fabric.link_bandwidth", "200 GB/s", "platform", 2.0))
        # 25,557,032 parameters of 2 bytes in a ring of two: each sends and gets half twice.
        self.assertAlmostEqual(first["saved_ps"] / (2 * 25_557_032 * 10 / 2), 1, delta=0.01)
        self.assertRegex(text, r"\n  1\. 'wafer\.fabric\.link_bandwidth=200 GB/s' \(it is 100 GB/s\) saves ")
        self.assertIn("\nHow the iteration changes if a value is a tenth less, and a tenth more:\n", text)
        cannot = text[text.index("What cannot help"):]
        self.assertIn("npu.hbm.capacity", cannot)
        self.assertNotIn("wafer.fabric.link_bandwidth", cannot[:cannot.index("\nWhat ")])

    def test_time_and_pages(self):
        self.run_of(random_experiment(2))
        page = self.path / "explain.html"
        tool("explain", self.path / "out", "--jobs", 1, "--limit", "600s", "--out", page)
        data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page.read_text(), re.S)[1])
        self.assertEqual(set(data), {"explain"})
        self.assertTrue(data["explain"]["what_if"]["sensitivity"])
        found = json.loads(tool("explain", self.path / "out", "--limit", "600s", "--trials", 3, "--json", "-").stdout)["what_if"]
        self.assertEqual(found["simulated"], 3)
        self.assertGreater(found["not_tried"], 0)
        for words in (["--limit", "0 s"], ["--trials", "0"], ["--limit", "soon"], ["--quick", "--out", page], ["--jobs", "0"]):
            self.assertIn("--", tool("explain", self.path / "out", *words, code=2).stderr)
        self.assertIsNone(self.explained("--quick")["what_if"])


if __name__ == "__main__":
    unittest.main()
