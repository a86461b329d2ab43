#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole traces with `wafertlm astra-sim` beside astra_sim_model.py, rank by rank, to the nanosecond.

    astra_sim_end_to_end.py WAFERTLM [--shared ../shared] [--random N]

Generated GPT, Llama and mixture-of-experts traces, random traces, and ASTRA-sim's samples in SHARED/traces if they are there. Exit code 1:
a rank finishes in another nanosecond. Contention-free: FullyConnected with direct, Ring with ring on all NPUs.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import astra_sim_model

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = {  # a few layers of small ones
    "GPT": ["layers: 4", "hidden: 1024", "heads: 16", "sequence: 512", "vocabulary: 8192"],
    "Llama": ["layers: 4", "hidden: 1024", "heads: 16", "kv_heads: 4", "mlp_hidden: 2816", "gated_mlp: true",
              "sequence: 512", "vocabulary: 8192"],
    "mixture of experts": ["layers: 2", "hidden: 1024", "heads: 16", "kv_heads: 4", "mlp_hidden: 2048", "gated_mlp: true",
                           "sequence: 512", "vocabulary: 8192", "experts: 4", "experts_per_token: 2"],
}


def system_of(algorithm, **more):
    keys = {f"{kind}-implementation": [algorithm] for kind in ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")}
    return {"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 4,
            "local-mem-bw": 1600, "collective-optimization": "localBWAware", **keys, **more}


class Cases:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, pathlib.Path(folder)
        self.worst = self.count = self.ranks = self.stuck = 0

    def command(self, *words):
        done = subprocess.run([self.tool, *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def compare(self, name, prefix, npus, system, topology="FullyConnected", groups=None, bandwidth=50.0, latency=500.0):
        at = self.folder / f"case{self.count + self.stuck}"
        at.mkdir()
        (at / "system.json").write_text(json.dumps(system))
        (at / "network.yml").write_text(f"topology: [ {topology} ]\nnpus_count: [ {npus} ]\nbandwidth: [ {bandwidth} ]\n"
                                        f"latency: [ {latency} ]\n")
        files = [f"{prefix}.{rank}.et" for rank in range(npus)]
        self.command("trace", "convert", *files, "--to", "json", "--out", at)
        try:
            theirs = astra_sim_model.finishing(at / pathlib.Path(prefix).name, at / "system.json", at / "network.yml", groups)
        except RuntimeError:
            theirs = None
        done = subprocess.run([self.tool, "astra-sim", f"--workload-configuration={prefix}", f"--system-configuration={at}/system.json",
                            f"--network-configuration={at}/network.yml", f"--comm-group-configuration={groups or 'empty'}",
                            f"--logging-folder={at}/out"], capture_output=True, text=True, check=False)
        if theirs is None or done.returncode == 1:
            assert theirs is None and done.returncode == 1, (name, theirs, done.stderr)
            self.stuck += 1
            return print(f"{name:58} {topology:15} waits for ever, and so does the model")
        if done.returncode:
            sys.exit(f"{name}: {done.stderr}")
        cycles = [int(end) for end in re.findall(r"sys\[\d+\] finished, (\d+) cycles", done.stdout)]
        assert len(cycles) == len(theirs) == npus
        worst = max(abs(a - b) for a, b in zip(cycles, theirs))
        self.worst, self.count, self.ranks = max(self.worst, worst), self.count + 1, self.ranks + npus
        print(f"{name:58} {topology:15} {max(cycles):13} ns, model {max(theirs):13} ns, ranks differ by at most {worst} ns")

    def generated(self):
        for name, model in MODELS.items():
            for parallelism in ("MP(4)-DP(2)-PP(1)", "MP(2)-DP(2)-PP(2)"):
                at = self.folder / f"generated{self.count}"
                at.mkdir()
                lines = [f"workload: {name}", f"model: {{model: {name}, transformer: {{{', '.join(model)}}}}}",
                         f"parallelism: {parallelism}", "samples_per_replica: 4", "microbatches: 2"]
                if "PP(2)" in parallelism:
                    lines.append("effective_flops: 50 TFLOPS")  # durations in the trace
                if "experts: 4" in model:
                    lines.append("expert_parallel: 2")
                (at / "job.yaml").write_text("\n".join(lines) + "\n")
                self.command("workload", "generate", at / "job.yaml", "--out", at)
                roofline = {"roofline-enabled": 1, "peak-perf": 100} if "PP(1)" in parallelism else {}
                self.compare(f"{name}, {parallelism}", f"{at}/job", 8, system_of("direct", **roofline),
                             groups=at / "job.comm_groups.json")

    def random_job(self, number):
        """Computations that take longer on some ranks, collectives of two groups and of all, and messages."""
        draw = random.Random(number)
        groups = {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}
        at = self.folder / f"random{number}"
        at.mkdir()
        (at / "groups.json").write_text(json.dumps(groups))
        ranks = [[] for _ in range(8)]
        last = None  # a quarter of the jobs: ranks that begin with different collectives wait for ever
        for name in range(draw.randint(5, 40)):
            parents = draw.sample(range(name), min(name, draw.randint(0, 2)))
            kind = draw.choice(["compute", "cpu", "collective", "collective", "message"])
            if kind in ("collective", "message") and number % 4 and last is not None:
                parents = sorted({*parents, last})
            last = name if kind in ("collective", "message") else last
            source, target = draw.sample(range(8), 2)
            size, collective = 4096 * draw.randint(1, 4096), draw.choice([0, 2, 6, 7])
            in_groups = draw.random() < 0.6
            for rank, nodes in enumerate(ranks):
                node = {"Id": name, "Name": f"n{name}", "NodeType": 4, "ctrlDeps": [], "data_deps": parents,
                        "runtime": draw.choice([0, 1, draw.randint(1, 300)]), "is_cpu_op": kind == "cpu"}
                if kind == "collective":
                    node.update(NodeType=7, runtime=0, comm_type=collective, comm_size=size)
                    if in_groups:
                        node["pg_name"] = "1" if rank < 4 else "2"
                if kind == "message" and rank in (source, target):
                    node.update(NodeType=5 if rank == source else 6, runtime=0, comm_size=size, comm_tag=name)
                    node.update({"comm_dst": target} if rank == source else {"comm_src": source})
                nodes.append(node)
        for rank, nodes in enumerate(ranks):
            (at / f"job.{rank}.json").write_text(json.dumps({"workload_graph": nodes}))
        self.command("trace", "convert", *(at / f"job.{rank}.json" for rank in range(8)), "--to", "et", "--out", at / "et")
        system = system_of("direct", **{"endpoint-delay": draw.randint(0, 20), "preferred-dataset-splits": draw.choice([1, 2, 4])})
        self.compare(f"random {number}", f"{at}/et/job", 8, system, groups=at / "groups.json",
                     bandwidth=draw.choice([25.0, 50.0, 93.1]), latency=draw.choice([100.0, 500.0, 936.25]))

    def samples(self, traces):
        for kind in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
            for npus in (4, 8, 16):
                prefix = traces / "microbenchmarks" / kind / f"{npus}npus_1MB" / kind
                self.compare(f"{kind} of {npus}", prefix, npus, system_of("direct"))
                self.compare(f"{kind} of {npus}", prefix, npus, system_of("ring"), "Ring")
        self.compare("custom ring", traces / "custom_ring_allreduce_8npus_1MB" / "custom_allreduce", 8, system_of("direct"))
        for name in ("Resnet50_DataParallel", "MLP_HybridParallel_Data_Model"):
            self.compare(name, traces / name / name, 64, system_of("direct"))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tool")
    options.add_argument("--shared", type=pathlib.Path, default=os.environ.get("WAFERTLM_SHARED", ROOT.parent / "shared"))
    options.add_argument("--random", type=int, default=16)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = Cases(given.tool, folder)
        cases.generated()
        for number in range(given.random):
            cases.random_job(number)
        if (given.shared / "traces").is_dir():
            cases.samples(given.shared / "traces")
        elif os.environ.get("CI") == "true":
            sys.exit(f"no sample traces at {given.shared}")
        else:
            print(f"no sample traces at {given.shared}: left out")
    print(f"{cases.count} jobs, {cases.ranks} ranks: worst difference {cases.worst} ns; {cases.stuck} more wait for ever in both")
    sys.exit(1 if cases.worst or not cases.count else 0)


main()
