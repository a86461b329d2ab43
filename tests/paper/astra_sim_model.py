#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ASTRA-sim 2.0 on a contention-free network, in whole nanoseconds: its sequencer and closed forms of its collectives.

    astra_sim_model.py TRACES_AS_JSON_PREFIX SYSTEM.json NETWORK.yml [GROUPS.json]

prints the cycle in which each NPU finishes. One dimension, FullyConnected with direct, message by message, or Ring with
ring, by closed forms from the last rank's entry on; chunks one after the other. Written from what tests/reference/README.md says of it.
"""
import heapq
import json
import pathlib
import re
import sys
from collections import defaultdict

METADATA, LOAD, STORE, COMP, SEND, RECV, COLL = 1, 2, 3, 4, 5, 6, 7
ALL_REDUCE, ALL_GATHER, ALL_TO_ALL, REDUCE_SCATTER = 0, 2, 6, 7


class Network:
    def __init__(self, text, system):
        value = lambda key: re.search(rf"^{key}:\s*\[\s*([^\]]*?)\s*\]", text, re.M).group(1)
        self.npus, self.latency = int(value("npus_count")), float(value("latency"))
        self.rate = float(value("bandwidth")) * 2**30 / 1e9  # bytes per ns
        self.kind, self.delay = value("topology"), system.get("endpoint-delay", 0)
        self.splits, self.memory = system.get("preferred-dataset-splits", 1), system.get("local-mem-bw", 0)
        self.ring = {kind: system[key + "-implementation"][0] == "ring" for kind, key in (
            (ALL_REDUCE, "all-reduce"), (ALL_GATHER, "all-gather"), (ALL_TO_ALL, "all-to-all"),
            (REDUCE_SCATTER, "reduce-scatter"))}

        self.free = defaultdict(int)  # (source, destination): when the link between them is

    def message(self, source, target, size, now):
        """Sent at `now`; when it arrives. Only its sender's earlier message is in its way."""
        begin = max(now, self.free[source, target])
        self.free[source, target] = begin + int(size / self.rate)
        return begin + int(self.latency + size / self.rate)

    def collective(self, kind, size, entered):
        """{rank: end} of one that ranks enter at these times. `size` of an all-gather: a rank's contribution."""
        n, chunk = len(entered), size // self.splits
        part = chunk if kind == ALL_GATHER else max(chunk // n, 1)
        reduction = 3 * int(part / self.memory) if self.memory and kind in (ALL_REDUCE, REDUCE_SCATTER) else 0
        if self.ring[kind]:
            rounds = {ALL_REDUCE: 2 * (n - 1), ALL_TO_ALL: n * (n - 1) // 2}.get(kind, n - 1)
            each = rounds * int(self.latency + part / self.rate) + (rounds + 1) * self.delay + (n - 1) * reduction
            return dict.fromkeys(entered, max(entered.values()) + self.splits * each)
        at = dict(entered)
        for _ in range(self.splits):
            at = self.exchange(part, at, {rank: now + self.delay for rank, now in at.items()}, reduction)
            if kind == ALL_REDUCE:
                at = self.exchange(part, at, at, 0)
        return at

    def exchange(self, part, ready, sends, reduction):
        """Everybody sends to all others, and is done when it has all of theirs."""
        arrival = {(a, b): self.message(a, b, part, sends[a]) for a in sends for b in sends if a != b}
        return {b: max(max(arrival[a, b], ready[b]) for a in sends if a != b) + self.delay + reduction for b in ready}


class Rank:
    """Its nodes; of those that are ready the lowest ids go first, to one CPU, one compute unit, one communication."""

    def __init__(self, nodes):
        self.nodes = {node["Id"]: node for node in nodes}
        self.waits, self.children = {}, defaultdict(list)
        for node in nodes:
            parents = set(node["ctrlDeps"]) | set(node["data_deps"])
            self.waits[node["Id"]] = len(parents)
            for parent in parents:
                self.children[parent].append(node["Id"])
        self.ready = {node for node, count in self.waits.items() if count == 0}
        self.busy, self.end = set(), 0

    @staticmethod
    def resource(node):
        if node["is_cpu_op"]:
            return "cpu"
        return {COMP: "compute", RECV: None, METADATA: None}.get(node["NodeType"], "communication")


def run(traces, network, groups, compute_ns):
    """[finishing time of each rank]. compute_ns(node): how long a COMP node takes."""
    ranks, events, serial = [Rank(nodes) for nodes in traces], [], iter(range(10**12))
    entered, what, sent, received, order = defaultdict(dict), {}, {}, {}, defaultdict(int)

    def ends(at, rank, node):
        heapq.heappush(events, (at, next(serial), rank, node))

    def number(*channel):  # the k-th of a channel meets the k-th of the others
        order[channel] += 1
        return order[channel]

    def start(rank, node, now):
        kind, name = node["NodeType"], node["Id"]
        if kind == COMP or node["is_cpu_op"]:
            ends(now + compute_ns(node), rank, name)
        elif kind == COLL:
            group = node.get("pg_name", "") if node.get("pg_name", "") in groups else ""
            members = groups.get(group, range(len(ranks)))
            key = group, number("group", group, rank)
            entered[key][rank] = now, name
            if what.setdefault(key, (node["comm_type"], node["comm_size"])) != (node["comm_type"], node["comm_size"]):
                raise RuntimeError(f"rank {rank} meets others in another collective with node {name}")
            if len(entered[key]) == len(members):
                times = {member: at for member, (at, _) in entered[key].items()}
                for member, done in network.collective(node["comm_type"], node["comm_size"], times).items():
                    ends(done, member, entered[key][member][1])
        elif kind == SEND:
            route = rank, node["comm_dst"], node.get("comm_tag", 0)
            key = route, number("send", route)
            sent[key] = network.message(rank, node["comm_dst"], node["comm_size"], now)
            ends(sent[key], rank, name)
            if key in received:
                ends(sent[key], *received[key])
        elif kind == RECV:
            route = node["comm_src"], rank, node.get("comm_tag", 0)
            key = route, number("receive", route)
            received[key] = rank, name
            if key in sent:
                ends(max(now, sent[key]), rank, name)
        else:
            ends(now, rank, name)

    def issue(number_of, now):
        rank = ranks[number_of]
        for name in sorted(rank.ready):
            node = rank.nodes[name]
            resource = Rank.resource(node)
            if resource in rank.busy:
                continue
            rank.ready.remove(name)
            if resource:
                rank.busy.add(resource)
            start(number_of, node, now)

    for rank in range(len(ranks)):
        issue(rank, 0)
    while events:
        now, _, number_of, name = heapq.heappop(events)
        rank = ranks[number_of]
        rank.busy.discard(Rank.resource(rank.nodes[name]))
        rank.end = now
        for child in rank.children[name]:
            rank.waits[child] -= 1
            if rank.waits[child] == 0:
                rank.ready.add(child)
        issue(number_of, now)
    stuck = [number_of for number_of, rank in enumerate(ranks) if rank.ready or any(rank.waits.values())]
    if stuck:
        raise RuntimeError(f"ranks {stuck[:8]} do not finish")
    return [rank.end for rank in ranks]


def computing(system):
    """In ns. Roofline: as ASTRA-sim's; else the trace's microseconds, and 1 ns where it has none."""
    if not system.get("roofline-enabled", 0):
        return lambda node: node["runtime"] * 1000 or 1
    peak, memory = system["peak-perf"] * 1000, system["local-mem-bw"]  # per ns

    def roofline(node):
        if node["is_cpu_op"]:
            return node["runtime"] * 1000 or 1
        operations, size = node.get("num_ops", 0), node.get("tensor_size", 0)
        return int(max(operations / peak, size / memory))
    return roofline


def finishing(prefix, system_file, network_file, groups_file=None):
    system = json.loads(pathlib.Path(system_file).read_text())
    network = Network(pathlib.Path(network_file).read_text(), system)
    traces = [json.loads(pathlib.Path(f"{prefix}.{rank}.json").read_text())["workload_graph"]
              for rank in range(network.npus)]
    groups = json.loads(pathlib.Path(groups_file).read_text()) if groups_file else {}
    return run(traces, network, groups, computing(system))


if __name__ == "__main__":
    for rank, end in enumerate(finishing(*sys.argv[1:])):
        print(f"sys[{rank}] finished, {end} cycles")
