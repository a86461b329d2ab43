#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lower bounds of collectives on random graphs with unequal links, of all NPUs or some, exact, against `collective --explain-bound`.

Fractions, and every set and partition of up to 9 vertices; nothing is shared with the program:
  exact_bounds.py build/wafertlm [--graphs 500] [--vertices 9] [--seed 1]
Prints what differs, and how many were compared; exit code 1 if any differs."""
import argparse
import itertools
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

GB = 10**9
TYPES = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce")


def random_graph(rng, most_vertices):
    """NPUs first, then switches; links (from, to, GB/s); a ring keeps it connected."""
    vertices = rng.randint(3, most_vertices)
    npus = rng.randint(2, vertices)
    ends = [(v, (v + 1) % vertices) for v in range(vertices)] if vertices > 2 else [(0, 1)]
    ends += [tuple(rng.sample(range(vertices), 2)) for _ in range(rng.randint(0, vertices))]
    pairs = sorted({tuple(sorted(pair)) for pair in ends})
    links = []
    for a, b in pairs:
        links.append((a, b, rng.randint(1, 40)))
        links.append((b, a, rng.randint(1, 40)))
    return vertices, npus, links


def graph_yaml(vertices, npus, links):
    name = [f"npu{v}" if v < npus else f"s{v}" for v in range(vertices)]
    text = f"graph: random\nnpus: {npus}\n"
    if vertices > npus:
        text += "switches:\n" + "".join(f"  - {{name: {n}, pipeline: 20 ns}}\n" for n in name[npus:])
    text += "links:\n"
    for a, b, rate in links:
        text += f"  - {{from: {name[a]}, to: {name[b]}, bandwidth: {rate} GB/s, latency: 50 ns, one_way: true}}\n"
    return text


def cuts(vertices, links):
    """(set, GB/s out of it) of every set but none and all."""
    for size in range(1, vertices):
        for inside in itertools.combinations(range(vertices), size):
            inside = set(inside)
            yield inside, sum(rate for a, b, rate in links if a in inside and b not in inside)


def families(vertices, members):
    """Disjoint sets with a member each that hold all members; others may be in none. As lists of part numbers, -1: in none."""
    order = members + [v for v in range(vertices) if v not in members]

    def extend(parts, count):
        if len(parts) == vertices:
            if count >= 2:
                yield [part for _, part in sorted(zip(order, parts))], count
            return
        if len(parts) < len(members):
            for part in range(count + 1):
                yield from extend(parts + [part], max(count, part + 1))
        else:
            for part in range(-1, count):
                yield from extend(parts + [part], count)

    yield from extend([], 0)


def exact_seconds(kind, graph, group, size, root):
    """The longest time that a set or partition asks for, as a Fraction; `root`: a vertex."""
    vertices, _, links = graph
    best = Fraction(0)
    block = Fraction(size, len(group))
    for inside, out in cuts(vertices, links):
        members = sum(v in inside for v in group)
        other = len(group) - members
        need = 0
        if kind == "all_gather" and other:
            need = members * block
        elif kind == "reduce_scatter" and members:
            need = other * block
        elif kind == "broadcast" and root in inside and other:
            need = size
        elif kind == "reduce" and root not in inside and members:
            need = size
        elif kind == "all_reduce" and members and other:
            need = size
        if need:
            best = max(best, Fraction(need) / (out * GB))
    if kind == "all_reduce":
        for part, count in families(vertices, group):
            border = sum(rate * ((part[a] >= 0) + (part[b] >= 0)) for a, b, rate in links if part[a] != part[b])
            best = max(best, Fraction(4 * (count - 1) * size, border * GB))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wafertlm")
    parser.add_argument("--graphs", type=int, default=500)
    parser.add_argument("--vertices", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    compared = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        platform = folder / "platform.yaml"
        platform.write_text(
            "platform: random\nwafer: {fabric: {kind: graph, file: graph.yaml, packet_bytes: 4 KiB, credit_delay: 50 ns}}\n")
        for number in range(options.graphs):
            graph = random_graph(rng, options.vertices)
            (folder / "graph.yaml").write_text(graph_yaml(*graph))
            group = list(range(graph[1]))
            if rng.random() < 0.5:
                group = sorted(rng.sample(group, rng.randint(2, len(group))))
            size, root = 4 * len(group) * rng.randint(1, 10**6), rng.randrange(len(group))
            for kind in TYPES:
                command = [options.wafertlm, "collective", str(platform), "--type", kind, "--size", f"{size}B",
                           "--npus", ",".join(map(str, group)), "--explain-bound", "--json"]
                command += ["--root", str(root)] if kind in ("broadcast", "reduce") else []
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    sys.exit(f"{' '.join(command)}: {done.stderr}")
                theirs = json.loads(done.stdout)["rows"][0]["tight"]["time_ps"]
                ours = exact_seconds(kind, graph, group, size, group[root]) * 10**12
                compared += 1
                if theirs != ours.numerator // ours.denominator:
                    wrong += 1
                    print(f"graph {number}, {kind}: {theirs} ps, exactly {float(ours)} ps; {graph}, group {group}")
    print(f"{compared} bounds compared, {wrong} differ")
    sys.exit(1 if wrong or compared == 0 else 0)


if __name__ == "__main__":
    main()
