#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-to-alls of which the ranks' parts differ, on six fabrics: every link carries exactly the bytes that routes
say which are worked out here, and the time is between that of the busiest link and 1.5 times as much. With one queue per
input, of a switch and in a ring, it is 1.71 times as much: they carry 2 - sqrt(2) of their rate where inputs want random outputs
(Karol, Hluchyj, Morgan, Input versus Output Queueing on a Space-Division Packet Switch, 1987).

usage: unequal_all_to_all_test.py WAFERTLM [--vectors N] [--seed S]"""
import argparse
import collections
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

RANKS = 6
GB = 10**9
CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"


def dimensional(topology, size=RANKS):
    return (f"wafer: {{fabric: {{kind: dimensional, dimensions: [{{topology: {topology}, size: {size}, "
            "bandwidth: 100GB/s, latency: 500ns}]}}\n")


def by_mesh(a, b):
    """x first, then y, on 3x2 routers."""
    at, path = a, [f"npu{a}->router{a}"]
    while at != b:
        step = (1 if b % 3 > at % 3 else -1) if at % 3 != b % 3 else (3 if b > at else -3)
        path.append(f"router{at}->router{at + step}")
        at += step
    return path + [f"router{b}->npu{b}"]


def by_switch(a, b):
    return [f"node{a}->switch0", f"switch0->node{b}"]


def directly(a, b):
    return [f"node{a}->node{b}"]


def by_ring(a, b):
    """The shorter way; all ranks are on less than half of it."""
    step = 1 if b > a else -1
    return [f"node{i}->node{i + step}" for i in range(a, b, step)]


def by_fat_tree(a, b):
    """Four to a leaf; over spine 1 where the numbers add up to an odd one."""
    spine = f"spine{(a + b) % 2}"
    up = [] if a // 4 == b // 4 else [f"leaf{a // 4}->{spine}", f"{spine}->leaf{b // 4}"]
    return [f"npu{a}->leaf{a // 4}", *up, f"leaf{b // 4}->npu{b}"]


def by_fred(a, b):
    up = [] if a // 4 == b // 4 else [f"l1_{a // 4}->l2_", f"l2_->l1_{b // 4}"]
    return [f"npu{a}->l1_{a // 4}", *up, f"l1_{b // 4}->npu{b}"]


# The platform, the links of a route, GB/s of links by the beginning of their names, the longest latency of a route in s.
FABRICS = {
    "mesh": ("wafer: {width: 3, height: 2, fabric: {link_bandwidth: 100GB/s, link_latency: 500ns, "
             "injection_bandwidth: 100GB/s, ejection_bandwidth: 100GB/s}}\n", by_mesh, {"": 100}, 3e-6),
    "switch": (dimensional("switch"), by_switch, {"": 100}, 2e-6),
    "fully_connected": (dimensional("fully_connected"), directly, {"": 100}, 1e-6),
    "ring": (dimensional("ring", 2 * RANKS), by_ring, {"": 100}, 4e-6),
    "fat_tree": (CONFIGS / "platforms" / "graph_fat_tree_16.yaml", by_fat_tree,
                 {"": 100, "leaf0->s": 200, "leaf1->s": 200, "spine": 200}, 2e-6),
    "fred": (CONFIGS / "platforms" / "fred_a.yaml", by_fred, {"": 3000, "l1_0->l2": 1500, "l1_1->l2": 1500, "l2": 1500}, 1e-6),
}


def node(number, **more):
    return dict({"Id": number, "Name": f"n{number}", "ctrlDeps": [], "data_deps": [], "runtime": 0,
                 "is_cpu_op": False}, **more)


def collective(matrix, rank):
    received = [row[rank] for row in matrix]
    return [node(1, NodeType=7, comm_type=6, comm_size=sum(matrix[rank]), wafertlm_send_bytes=matrix[rank],
                 wafertlm_receive_bytes=received),
            node(2, NodeType=4, wafertlm_duration_ps=1)]  # a rank may have no message


def random_matrix(rng):
    kind = rng.randrange(3)
    most = 10**rng.randrange(4, 8)
    matrix = [[rng.randrange(most) for _ in range(RANKS)] for _ in range(RANKS)]
    if kind == 1:  # most go to few experts
        popular = rng.randrange(RANKS)
        for row in matrix:
            row[popular] *= 20
    if kind == 2:
        for row in matrix:
            for j in range(RANKS):
                if rng.random() < 0.6:
                    row[j] = 0
    matrix[0][1] += 1  # something runs
    return matrix


class Fabric:
    def __init__(self, tool, folder, name):
        platform, self.route, self.rates, self.latency = FABRICS[name]
        self.tool, self.name, self.folder = tool, name, os.path.join(folder, name)
        os.mkdir(self.folder)
        if isinstance(platform, str):
            with open(os.path.join(self.folder, "platform.yaml"), "w") as out:
                out.write(f"platform: {name}\n{platform}")
            platform = "platform.yaml"
        with open(os.path.join(self.folder, "e.yaml"), "w") as out:
            out.write(f"experiment: e\nplatform: {platform}\nworkload: {{workload: w, chakra: w}}\niterations: 1\n")

    def run(self, traces):
        for rank, nodes in enumerate(traces):
            with open(os.path.join(self.folder, f"w.{rank}.json"), "w") as out:
                json.dump({"workload_graph": nodes}, out)
        done = subprocess.run([self.tool, "run", "e.yaml", "--out", "out"], cwd=self.folder, capture_output=True,
                              text=True)
        assert done.returncode == 0, done.stderr
        with open(os.path.join(self.folder, "out", "results.json")) as file:
            return json.load(file)

    def rate_of(self, link):
        """Bytes per second."""
        begins = [begin for begin in self.rates if link.startswith(begin)]
        return self.rates[max(begins, key=len)] * GB

    def check(self, matrix):
        results = self.run([collective(matrix, rank) for rank in range(RANKS)])
        due = collections.Counter()
        for a, row in enumerate(matrix):
            for b, size in enumerate(row):
                if a != b:
                    due.update({link: size for link in self.route(a, b)})
        carried = collections.Counter()
        for link in results["links"]:
            name = re.sub(r"[.].*|(?<=l2_)\d", "", link["name"])
            carried[name] += link["bytes"]
        wrong = {link: (due[link], carried[link]) for link in due if due[link] != carried[link]}
        assert not wrong, (wrong, sorted(carried))
        bound = max(size / self.rate_of(link) for link, size in due.items())
        time = results["iteration_time_s"]
        most = 1 / (2 - math.sqrt(2)) if self.name in ("switch", "ring") else 1.5
        assert bound <= time <= most * bound + self.latency, (self.name, time, bound, matrix)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wafertlm")
    parser.add_argument("--vectors", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fabrics = [Fabric(os.path.abspath(args.wafertlm), folder, name) for name in FABRICS]
        for number in range(args.vectors):
            fabrics[number % len(fabrics)].check(random_matrix(random.Random(args.seed * 100_000 + number)))
    print(f"{args.vectors} all-to-alls on {len(fabrics)} fabrics")


if __name__ == "__main__":
    sys.exit(main())
