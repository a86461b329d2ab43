#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One grammar of the command line: names of options, --json of every command, help, sizes:  grammar_test.py WAFERTLM"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
for other in ("tests/robustness", "tests/support"):
    sys.path.insert(0, str(ROOT / other))
import commands  # pylint: disable=wrong-import-position
from documents import without_host  # pylint: disable=wrong-import-position

TOOL = sys.argv.pop(1)
ENVIRONMENT = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}

# A small use of every command that does something. {} is a new file or folder. None: it needs what is not always there.
USES = {
    "run": "in/e.yaml --out {}", "collective": "in/p.yaml --type all_reduce --size 64K", "traffic": "in/p.yaml --packet 1KiB --load 0.05 --measure 50 --warmup-packets 50",
    "astra-sim": "--convert --system-configuration in/system.json --network-configuration in/network.yml --out {}", "compare": "in/done in/done --out {}",
    "explain": "in/done --quick", "validate": "clusters --only hw059", "new": "platform p --out {}", "presets": "fred", "keys": "link_bandwidth", "check": "in/e.yaml", "schema": "run",
    "study": "in/s.yaml --out {}", "study status": "in/study", "study resume": "in/study", "optimize": "in/e.yaml --vary wafer.fabric.link_latency=20..40:20ns --out {}",
    "synthesize": "in/p.yaml --type all_reduce --size 64K --out {}", "tune": "tune_golden", "libra": None, "comet": "comet_transformer_1t --point MP8_DP128",
    "pipeline": "pipeline_small", "partition": "partition_small", "precision": "precision_training", "yield": "wafer_20x20 --set wafers=100", "goodput": "llama3_405b --set seeds=2", "trace info": "in/traces/w", "trace check": "in/traces/w",
    "trace convert": "in/traces/w --form json --out {}", "trace import": "--kineto in/kineto0.json in/kineto1.json --missing-at-most 100 --out {}",
    "trace synthesize": "in/traces/w --identical 1000000 --out {}", "trace stats": "in/traces/w", "trace edit": "in/traces/w --repeat 2 --out {}",
    "trace obfuscate": "in/traces/w --out {}", "trace export": "in/done --out {}", "trace diff": "in/logged in/logged", "trace classify": "in/plain/w --classes dp=4 --out {}",
    "workload generate": "in/w.yaml --out {}", "workload show": "in/w.yaml", "model fred routes": "--parallelism MP(2)-DP(2)", "model fred counts": "--ports 2-3 --m 2",
    "model memory compare": "hbm2 --every 192", "model memory table": None, "model memory stream": "hbm3 --requests 100", "model memory-engine": "mesh_memory_engine --accesses 100", "model cores collective": "wse2 --cores 8x4",
    "model cores product": "wse2 --cores 8x8 --shape 64x64", "model cores decoder": "wse2 --cores 8x8 --d-model 64 --d-ff 96 --n-layers 2 --tokens 32",
    "rtl designs": "", "rtl replay": None, "rtl export": None, "rtl stress": None, "completion": "bash", "man": "run", "help": "trace info"}


def tool(*arguments, code=0, **more):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False, env=ENVIRONMENT, **more)
    assert done.returncode == code, (arguments, done.returncode, done.stdout[-500:], done.stderr)
    return done


def walk(command):
    yield command
    for each in command["commands"]:
        yield from walk(each)


