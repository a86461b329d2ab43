#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A study on every engine, with cells that fail, and with what runs it killed: the same tables each time.

    engines_test.py WAFERTLM [--cells 16] [--seconds 0] [--all] [--wait-for-slurm] [--keep DIR]
    engines_test.py WAFERTLM --cells 2000 --seconds 0.05 --undisturbed      # what an engine costs

Starts Slurm on loopback (slurm_cluster.py) and Open MPI; what is not installed is left out, and then the exit code is
77. --all: also what the unit tests do, and each engine without a disturbance. --wait-for-slurm: Slurm finds by itself
that a node is gone (half a minute); otherwise it is told.
"""
import argparse
import contextlib
import csv
import json
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from slurm_cluster import SlurmCluster, adopt_orphans, command_of, descendants, end_descendants, environment_of

SKIPPED = 77
EXPERIMENT = """\
experiment: small
platform: {platform: two, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s, packet_bytes: 64 KiB,
  injection_bandwidth: 100 GB/s, ejection_bandwidth: 100 GB/s}}}
workload:
  model: {model: one, layers: [{name: a, parameters: 1000000, forward_operations: 1000000000}]}
  parallelism: DP(2)
  samples_per_replica: 1
  optimizer_operations_per_parameter: 0
  effective_flops: 1 TFLOPS
  overlap_dp: false
