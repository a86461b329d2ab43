#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose graph is known, written as PyTorch writes them, must import to that graph.

    import_test.py WAFERTLM [--cases N] [--seed N]

Of each case: every operator has its exclusive time; every kernel its duration, and the time at which the imported graph starts
it is the measured one; kernels depend on each other as in the known run, directly or not; collectives have their type and bytes.
With events that tell what a stream waits for the dependencies are the same; without, all known ones are there. Cases with
operators and launches that are missing or there twice say so in the report.
"""
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import known_run
import random_cases
import trace_files

TYPES = {"allreduce": 0, "all_gather": 2, "broadcast": 5, "all_to_all": 6, "reduce_scatter": 7}


def play(nodes):
    """{id: start in ps}: each node as soon as its parents and its unit are done."""
    ends, starts, units = {}, {}, collections.defaultdict(int)
    for node in nodes:
        key = (node["is_cpu_op"], node["wafertlm_unit"])
        start = max([ends[parent] for parent in node["data_deps"]] + [units[key]])
        starts[node["Id"]] = start
        ends[node["Id"]] = units[key] = start + node.get("wafertlm_duration_ps", node["runtime"] * 10**6)
    return starts


def exclusive_times(run, lost=()):
    """{name: ns}: of operators, and of calls that launch or synchronise, without those within. `lost`: kernels that tell no launch."""
    sums, children = collections.Counter(), collections.Counter()
    spans = [(op.thread, op.start, op.end, op.name) for op in run.operators]
    launching = {kernel.correlation for kernel in run.kernels if kernel.name not in lost}
    spans += [(call.thread, call.start, call.end, call.name) for call in run.calls
              if call.correlation in launching or "Synchronize" in call.name]
    spans.sort(key=lambda span: (span[0], span[1], -span[2]))
    open_spans = []
    for thread, start, end, name in spans:
        while open_spans and (open_spans[-1][0] != thread or open_spans[-1][2] <= start):
            open_spans.pop()
        sums[name] += end - start
        if open_spans:
            children[open_spans[-1][3]] += end - start
        open_spans.append((thread, start, end, name))
    return {name: total - children[name] for name, total in sums.items()}


class Case:
    def __init__(self, tool, seed, folder):
        self.random = random.Random(seed)
        self.tool, self.folder = tool, folder
        self.fraction = self.random.random() < 0.5
        self.syncs = self.random.random() < 0.7
        self.run = known_run.KnownRun(random.Random(seed), self.random.choice([5, 20, 60]), 1 if self.fraction else 1000, not self.syncs)
        self.schema = self.random.choice(["1.0.1", "1.1.0-chakra.0.0.4", "1.1.1-chakra.0.0.4"])
        count = len(self.run.operators)
        damaged = self.random.random() < 0.5
        few = lambda of: set(self.random.sample(range(1, of), min(of // 40, 3))) if damaged and of > 40 else set()
        communications = {i for i, op in enumerate(self.run.operators) if op.communication}
        self.dropped_nodes = few(count) - communications
        # Its id is that of the operator before, which must be there to be the other one.
        self.duplicates = {i for i in few(count) - communications - self.dropped_nodes if i - 1 not in self.dropped_nodes}
        self.lost = {self.run.kernels[i].name for i in few(len(self.run.kernels)) if not self.run.kernels[i].communication}
        kept = [i for i in few(len(self.run.kernels)) if self.run.kernels[i].name not in self.lost]
        self.stale = {self.run.kernels[i].correlation for i in kept[:1]}

    def check(self):
        kineto, host = self.folder / "kineto.json", self.folder / "et.json"
        trace_files.write_kineto(self.run, kineto, function_ids=self.schema != "1.0.1", syncs=self.syncs, fraction=self.fraction,
                                 no_correlation=self.lost, stale=self.stale)
        trace_files.write_execution_trace(self.run, host, self.schema, self.dropped_nodes, self.duplicates)
        command = [self.tool, "trace", "import", "--kineto", kineto, "--et", host, "--out", self.folder / "job", "--form", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self.nodes = json.loads((self.folder / "job.0.json").read_text())["workload_graph"]
        self.report = json.loads((self.folder / "job.import.json").read_text())["ranks"][0]
        self.check_report()
        self.check_kernels()
        self.check_operators()
        self.check_order()

    def check_report(self):
        linked = self.report["operators_linked"]
        assert linked["of"] == len(self.run.operators) - len(self.dropped_nodes), linked
        if self.schema != "1.0.1":
            assert linked["linked"] == linked["of"], linked
        assert self.report["launched"] == len(self.run.kernels) - len(self.lost), self.report["launched"]
        assert sum(self.report["not_launched"].values()) == len(self.lost)
        assert self.report["repeated_launches"] == len(self.stale)
        notes = " ".join(self.report["notes"])
        assert ("with the id of another" in notes) == bool(self.duplicates), notes

    def check_kernels(self):
        starts = play(self.nodes)
        first = min(op.start for op in self.run.operators)
        by_name = {node["Name"]: node for node in self.nodes if not node["is_cpu_op"]}
        assert len(by_name) == len(self.run.kernels) == sum(not node["is_cpu_op"] for node in self.nodes)
        for kernel in self.run.kernels:
            node = by_name[kernel.name]
            assert node.get("wafertlm_duration_ps", node["runtime"] * 10**6) == (kernel.end - kernel.start) * 1000, kernel
            assert starts[node["Id"]] == (kernel.start - first) * 1000, (kernel, starts[node["Id"]])
            if not kernel.communication:
                assert node["NodeType"] == 4
                continue
            said = kernel.communication
            assert node["NodeType"] == 7 and node["comm_type"] == TYPES[said["name"]], node
            size = max(said["in"], said["out"]) if said["name"] == "reduce_scatter" else said["in"]
            assert node["comm_size"] == size * 4, (node, said)

    def check_operators(self):
        times = collections.Counter()
        for node in self.nodes:
            if node["is_cpu_op"] and node["Name"] != "delay":
                times[node["Name"]] += node.get("wafertlm_duration_ps", node["runtime"] * 10**6)
        waits = {"## backward ##", "cudaStreamSynchronize", "cudaDeviceSynchronize"}  # these wait, which is no work
        for name, time in exclusive_times(self.run, self.lost).items():
            if name in waits:
                assert times[name] <= time * 1000, name
            elif not self.stale:
                assert times[name] == time * 1000, (name, times[name], time)

    def check_order(self):
        parents = {node["Id"]: node["data_deps"] for node in self.nodes}
        names = {node["Id"]: node["Name"] for node in self.nodes if not node["is_cpu_op"]}
        found = known_run.closure(parents, parents, names)
        without = set()
        for name in self.lost:  # the stream's order is all that is left
            step = self.run.step_of[name]
            streams = {self.run.step_of[k.name] for k in self.run.kernels}
            without |= {(a, b) for a, b in self.run.edges if b == step and a not in streams}
        if not self.syncs:  # of a call that waits for nothing any more nothing tells for what it would have
            without |= self.run.sync_edges
        known = self.run.kernel_order(without)
        if self.lost:  # events behind a kernel whose place in the host's order is not known
            return
        missing, more = known - found, found - known
        assert not missing, sorted(missing)[:5]
        assert not more or not self.syncs, sorted(more)[:5]


def check_wait_that_ends_with_its_operator(tool):
    """A thread waits until the very end of its operator: nothing is left of it, and parents still come first."""
    events = [("cpu_op", "backward", 1, 0, 1000), ("cpu_op", "next", 1, 1000, 5), ("cpu_op", "woken", 2, 300, 700)]
    lines = [{"ph": "X", "cat": category, "name": name, "pid": 1, "tid": tid, "ts": start, "dur": duration, "args": {}}
             for category, name, tid, start, duration in events]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "k.json").write_text(json.dumps({"traceEvents": lines}))
        command = [tool, "trace", "import", "--kineto", folder / "k.json", "--out", folder / "job", "--form", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        nodes = json.loads((folder / "job.0.json").read_text())["workload_graph"]
    assert all(0 < parent < node["Id"] for node in nodes for parent in node["data_deps"]), nodes
    starts = play(nodes)
    assert {node["Name"]: starts[node["Id"]] for node in nodes if node["Name"] in ("next", "woken")} == {"next": 10**9, "woken": 3 * 10**8}


if __name__ == "__main__":
    check_wait_that_ends_with_its_operator(random_cases.run(12, lambda *case: Case(*case).check(), "runs import to their graphs"))
