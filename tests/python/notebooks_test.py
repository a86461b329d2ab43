#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the notebooks of the Python package; what their figures show is what the program says:  notebooks_test.py WAFERTLM

Exit code 77: Debian's python3-nbclient, -ipykernel, -matplotlib and -pandas are not there (./setup.sh --tests). Traces of others need
../shared/traces (or $WAFERTLM_SHARED/traces); with CI=true their absence is a failure.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbformat
    import pandas  # noqa: F401
    from nbclient import NotebookClient
except ImportError:
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv.pop(1)
PYTHON = ROOT / "platform/python"
NOTEBOOKS = {path.stem: path for path in (PYTHON / "notebooks").glob("*.ipynb")}
SHARED = pathlib.Path(os.environ.get("WAFERTLM_SHARED", ROOT.parent / "shared"))
# What the figure shows, read out of it.
LOOK = """
import json
print(json.dumps([{"lines": {line.get_label(): [list(map(float, line.get_xdata())), list(map(float, line.get_ydata()))] for line in axes.lines},
                   "bars": [float(bar.get_height()) for bar in axes.patches]} for axes in figure.axes]))
"""


def program(*words):
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


class Notebooks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def shown(self, name, replaced=None):
        """The figure of a notebook that was run in an empty folder, by its axes."""
        notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
        for cell in notebook.cells:
            cell.source = cell.source.replace(*(replaced or ("", "")))
        notebook.cells.append(nbformat.v4.new_code_cell(LOOK))
        environment = {"WAFERTLM": PROGRAM, "PYTHONPATH": str(PYTHON), "MPLCONFIGDIR": str(self.path / "matplotlib"), "IPYTHONDIR": str(self.path / "ipython"),
                       "JUPYTER_RUNTIME_DIR": str(self.path / "runtime"), "PYTHONDONTWRITEBYTECODE": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(self.path)}}).execute(
            env={**os.environ, **environment})
        figure, look = notebook.cells[-2:]
        self.assertTrue(any("image/png" in output.get("data", {}) for output in figure.outputs), f"{name} does not end in a figure")
        for cell in notebook.cells:
            self.assertFalse([output for output in cell.get("outputs", []) if output.output_type == "stream" and output.name == "stderr"], cell)
        return json.loads(look.outputs[0].text)

    def iteration(self, *words):
        """results.json of a run on the command line."""
        program("run", *words, "--out", self.path / "one", "--force")
        return json.loads((self.path / "one/results.json").read_text())

    def assert_close(self, shown, expected):
        self.assertEqual(len(shown), len(expected))
        for one, other in zip(shown, expected):
            self.assertAlmostEqual(one / other if other else 1 + one, 1, places=12)

    def test_are_stored_without_outputs_and_short(self):
        self.assertEqual(set(NOTEBOOKS), {"own_wafer", "fred_against_mesh", "astra_sim_traces"})
        for path in NOTEBOOKS.values():
            notebook = nbformat.read(path, as_version=4)
            nbformat.validate(notebook)
            self.assertLessEqual(len(notebook.cells), 10, path)
            for cell in notebook.cells:
                self.assertFalse(cell.get("outputs") or cell.get("execution_count"), f"{path} is stored with outputs")
                self.assertLessEqual(set(cell.metadata), set(), path)

    def test_own_wafer_shows_the_times_of_single_runs(self):
        axes, = self.shown("own_wafer")
        (self.path / "mine.yaml").write_text(f"""
experiment: mine
platform: {{platform: mine, wafer: {{width: 6, height: 4, fabric: {{link_bandwidth: 1 TB/s}}}}}}
workload: {{extends: {ROOT}/configs/workloads/resnet50_dp20.yaml, data_parallel: 24, batch_per_npu: 4}}
iterations: 1
""")
        bandwidths, times = axes["lines"]["iteration"]
        self.assertEqual(bandwidths, [100, 200, 400, 800, 1600])
        runs = [self.iteration(self.path / "mine.yaml", "--set", f"wafer.fabric.link_bandwidth={each} GB/s") for each in bandwidths]
        self.assert_close(times, [run["iteration_time_s"] * 1e6 for run in runs])
        self.assert_close(axes["lines"]["compute"][1], [run["iterations"][-1]["breakdown_s"]["compute"] * 1e6 for run in runs])
        self.assertGreater(times[0], times[-1])

    def test_fred_against_mesh_shows_the_collectives_and_iterations(self):
        left, right = self.shown("fred_against_mesh")
        for label, words in {"mesh": ["wafer_mesh_5x4"], "FRED-D": ["fred_d"], "mesh, packed trees": ["wafer_mesh_5x4", "--algorithm", "packed_trees"]}.items():
            rows = json.loads(program("collective", *words, "--type", "all_reduce", "--size", "64KiB:256MiB:8", "--json", "-"))["rows"]
            self.assertEqual(left["lines"][label][0], [row["bytes"] for row in rows])
            self.assert_close(left["lines"][label][1], [row["bus_bandwidth_bytes_per_s"] / 1e12 for row in rows])
        runs = [self.iteration("resnet50_dp20_mesh_5x4", "--set", f"platform={ROOT}/configs/platforms/{wafer}.yaml", "--set", "workload.batch_per_npu=1",
                               "--set", "iterations=1") for wafer in ("wafer_mesh_5x4", "fred_d")]
        self.assert_close(right["bars"], [run["iteration_time_s"] * 1e6 for run in runs])

    def check_traces(self, replaced=None):
        axes, = self.shown("astra_sim_traces", replaced)
        experiment = self.path / "astra_sim/out/experiment.yaml"
        bandwidths, times = axes["lines"]["iteration"]
        runs = [self.iteration(experiment, "--set", f"wafer.fabric.dimensions[1].bandwidth={each} GB/s") for each in bandwidths]
        self.assert_close(times, [run["iteration_time_s"] * 1e3 for run in runs])
        exposed = [{name: part for name, part in run["iterations"][-1]["breakdown_s"].items() if name.startswith("exposed_")} for run in runs]
        self.assert_close(axes["lines"]["exposed communication"][1], [sum(each.values()) * 1e3 for each in exposed])
        self.assertGreater(times[0], times[-1])

    def test_astra_sim_traces_show_the_converted_experiment(self):
        self.check_traces()

    def test_so_do_traces_of_others(self):
        prefix = SHARED / "traces/Resnet50_DataParallel/Resnet50_DataParallel"
        if not pathlib.Path(f"{prefix}.0.et").exists():
            self.assertNotEqual(os.environ.get("CI"), "true", f"{prefix} is missing")
            self.skipTest(f"{prefix} is missing")
        self.check_traces(('traces = work / "resnet50_dp20"', f'traces = "{prefix}"'))


if __name__ == "__main__":
    unittest.main()
