#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imports of public traces of real runs, where they are at hand (../shared/traces/pytorch_raw), against what was counted in them.

    samples_test.py WAFERTLM [FOLDER]

Origin of the numbers: the traces' own events, counted by a script: names by thread and order, correlations, tensors in the
inputs of record_param_comms.
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

TOOL = sys.argv[1]
SOURCE = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "traces" / "pytorch_raw"
if len(sys.argv) > 2:
    SOURCE = pathlib.Path(sys.argv[2])


def imported(folder, kineto, hosts=(), arguments=(), code=0):
    """The report and the output of an import; the traces are in the folder."""
    command = [TOOL, "trace", "import", "--kineto", *kineto, "--out", folder / "job", "--form", "json", *arguments]
    if hosts:
        command += ["--et", *hosts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    if code != 0:
        assert not list(folder.glob("job*")), list(folder.glob("job*"))
        return None, done.stderr
    return json.loads((folder / "job.import.json").read_text()), done.stdout


def unpacked(folder, name):
    with tarfile.open(SOURCE / name) as archive:
        archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
    return sorted((folder / name.split(".")[0]).glob("*.json"))


def simple_add(folder):
    """36 operators; two roots, of the process and a thread, are none. Four kernels, three of one stream."""
    report, _ = imported(folder, [SOURCE / "benchmark_simple_add_trace.json.gz"], [SOURCE / "benchmark_simple_add_et.json.gz"])
    rank = report["ranks"][0]
    assert rank["operators_linked"] == {"by": "name_sequence", "linked": 36, "of": 36, "unlinked": {}}
    assert (rank["kernels"], rank["launched"]) == (4, 4)


def linear(folder):
    """The host trace is a window of one iteration of forty."""
    report, _ = imported(folder, [SOURCE / "linear_kineto.json.gz"], [SOURCE / "linear_et.json.gz"])
    rank = report["ranks"][0]
    assert (rank["operators_linked"]["linked"], rank["operators_linked"]["of"]) == (928, 928)
    assert (rank["kernels"] + rank["copies"], rank["launched"]) == (8716 + 1640, 10356)


def dlrm(folder):
    """Rank 0: 988 operators on one thread and 684 on the other, of these at least 682 by the sequence of names; 261 events of
    the device; eight collectives, one all-to-all of unequal parts (rank 3 receives half of it)."""
    report, _ = imported(folder, unpacked(folder, "dlrm_kineto.tar.gz"), unpacked(folder, "dlrm_pytorch_et.tar.gz"))
    assert report["world_size"] == 8 and [rank["rank"] for rank in report["ranks"]] == list(range(8))
    rank = report["ranks"][0]
    assert rank["operators_linked"]["of"] == 988 + 684 and rank["operators_linked"]["linked"] >= 988 + 682
    assert rank["kernels"] + rank["copies"] == rank["launched"] == 261
    expected = [("ALL_TO_ALL", 24576), ("ALL_TO_ALL", 192), ("ALL_TO_ALL", 1536), ("ALL_TO_ALL", 13568),
                ("ALL_REDUCE", 1576964), ("ALL_TO_ALL", 24576), ("ALL_REDUCE", 448), ("ALL_REDUCE", 907840)]
    assert [(each["type"], each["input_bytes"]) for each in rank["communications"]] == expected
    uneven = rank["communications"][3]
    assert uneven["input_split"] == [96, 224, 288, 1664, 592, 96, 192, 240]
    assert all(each["bytes"] == each["input_bytes"] for r in report["ranks"] for each in r["communications"])
    # Events that were launched before the profiler began have correlations below all of the trace.
    assert [r["launched_before"] for r in report["ranks"]] == [0, 64, 0, 64, 0, 0, 0, 0]
    check_replay(folder, report)


def check_replay(folder, report):
    """With communication as recorded a run takes as long as what was measured, within 1 %."""
    only = folder / "one"
    only.mkdir()
    kineto = sorted((folder / "dlrm_kineto").glob("worker0*"))
    hosts = [folder / "dlrm_pytorch_et" / "dlrm_eg_0.json"]
    alone, _ = imported(only, kineto, hosts)
    measured = alone["ranks"][0]["measured_ps"]
    assert measured == report["ranks"][0]["measured_ps"]
    configs = pathlib.Path(__file__).resolve().parents[2] / "configs" / "platforms" / "wafer_mesh_5x4.yaml"
    times = {}
    for name, settings in {"recorded": ["workload.communication=recorded"],
                           "recorded, slow": ["workload.communication=recorded", "wafer.fabric.link_bandwidth=1GB/s"],
                           "simulated": [], "simulated, slow": ["wafer.fabric.link_bandwidth=0.05GB/s"]}.items():
        (only / "replay.yaml").write_text(f"experiment: replay\nplatform: {configs}\niterations: 1\n"
                                          f"workload: {{workload: one, chakra: {only / 'job.0.json'}, replicate: 8}}\n")
        command = [TOOL, "run", only / "replay.yaml", "--out", only / "results"]
        for setting in settings:
            command += ["--set", setting]
        subprocess.run(command, check=True, capture_output=True)
        times[name] = json.loads((only / "results" / "results.json").read_text())["iterations"][0]["time_ps"]
    assert abs(times["recorded"] - measured) <= measured / 100, (times, measured)
    assert times["recorded, slow"] == times["recorded"], times
    assert times["simulated"] < times["recorded"] < times["simulated, slow"], times


def different_runs(folder):
    """Of 14,388 operators the number is in the other trace, but of 10,730 with another name."""
    _, error = imported(folder, [SOURCE / "nccl_data.json.gz"], [SOURCE / "resnet_2gpu_et.json.gz"], code=2)
    assert "different runs" in error and "10730 the number is there with another name" in error, error
    # Alone the timeline knows its collectives by the kernels' arguments.
    report, _ = imported(folder, [SOURCE / "nccl_data.json.gz"])
    assert report["ranks"][0]["collectives"] == 21
    assert report["ranks"][0]["communications"][0] == {
        "type": "BROADCAST", "name": "broadcast", "group": "", "bytes": 53120 * 4, "input_bytes": 53120 * 4,
        "output_bytes": 53120 * 4, "recorded_ps": 30_975_000}


def main():
    if not SOURCE.is_dir():
        print(f"{SOURCE} is not at hand: left out")
        sys.exit(77)
    for case in (simple_add, linear, dlrm, different_runs):
        with tempfile.TemporaryDirectory() as folder:
            case(pathlib.Path(folder))
    print("the samples import")


if __name__ == "__main__":
    main()
