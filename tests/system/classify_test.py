#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wafertlm trace classify` gives traces without classes those that their generator knew:  classify_test.py WAFERTLM"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = sys.argv.pop(1)
WORKLOAD = """workload: w
model: {model: m, transformer: {layers: 4, hidden: 64, heads: 4, sequence: 64, vocabulary: 100}}
parallelism: PARALLELISM
samples_per_replica: 2
microbatches: 2
"""


class Classify(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def tool(self, *words, code=0):
        done = subprocess.run([TOOL, *words], capture_output=True, text=True, check=False, cwd=self.path, env={**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"})
        self.assertEqual(done.returncode, code, (words, done.stdout[-500:], done.stderr))
        return done

    def generated(self, parallelism):
        """Traces of the job without classes. @return how many nodes had each."""
        (self.path / "w.yaml").write_text(WORKLOAD.replace("PARALLELISM", parallelism))
        self.tool("workload", "generate", "w.yaml", "--out", "t", "--form", "json", "--force")
        counts = collections.Counter()
        for file in (self.path / "t").glob("w.*.json"):
            text = file.read_text()
            if "comm_groups" not in file.name:
                counts.update(re.findall(r'"wafertlm_class":"(\w+)"', text))
                file.write_text(re.sub(r',"wafertlm_class":"\w+"', "", text))
        return dict(counts)

    def classify(self, *words):
        return json.loads(self.tool("trace", "classify", "t/w", "--comm-groups", "t/w.comm_groups.json", "--form", "json", "--out", "c/w", "--force", "--json", *words).stdout)

    def test_tensor_data_and_pipeline_parallelism(self):
        for parallelism in ("MP(2)-DP(2)-PP(2)", "MP(4)-DP(2)", "MP(2)-DP(4)-PP(4)"):
            with self.subTest(parallelism=parallelism), tempfile.TemporaryDirectory() as folder:
                self.path = pathlib.Path(folder)
                known = self.generated(parallelism)
                found = self.classify()
                self.assertEqual(found["classes"], known)
                self.assertEqual(found["undecided"], [])
                again = collections.Counter()
                for file in (self.path / "c").glob("w.[0-9]*.json"):
                    again.update(re.findall(r'"wafertlm_class":"(\w+)"', file.read_text()))
                self.assertEqual(dict(again), known)

    def test_what_cannot_be_told_is_named_and_can_be_given(self):
        known = self.generated("DP(8)")
        refused = self.tool("trace", "classify", "t/w", "--comm-groups", "t/w.comm_groups.json", "--out", "c/w", code=2).stderr
        self.assertIn("no class can be told", refused)
        self.assertIn("may be of tensor or of data parallelism", refused)
        self.assertFalse((self.path / "c").exists())
        self.assertEqual(self.classify("--classes", "dp=8")["classes"], known)
        (self.path / "classes.yaml").write_text("classes: mine\ngroups: [{group: '*', class: dp}]\n")
        self.assertEqual(self.classify("--classes", "classes.yaml")["classes"], known)
        self.tool("check", "classes.yaml")
        for words, why in ((["--classes", "dp=3"], "the axes are of 3 ranks"), (["--classes", "dp"], "expected auto"), (["--classes", "none.yaml"], "no such file")):
            self.assertIn(why, self.tool("trace", "classify", "t/w", "--comm-groups", "t/w.comm_groups.json", "--out", "x/w", *words, code=2).stderr)


if __name__ == "__main__":
    unittest.main()