"""


class Study:
    """`cells` of them, of about so many seconds each; one in 200, at least one, fails."""

    def __init__(self, tool, folder, cells, iterations):
        self.tool, self.folder, self.cells = tool, folder, cells
        self.poison = set(range(7, cells, 200))
        (folder / "small.yaml").write_text(EXPERIMENT)
        values = [f"{{name: '{i}', set: run.watchdog=1us}}" if i - 1 in self.poison else f"'{i}'"
                  for i in range(1, cells + 1)]
        self.file = folder / "study.yaml"
        self.file.write_text(
            f"study: engines\nfile: small.yaml\nset: iterations={iterations}\naxes:\n"
            f"  - {{axis: latency, set: 'wafer.fabric.link_latency={{}}ns', values: [{', '.join(values)}]}}\n"
            "columns:\n  - {column: iteration, read: iteration_time_s, as: time}\n"
            "  - {column: dp, read: 'iterations[-1].breakdown_s.exposed_dp', as: time}\n")

    def start(self, out, *options, environment=None):
        return self.run("study", str(self.file), "--out", str(self.folder / out), *options, environment=environment)

    def resume(self, out, *options, environment=None):
        return self.run("study", "resume", str(self.folder / out), *options, environment=environment)

    def run(self, *words, environment=None):
        return subprocess.Popen([self.tool, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=environment)

    def status(self, out):
        done = subprocess.run([self.tool, "study", "status", str(self.folder / out), "--json"], capture_output=True,
                              text=True, check=False)
        return json.loads(done.stdout) if done.stdout else {"done": 0, "running": [], "failed": [], "collector": ""}

    def table(self, out):
        return (self.folder / out / "results.csv").read_bytes() + (self.folder / out / "results.json").read_bytes()

    def check(self, out):
        """Every cell once; those that fail with their reason, the others with the figure of the closed form."""
        with open(self.folder / out / "results.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [float(row["latency_s"]) for row in rows] == [(i + 1) / 1e9 for i in range(self.cells)], "not every cell once"
        for i, row in enumerate(rows):
            if i in self.poison:
                assert "watchdog" in row["error"] and not row["iteration_s"] and row["status"] == "failed", row
            else:  # two phases of a ring of two, which wait for one link each
                assert row["error"] == "" and float(row["iteration_s"]) > 0 and row["status"] == "done", row
                slower = float(row["dp_s"]) - float(rows[0]["dp_s"])
                assert abs(slower - 2e-9 * i) < 1e-15 + 1e-9 * slower, (row, rows[0])
        data = sqlite3.connect(self.folder / out / "results.sqlite")
        states = dict(data.execute("SELECT state, count(*) FROM cells GROUP BY state"))
        assert states == {"done": self.cells - len(self.poison), "failed": len(self.poison)}, states
        assert data.execute("SELECT count(*) FROM study WHERE error IS NULL").fetchone() == (states["done"],)
        attempts = data.execute("SELECT count(*), sum(processor_s) FROM attempts").fetchone()
        data.close()
        return attempts


def ended(process, code, seconds=7200):
    out, error = process.communicate(timeout=seconds)
    assert process.returncode == code, f"exit code {process.returncode}, not {code}\n{out}\n{error}"
    return out + error


def wait_for(what, seconds=600):
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until, "it does not come so far"
        time.sleep(0.01)
    return found


def with_cell(name):
    """Processes of this name that run a cell now."""
    return [process for process in descendants(os.getpid()) if name in command_of(process).split(" ")[0] and
            any(" run " in command_of(child) for child in descendants(process))]


def kill(process):
    os.kill(process, signal.SIGKILL)


def killed_cell(study):
    """One process that runs a cell: its next attempt does."""
    process = study.start("killed-cell", "--jobs", "2")
    cells = lambda: [each for each in descendants(process.pid) if " run " in command_of(each)]
    wait_for(lambda: study.status("killed-cell")["done"] > study.cells // 4)
    kill(wait_for(cells)[0])
    ended(process, 1)
    return "killed-cell"


def killed_local(study):
    process = study.start("killed-local", "--jobs", "2")
    wait_for(lambda: study.status("killed-local")["done"] > study.cells // 4)
    process.kill()
    process.wait()
    status = study.status("killed-local")
    assert status["collector"] == "" and 0 < status["done"] < study.cells, status
    ended(study.resume("killed-local"), 1)
    return "killed-local"


def killed_worker(study):
    """A rank of MPI."""
    process = study.start("killed-worker", "--engine", "mpi", "--jobs", "2")
    wait_for(lambda: study.status("killed-worker")["done"] > study.cells // 4)
    kill(wait_for(lambda: with_cell("wafertlm_mpi"))[0])
    ended(process, 1)
    return "killed-worker"


def killed_node(study, cluster, tell):
    """slurmd with its steps, and then what collects; more tasks than an array may have."""
    options = ("--engine", "slurm", "--cells-per-task", str(max(2, study.cells // 40)))
    process = study.start("killed-node", *options, environment=cluster.environment)
    wait_for(lambda: study.status("killed-node")["done"] > study.cells // 4)
    of_node = f"SLURMD_NODENAME={cluster.nodes[0]}"
    wait_for(lambda: any(of_node in environment_of(each) for each in descendants(os.getpid())))
    cluster.kill_node(cluster.nodes[0])
    if tell:
        cluster.ask("scontrol", "update", f"nodename={cluster.nodes[0]}", "state=down", "reason=killed")
    process.kill()
    process.wait()
    status = study.status("killed-node")
    assert status["collector"] == "" and status["done"] < study.cells, status
    ended(study.resume("killed-node", environment=cluster.environment), 1)
    cluster.start_node(cluster.nodes[0])
    if tell:
        cluster.ask("scontrol", "update", f"nodename={cluster.nodes[0]}", "state=resume")
    scripts = list((study.folder / "killed-node/cells/sweep/plans").glob("1-from-*.sh"))
    assert len(scripts) > 1, "one array was enough"
    return "killed-node"


def collected_by_a_job(study, cluster):
    text = ended(study.start("no-wait", "--engine", "slurm", "--no-wait", environment=cluster.environment), 0)
    assert "collects" in text, text
    assert not (study.folder / "no-wait/results.csv").exists()
    wait_for((study.folder / "no-wait/results.csv").exists, 600)
    cluster.wait_for(lambda: not cluster.ask("squeue", "-h"), "empty queue")
    return "no-wait"


def processor_seconds():
    """Of everything that this process has started, also what has ended."""
    ticks = 0
    for process in descendants(os.getpid()):
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    waited_for = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ticks / os.sysconf("SC_CLK_TCK") + waited_for.ru_utime + waited_for.ru_stime


def undisturbed(study, engine, environment=None):
    """@return the folder, seconds by the clock and of processors."""
    began, processors = time.monotonic(), processor_seconds()
    ended(study.start(engine, "--engine", engine, environment=environment), 1)
    return engine, time.monotonic() - began, processor_seconds() - processors


def iterations_for(tool, folder, seconds):
    """So that a run takes at least so long, of a processor."""
    (folder / "small.yaml").write_text(EXPERIMENT)
    count = 1
    while True:
        before = processor_seconds()
        subprocess.run([tool, "run", str(folder / "small.yaml"), "--set", f"iterations={count}", "--out",
                        str(folder / "probe")], check=True, capture_output=True)
        took = processor_seconds() - before
        if took >= seconds:
            return count
        count = max(count + 1, int(count * min(4, 1.1 * seconds / took)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--cells", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--undisturbed", action="store_true")
    parser.add_argument("--wait-for-slurm", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    has_slurm = shutil.which("sbatch") and shutil.which("slurmctld", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    has_mpi = shutil.which("mpirun") and pathlib.Path(tool).with_name("wafertlm_mpi").exists()
    # On loopback only.
    os.environ.update(OMPI_MCA_oob_tcp_if_include="lo", OMPI_MCA_btl="self,vader",
                      OMPI_MCA_btl_vader_single_copy_mechanism="none")
    adopt_orphans()
    # However it is ended, what it started ends with it.
    for each in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(each, lambda *_: sys.exit("not done in time"))
    signal.alarm(270 if options.cells <= 100 else 0)
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="wafertlm-engines-"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        study = Study(tool, folder, options.cells, iterations_for(tool, folder, options.seconds))
        first, *costs = undisturbed(study, "local")
        expected = study.table(first)

        def report(name, clock=None, processors=None):
            attempts, of_cells = study.check(name)
            assert study.table(name) == expected, f"{name}: another table than {first}"
            print(f"{name}: {study.cells} cells, {attempts} attempts", end="")
            if clock is not None:
                print(f", {clock:.1f} s; of a processor {1e3 * of_cells / study.cells:.1f} ms a cell, beside it "
                      f"{1e3 * (processors - of_cells) / study.cells:.1f} ms", end="")
            print(flush=True)

        report(first, *costs)
        if options.all:
            report(killed_cell(study))
            report(killed_local(study))
        if has_mpi:
            if options.all or options.undisturbed:
                report(*undisturbed(study, "mpi"))
            if not options.undisturbed:
                report(killed_worker(study))
        if has_slurm:
            with SlurmCluster(cpus=1, max_array_size=4) as cluster:
                if options.all or options.undisturbed:
                    report(*undisturbed(study, "slurm", cluster.environment))
                if not options.undisturbed:
                    report(killed_node(study, cluster, not options.wait_for_slurm))
                    report(collected_by_a_job(study, cluster))
        for name, is_there in (("Open MPI", has_mpi), ("Slurm", has_slurm)):
            if not is_there:
                print(f"{name} is not installed: left out")
        return 0 if has_mpi and has_slurm else SKIPPED
    finally:
        end_descendants()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