class Grammar(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        commands.Tool(TOOL).make_inputs(cls.path)
        inputs = cls.path / "in"
        (inputs / "system.json").write_text('{"all-reduce-implementation": ["ring"]}')
        (inputs / "network.yml").write_text("topology: [ Ring ]\nnpus_count: [ 4 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n")
        tool("study", "in/s.yaml", "--out", "in/study", "--jobs", 1, cwd=cls.path)
        tool("run", "in/e.yaml", "--out", "in/logged", "--log", "operations_0", cwd=cls.path)
        tool("trace", "convert", "in/traces/w", "--form", "json", "--out", "in/plain", cwd=cls.path)
        for file in (inputs / "plain").glob("*.json"):  # as others write them, without classes
            file.write_text(re.sub(r',"wafertlm_class":"\w+"', "", file.read_text()))
        cls.tree = json.loads(tool("man", "--json").stdout)
        cls.leaves = [each for each in walk(cls.tree) if each["command"] != "wafertlm" and (not each["commands"] or each["command"] == "wafertlm study")]

    def test_an_option_has_one_meaning(self):
        """The same type everywhere, and the same beginning of its description, which ends at a colon."""
        seen = {}
        for command in walk(self.tree):
            for option in command["options"]:
                if option["positional"] or command["command"] == "wafertlm":
                    continue
                for name in option["names"]:
                    seen.setdefault(name, []).append((command["command"], option["value"], option["description"]))
        self.assertGreater(len(seen), 100)
        for name, uses in seen.items():
            with self.subTest(option=name):
                self.assertEqual(len({value for _, value, _ in uses}), 1, uses)
                self.assertEqual(len({text.split(": ")[0] for _, _, text in uses}), 1, uses)

    def test_shared_options_are_where_they_belong(self):
        names = {each["command"][len("wafertlm "):]: {name for option in each["options"] for name in option["names"]} for each in self.leaves}
        self.assertEqual({command for command, have in names.items() if "--json" not in have}, set())
        self.assertGreaterEqual(len(names), 46)
        for command, have in names.items():
            self.assertEqual("-o" in have, "--out" in have, command)
        for command in ("run", "collective", "traffic", "study", "optimize", "synthesize", "tune", "libra", "comet", "pipeline", "partition", "yield", "goodput", "check", "workload show",
                        "workload generate", "astra-sim", "model fred routes", "model memory-engine"):
            self.assertIn("--set", names[command], command)
        for command in ("study", "optimize", "explain", "traffic", "tune", "libra"):
            self.assertIn("--jobs", names[command], command)

    def test_every_command_writes_json(self):
        self.assertEqual(set(USES), {each["command"][len("wafertlm "):] for each in self.leaves})
        for command, use in USES.items():
            if use is None:
                continue
            with self.subTest(command=command):
                def words(name):
                    return [*command.split(), *[word.replace("{}", f"new/{command.replace(' ', '_')}_{name}") for word in use.split()]]
                document = json.loads(tool(*words("printed"), "--json", cwd=self.path).stdout)
                self.assertTrue(document)
                tool(*words("file"), "--json", "x.json", cwd=self.path)
                written = json.loads((self.path / "x.json").read_text())
                if use.count("{}") == 0 and command not in ("traffic", "explain", "model memory stream", "study status", "study resume"):
                    self.assertEqual(without_host(written), without_host(document))
                self.assertEqual(set(written), set(document))

    def test_help(self):
        for words in (["run"], ["trace", "info"], []):
            self.assertEqual(tool("help", *words).stdout, tool(*words, "--help").stdout)
        self.assertIn("did you mean 'trace'?", tool("help", "trase", code=2).stderr)
        self.assertEqual(tool("-V").stdout, tool("--version").stdout)
        text = tool("--help").stdout
        groups = re.findall(r"^([A-Z][a-z]+):$", text, re.M)
        self.assertEqual([each for each in groups if each != "Options"], ["Run", "Look", "Build", "Explore", "Traces", "Models", "Tool"])
        self.assertLess(text.index("\nRun:"), text.index("\n  run "))
        self.assertLess(text.index("\n  collective "), text.index("\nLook:"))
        self.assertNotRegex(tool("man", "run").stdout, r"help\\fR \\fI")

    def test_an_option_that_is_called_otherwise_now_is_named(self):
        for words, now in ((["libra", "--trace", "x"], "--chakra"), (["optimize", "e.yaml", "--host-seconds", "5"], "--limit"), (["rtl", "stress", "d", "--seconds", "5"], "--limit"),
                           (["trace", "import", "--kineto", "k", "--report", "r"], "--timeline")):
            self.assertIn(f"it is called {now} now", tool(*words, code=2).stderr)

    def test_sizes_as_nccl_tests_writes_them(self):
        rows = {size: json.loads(tool("collective", "in/p.yaml", "--type", "all_reduce", "--size", size, "--json", cwd=self.path).stdout)["rows"]
                for size in ("1K:4K:2", "1KiB:4KiB:2", "1024:4096:2")}
        self.assertEqual(rows["1K:4K:2"], rows["1KiB:4KiB:2"])
        self.assertEqual(rows["1K:4K:2"], rows["1024:4096:2"])
        edited = [json.loads(tool("trace", "edit", "in/traces/w", "--split", size, "--out", f"split/{size}", "--json", cwd=self.path).stdout)["split"]
                  for size in ("1M", "1048576")]
        self.assertEqual(edited[0], edited[1])
        self.assertGreater(edited[0], 0)
        self.assertIn("1.5X", tool("trace", "edit", "in/traces/w", "--split", "1.5X", "--out", "x", code=2, cwd=self.path).stderr)

    def test_keys_are_found_by_a_word(self):
        found = json.loads(tool("keys", "link_bandwidth", "--json").stdout)["keys"]
        key = next(each for each in found if each["path"] == "wafer.fabric.link_bandwidth")
        self.assertEqual((key["kind"], key["unit"], key["default"]), ("platform", "bandwidth", "required"))
        self.assertTrue(key["description"] and "GB/s" in key["value"])
        self.assertIn("platform: wafer.fabric.link_bandwidth  ", tool("keys", "link_bandwidth").stdout)
        kinds = {each["kind"] for each in json.loads(tool("keys", "--json").stdout)["keys"]}
        self.assertGreaterEqual(kinds, {"platform", "workload", "experiment", "model", "study", "comet", "costs"})
        self.assertIn("link_bandwidth", tool("keys", "link_bandwith", code=2).stderr)

    def test_presets_say_what_they_are(self):
        found = json.loads(tool("presets", "--json").stdout)["presets"]
        files = sorted(str(each) for each in (ROOT / "configs").rglob("*.yaml"))
        self.assertEqual(sorted(str(pathlib.Path(each["file"]).resolve()) for each in found), files)
        for each in found:
            self.assertTrue(len(each["what"]) > 3, each)
            self.assertNotIn("\n", each["what"])
        self.assertIn("gpt3 ", tool("presets", "models").stdout)
        self.assertIn("did you mean", tool("presets", "fredd", code=2).stderr)


if __name__ == "__main__":
    unittest.main()
