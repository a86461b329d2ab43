#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wafertlm compare`: settings, causes and collectives against the results themselves:  compare_test.py WAFERTLM"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
EXPERIMENT = """experiment: e
platform:
  platform: p
  wafer:
    width: 2
    height: 2
    fabric: {link_bandwidth: {value: 100 GB/s, provenance: "P: a paper"}, link_latency: 20 ns}
workload: {layers: resnet50, data_parallel: 4, batch_per_npu: 4, effective_rate: 400 TFLOPS, bucket_bytes: 10 MiB}
iterations: 2
"""


def tool(*arguments, code=0):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return done


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "e.yaml").write_text(EXPERIMENT)
        for name, settings in {"a": [], "b": ["wafer.fabric.link_bandwidth=50 GB/s"],
                               "c": ["wafer.fabric.link_bandwidth=200 GB/s", "workload.batch_per_npu=8"],
                               "d": ["workload.bucket_bytes=100 MiB"]}.items():
            words = [word for each in settings for word in ("--set", each)]
            tool("run", cls.path / "e.yaml", "--out", cls.path / name, *words)
        cls.results = {name: json.loads((cls.path / name / "results.json").read_text()) for name in "abcd"}

    def compared(self, *names):
        done = tool("compare", *[self.path / name for name in names], "--out", self.path / "c.html", "--json", "-")
        return json.loads(done.stdout)["differences"]

    def test_the_causes_sum_exactly(self):
        for row, name in zip(self.compared(*"abcd"), "bcd"):
            fall = row["waterfall"]
            before, after = (self.results[each]["iterations"][-1] for each in ("a", name))
            self.assertEqual((fall["first_ps"], fall["this_ps"]), (before["time_ps"], after["time_ps"]))
            self.assertEqual(fall["change_ps"], after["time_ps"] - before["time_ps"])
            self.assertEqual(sum(part["change_ps"] for part in fall["parts"]), fall["change_ps"])
            for part in fall["parts"]:
                key = part["name"].replace("exposed_", "")
                self.assertEqual((part["first_ps"], part["this_ps"]), (before["breakdown_ps"].get(key, 0), after["breakdown_ps"].get(key, 0)))
            names = [part["name"] for part in fall["parts"]]
            self.assertEqual(names, sorted(names, key=lambda name: (name != "compute", name == "idle")))
            self.assertLessEqual({"compute", "exposed_dp"}, set(names))

    def test_changed_settings_have_their_origin(self):
        b, c, d = self.compared(*"abcd")
        self.assertEqual(b["changed"], [{"key": "platform.wafer.fabric.link_bandwidth", "first": {"value": "100 GB/s", "origin": "P: a paper"},
                                         "this": {"value": "50 GB/s", "origin": "--set"}}])
        self.assertEqual([row["key"] for row in c["changed"]], ["platform.wafer.fabric.link_bandwidth", "workload.batch_per_npu"])
        self.assertEqual(c["changed"][1]["first"], {"value": "4", "origin": "e.yaml:8"})
        self.assertEqual([row["key"] for row in d["changed"]], ["workload.bucket_bytes"])
        self.assertEqual(self.compared("a", "a")[0]["changed"], [])

    def test_a_key_of_one_run_only(self):
        tool("run", self.path / "e.yaml", "--out", self.path / "f", "--set", "wafer.io={controllers: perimeter, bandwidth: 10 GB/s}", "--set", "collectives.algorithm=ring")
        keys = {row["key"]: row for row in self.compared("a", "f")[0]["changed"]}
        self.assertLessEqual({"platform.wafer.io.bandwidth", "platform.collectives.algorithm"}, set(keys))
        self.assertEqual(keys["platform.wafer.io.bandwidth"]["this"]["value"], "10 GB/s")

    def test_collectives_are_matched_and_sorted(self):
        b, c, d = (row["collectives"] for row in self.compared(*"abcd"))
        count = len(self.results["a"]["collectives"])
        self.assertEqual((len(b["matched"]), b["only_first"], b["only_this"]), (count, 0, 0))
        changes = [abs(row["change_ps"]) for row in b["matched"]]
        self.assertEqual(changes, sorted(changes, reverse=True))
        of = lambda name: sorted((each["bytes"], each["time_ps"]) for each in self.results[name]["collectives"])
        self.assertEqual(sorted((row["bytes"], row["first_ps"]) for row in b["matched"]), of("a"))
        self.assertEqual(sorted((row["bytes"], row["this_ps"]) for row in b["matched"]), of("b"))
        # Other buckets are other collectives.
        self.assertEqual((len(d["matched"]), d["only_first"], d["only_this"]), (0, count, len(self.results["d"]["collectives"])))

    def test_links_are_matched_by_name(self):
        links = self.compared("a", "b")[0]["links"]
        busy = {name: {each["name"]: round(each["busy_fraction"] * self.results[name]["simulation"]["end_s"] * 1e12) for each in self.results[name]["links"]} for name in "ab"}
        self.assertEqual({row["name"] for row in links}, {name for name in busy["a"] if busy["a"][name] != busy["b"][name]})
        for row in links:
            self.assertEqual((row["first_ps"], row["this_ps"]), (busy["a"][row["name"]], busy["b"][row["name"]]))
        changes = [abs(row["change_ps"]) for row in links]
        self.assertEqual(changes, sorted(changes, reverse=True))
        self.assertIn("router", links[0]["name"])  # half the bandwidth: these are busy twice as long
        self.assertAlmostEqual(links[0]["this_ps"] / links[0]["first_ps"], 2, delta=0.01)
        self.assertEqual(self.compared("a", "a")[0]["links"], [])

    def test_what_is_the_same_is_not_listed(self):
        # Another time of computing: what links carry and how long is the same, the run's end is not.
        tool("run", self.path / "e.yaml", "--out", self.path / "g", "--set", "workload.effective_rate=173 TFLOPS")
        row = self.compared("a", "g")[0]
        self.assertNotEqual(row["waterfall"]["change_ps"], 0)
        self.assertEqual([link for link in row["links"] if link["change_ps"] == 0 and link["first_bytes"] == link["this_bytes"]], [])
        text = tool("compare", self.path / "a", self.path / "g", "--out", self.path / "c.html").stdout
        self.assertNotRegex(text, r"[ +-]0 ps ")

    def test_sampling_is_named_where_something_was_sampled(self):
        page = (self.path / "n.html")
        text = tool("compare", self.path / "a", self.path / "b", "--out", page).stdout
        self.assertNotIn("95 %", text)

    def test_text_and_page(self):
        text = tool("compare", self.path / "a", self.path / "b/results.json", "--out", self.path / "c.html").stdout
        self.assertIn("  changed settings:\n    platform.wafer.fabric.link_bandwidth: 100 GB/s (P: a paper) -> 50 GB/s (--set)\n", text)
        self.assertLess(text.index("changed settings"), text.index("the last iteration:"))
        self.assertLess(text.index("the last iteration:"), text.index("  collectives: "))
        self.assertRegex(text, r"\n    exposed_dp +\+[0-9.]+ us   \(")
        self.assertRegex(text, r"\n  busy time of links: \d+ links changed; the largest differences\n +\+[0-9.]+ us   \([0-9.]+ us -> [0-9.]+ [um]s\) router\d->router\d\n")
        self.assertRegex(text, r"  collectives: \d+ of \d+ that both have take another time")
        data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', (self.path / "c.html").read_text(), re.S)[1])
        self.assertEqual(data["differences"], self.compared("a", "b"))
        (self.path / "alone.json").write_text((self.path / "b/results.json").read_text())
        self.assertIn("settings: not compared", tool("compare", self.path / "a", self.path / "alone.json", "--out", self.path / "c.html").stdout)


if __name__ == "__main__":
    unittest.main()
