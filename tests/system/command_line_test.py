#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What all commands take, and the presets as an editor sees them:  command_line_test.py WAFERTLM"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from documents import without_host  # pylint: disable=wrong-import-position

TOOL = sys.argv.pop(1)
CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
PLATFORM = str(CONFIGS / "platforms/wafer_mesh_5x4.yaml")
COLLECTIVE = ["collective", PLATFORM, "--type", "all_reduce", "--size", "64KiB"]
TRAFFIC = ["traffic", PLATFORM, "--load", "0.05", "--packet", "1020B", "--warmup-packets", "50", "--measure", "50"]
EXPERIMENT = ("experiment: e\nplatform: {platform: p, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s, link_latency: 20 ns}}}\n"
              "workload: {layers: resnet50, data_parallel: 2, batch_per_npu: 1, effective_rate: 400 TFLOPS}\n")


def tool(*arguments, code=0, **more):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "e.yaml").write_text(EXPERIMENT)
        self.run_words = ["run", self.path / "e.yaml", "--out", self.path / "out"]

    def test_json_has_one_meaning(self):
        """Of commands that used to print it, and of those that wrote it."""
        file = self.path / "x.json"
        for words in (COLLECTIVE, TRAFFIC, ["model", "fred", "counts", "--ports", "2-4", "--m", "2"]):
            with self.subTest(words=words[0]):
                printed = tool(*words, "--json").stdout
                document = without_host(json.loads(printed))
                self.assertEqual(without_host(json.loads(tool(*words, "--json", "-").stdout)), document)
                for to in (["--json", file], [f"--json={file}"]):
                    file.unlink(missing_ok=True)
                    self.assertNotIn("{", tool(*words, *to).stdout)
                    self.assertEqual(without_host(json.loads(file.read_text())), document)
        other = self.path / "document"
        tool(*COLLECTIVE, f"--json={other}")
        json.loads(other.read_text())
        results = json.loads(tool(*self.run_words, "--json", "-").stdout)
        self.assertEqual(results, json.loads((self.path / "out/results.json").read_text()))

    def test_json_that_cannot_be_written(self):
        for words in (COLLECTIVE, TRAFFIC, self.run_words):
            self.assertIn("--json", tool(*words, "--json", self.path / "none/x.json", code=2).stderr)
        file = self.path / "x.json"
        file.write_text("before")
        tool("collective", PLATFORM, "--type", "nonsense", "--size", "1KiB", "--json", file, code=2)
        self.assertEqual(file.read_text(), "before")
        self.assertEqual(sorted(each.name for each in self.path.iterdir()), ["e.yaml", "x.json"])
        self.assertIn("--json", tool(*COLLECTIVE, "--json=", code=2).stderr)
        # A word behind it that is no file of JSON is not taken.
        json.loads(tool("collective", "--json", *COLLECTIVE[1:]).stdout)

    def test_quiet_and_verbose(self):
        self.assertIn("Iteration", tool(*self.run_words).stdout)
        for flag in ("-q", "--quiet"):
            done = tool(flag, *self.run_words)
            self.assertEqual((done.stdout, done.stderr), ("", ""))
        self.assertTrue((self.path / "out/results.json").exists())
        self.assertIn("rows", json.loads(tool(*COLLECTIVE, "-q", "--json").stdout))
        self.assertIn("wafertlm: ", tool("run", self.path / "none.yaml", "-q", code=2).stderr)
        for flag in ("-v", "--verbose"):
            self.assertRegex(tool(*self.run_words, flag).stderr, r"^wafertlm run: [0-9.]+ s, of processors [0-9.]+ s, [1-9][0-9]* MB at most\n$")
        self.assertIn("-q", tool(*self.run_words, "-q", "-v", code=2).stderr)
        for word in ("--quiet", "--verbose", "--no-color", "NO_COLOR"):
            self.assertIn(word, tool("--help").stdout)

    def on_a_terminal(self, *words, **environment):
        """What a command prints there."""
        ours, its = pty.openpty()
        process = subprocess.Popen([TOOL, *map(str, words)], stdout=its, stderr=its, env={**os.environ, **environment})
        os.close(its)
        printed = b""
        try:
            while chunk := os.read(ours, 65536):
                printed += chunk
        except OSError:  # the terminal's other end is closed
            pass
        self.assertEqual(process.wait(), 0, printed)
        os.close(ours)
        return printed.decode()

    def test_colours(self):
        tool(*self.run_words)
        tool("run", self.path / "e.yaml", "--out", self.path / "other", "--set", "wafer.fabric.link_bandwidth=50 GB/s")
        words = ["compare", self.path / "out", self.path / "other", "--out", self.path / "c.html"]
        self.assertIn("\033[31m", self.on_a_terminal(*words))
        for plain in (self.on_a_terminal(*words, "--no-color"), self.on_a_terminal(*words, NO_COLOR="1"), tool(*words).stdout):
            self.assertNotIn("\033", plain)

    def test_presets_that_are_not_there(self):
        message = tool("presets", code=2, env={**os.environ, "WAFERTLM_CONFIGS": "/none"}).stderr
        self.assertIn("/none", message)
        self.assertIn("WAFERTLM_CONFIGS", message)
        tool("new", "experiment", "x", "--out", self.path / "x.yaml", env={**os.environ, "WAFERTLM_CONFIGS": "/none"})
        self.assertIn("wafer_mesh_5x4", tool("check", self.path / "x.yaml", code=2, env={**os.environ, "WAFERTLM_CONFIGS": "/none"}).stderr)

    def test_presets_name_their_schema(self):
        """The build writes it where they say; it is what `wafertlm schema` prints."""
        schema = tool("schema").stdout
        for file in sorted(CONFIGS.rglob("*.yaml")):
            text = file.read_text()
            if "Written by: wafertlm" in text:
                continue
            named = re.search(r"^# yaml-language-server: \$schema=(\S+)$", text, re.M)
            self.assertTrue(named, file)
            self.assertEqual((file.parent / named[1]).resolve(), CONFIGS / "wafertlm.schema.json", file)
        written = CONFIGS / "wafertlm.schema.json"
        if written.exists():
            self.assertEqual(written.read_text(), schema)
        for kind in ("platform", "workload", "experiment"):
            tool("new", kind, "x", "--out", self.path / "n.yaml", "--force")
            self.assertIn("# yaml-language-server: $schema=", (self.path / "n.yaml").read_text())


if __name__ == "__main__":
    unittest.main()
