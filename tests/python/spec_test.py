#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Platforms, workloads and experiments of the Python package, and their YAML:  spec_test.py WAFERTLM"""
import os
import pathlib
import sys
import tempfile
import unittest

os.environ["WAFERTLM"] = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "platform/python"))

import wafertlm  # noqa: E402
from wafertlm import Experiment, Platform, Workload  # noqa: E402
from wafertlm.yaml_text import scalar  # noqa: E402

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
MINE = {"wafer": {"width": 6, "height": 4, "fabric": {"link_bandwidth": "1 TB/s"}}}


class Specs(unittest.TestCase):
    def checked(self, spec):
        """What the program makes of it, every value resolved."""
        with tempfile.TemporaryDirectory() as folder:
            return wafertlm.tool("check", spec.write(pathlib.Path(folder, "spec.yaml")), "--resolved")

    def test_a_preset_by_name_with_a_changed_key(self):
        spec = Platform("fred_d").set("wafer.fabric.link_latency", "7 ns")
        self.assertEqual(spec.tree(), {"extends": "fred_d", "wafer": {"fabric": {"link_latency": "7 ns"}}})
        text = self.checked(spec)
        self.assertRegex(text, r"link_latency: 7 ns\b")
        self.assertRegex(text, r'platform: "FRED-D"')

    def test_set_gives_another_object(self):
        base = Platform("fred_d")
        changed = [base.set("wafer.fabric.link_latency", f"{n} ns") for n in (1, 2)]
        self.assertEqual(base, Platform("fred_d"))
        self.assertNotEqual(*changed)
        self.assertEqual(changed[0].set("wafer.fabric.link_latency", "2 ns"), changed[1])

    def test_keys_alone(self):
        text = self.checked(Platform(name="my: wafer #1", keys=MINE))
        self.assertIn('"my: wafer #1"', text.replace("'", '"'))
        self.assertRegex(text, r"width: 6\b")

    def test_an_experiment_of_objects(self):
        spec = Experiment(name="mine", platform=Platform(keys=MINE), workload=Workload("resnet50_dp20").set("data_parallel", 24), iterations=1)
        text = self.checked(spec)
        for line in ('experiment: "mine"', "width: 6", "data_parallel: 24", "iterations: 1"):
            self.assertIn(line, text)

    def test_a_key_of_an_experiment_reaches_into_what_its_preset_names(self):
        spec = Experiment("resnet50_dp20_mesh_5x4").set("platform.wafer.fabric.link_bandwidth", "375 GB/s").set("workload.batch_per_npu", 1)
        text = self.checked(spec)
        for line in ("link_bandwidth: 375 GB/s", "batch_per_npu: 1", "width: {value: 5,"):
            self.assertIn(line, text)

    def test_a_file_is_sought_in_the_current_folder(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            wafertlm.tool("workload", "generate", "resnet50_dp20", "--out", f"{folder}/job", "--set", "data_parallel=6")
            os.chdir(folder)
            try:
                traces = Workload(name="mine", keys={"chakra": pathlib.Path("job/resnet50_dp20")})
                wafer = Platform(keys={"wafer": {"width": 3, "height": 2, "fabric": {"link_bandwidth": "1 TB/s"}}})
                self.assertEqual(wafertlm.run(Experiment(name="mine", platform=wafer, workload=traces)).traces.ranks, 6)
                with self.assertRaises(wafertlm.BadInput):
                    wafertlm.run(Experiment(name="mine", platform=wafer, workload=traces.set("chakra", "job/resnet50_dp20")))
            finally:
                os.chdir(before)

    def test_what_cannot_be_set_is_said(self):
        with self.assertRaisesRegex(ValueError, "a list is set as a whole"):
            Platform("dimensional_64").set("wafer.fabric.dimensions[0].bandwidth", "1 GB/s")
        with self.assertRaisesRegex(ValueError, "'width' is 6 here"):
            Platform(keys=MINE).set("wafer.width.more", 1)
        with self.assertRaisesRegex(ValueError, "give platform=Platform"):
            Experiment(name="mine", workload="resnet50_dp20").set("platform.wafer.width", 3)
        with self.assertRaisesRegex(wafertlm.BadInput, "no preset 'fred_dd' in .*did you mean 'fred_d'"):
            Platform("fred_dd")

    def test_scalars_are_read_as_they_were(self):
        texts = ["375 GB/s", "yes", "no", "1e3", "007", "0x1f", "12", "-", "- a", "a: b", "a #b", "", " a", "MP(2)-DP(5)-PP(2)", "ü", "{}", "~",
                 "a\nb", "null", "on", "[1]", "5%", "50 %", "*a", "&a", "!a", "|", "1:30", ".5", "true", "..", "a,b", "1_000", "a'b", '"']
        values = [*texts, 1, -2, 0.1, 1e-12, True, False, {"a": [1, "no", {"b": "c d"}]}, [[]], {}]
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML")
        for value in values:
            self.assertEqual(yaml.safe_load(f"a: {scalar(value)}\n"), {"a": value if value != 1e-12 else yaml.safe_load("1e-12")}, value)
            self.assertEqual(yaml.safe_load(f"a: [{scalar(value)}]\n")["a"][0], yaml.safe_load(f"a: {scalar(value)}")["a"])

    def test_a_key_that_there_is_not_is_bad_input_with_its_line(self):
        spec = Platform("fred_d").set("wafer.fabric.link_bandwith", "1 TB/s")
        with self.assertRaises(wafertlm.BadInput) as caught:
            wafertlm.collective(spec, "all_reduce", "64KiB")
        error = caught.exception
        self.assertEqual((error.file, error.exit_code), ("<platform>", 2))
        line = spec.yaml().splitlines()[error.line - 1]
        self.assertIn("link_bandwith: 1 TB/s", line)
        self.assertIn(line.strip(), str(error))
        self.assertEqual(error.column, line.index("link_bandwith") + 1)


if __name__ == "__main__":
    unittest.main()
