#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of the Python package, with pandas and without:  frame_test.py WAFERTLM

Exit code 77: Debian's python3-pandas is not there (./setup.sh --tests).
"""
import os
import pathlib
import sys
import unittest
import unittest.mock

os.environ["WAFERTLM"] = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "platform/python"))

import wafertlm  # noqa: E402

assert "pandas" not in sys.modules, "the package needs pandas"
try:
    import pandas
except ImportError:
    sys.exit(77)

EXPERIMENT, SMALL = "resnet50_dp20_mesh_5x4", {"workload.batch_per_npu": 1, "iterations": 1}


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = wafertlm.run(EXPERIMENT, set=SMALL)

    def test_without_pandas_it_is_said_and_records_remain(self):
        with unittest.mock.patch.dict(sys.modules, pandas=None), self.assertRaisesRegex(ImportError, "python3-pandas"):
            self.result.links.frame()
        self.assertEqual(len(self.result.links.records()), len(self.result.links))

    def test_rows_are_rows_and_names_are_those_of_the_json(self):
        links = self.result.links.frame()
        self.assertEqual(links.shape[0], len(self.result.links))
        self.assertLessEqual({"name", "bytes", "busy_fraction", "blocked_fraction.credit", "packet_wait_s.queue"}, set(links.columns))
        self.assertEqual(links.loc[5, "bytes"], self.result.links[5].bytes)
        self.assertEqual(str(links["bytes"].dtype), "int64")
        collectives = self.result.collectives.frame()
        self.assertIn("class", collectives.columns)
        self.assertEqual(list(collectives["time_ps"]), [each.time_ps for each in self.result.collectives])
        iterations = self.result.iterations.frame()
        self.assertNotIn("ranks", iterations.columns)
        self.assertEqual(iterations.loc[0, "breakdown_s.compute"], self.result.iterations[0].breakdown_s["compute"])

    def test_a_sweep_is_a_row_for_each_point(self):
        sweep = wafertlm.sweep(EXPERIMENT, {"wafer.fabric.link_bandwidth": ["375 GB/s", "750 GB/s"]}, set=SMALL)
        frame = sweep.frame()
        self.assertEqual(frame.columns[0], "wafer.fabric.link_bandwidth")
        self.assertEqual(list(frame["iteration_time_s"]), [result.iteration_time_s for result in sweep.results])
        sizes = wafertlm.sweep_collective("wafer_mesh_5x4", "all_reduce", {"platform": ["wafer_mesh_5x4", "fred_d"]}, size=["1MiB", "2MiB"]).frame()
        self.assertEqual(list(sizes["platform"]), ["wafer_mesh_5x4"] * 2 + ["fred_d"] * 2)
        self.assertEqual(list(sizes["bytes"]), [1 << 20, 2 << 20] * 2)
        self.assertIsInstance(sizes, pandas.DataFrame)


if __name__ == "__main__":
    unittest.main()
