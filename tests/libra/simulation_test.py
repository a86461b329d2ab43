#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wafertlm libra --simulate` on random networks and workloads against closed forms of its own: with one chunk every
stage of a collective follows the one before, so the iteration's time and its parts are sums over stages.

    simulation_test.py WAFERTLM
"""
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import solver

TOOL = sys.argv[1]
LATENCY_S = 500e-9
SHAPES = ["Ring", "FullyConnected", "Switch"]


def rounds(shape, size):
    """Of a reduce-scatter or all-gather, in latencies of a link: both ways round a ring, directly, by halving through a
    switch."""
    if shape == "Ring" and size > 2:
        return size - 1
    return 1 if shape != "Switch" else 2 * (size.bit_length() - 1)


def stages(kind, shapes, group):
    """(dimension, how many reduce-scatters or all-gathers it is worth)."""
    used = [d for d, size in enumerate(group) if size > 1]
    return [(d, 2 if kind == "ALLREDUCE" else 1) for d in used]


def bytes_sent(kind, size, group):
    """By an NPU in the whole collective, whatever the order of dimensions."""
    npus = 1
    for k in group:
        npus *= max(k, 1)
    return {"ALLREDUCE": 2 * size * (npus - 1) / npus, "ALLGATHER": size * (npus - 1)}.get(kind, size * (npus - 1) / npus)


def spearman(a, b):
    def ranks(values):
        return [sum(x < y for x in values) + (sum(x == y for x in values) - 1) / 2 for y in values]
    x, y = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    both = sum((p - mean) * (q - mean) for p, q in zip(x, y))
    return both / (sum((p - mean) ** 2 for p in x) * sum((q - mean) ** 2 for q in y)) ** 0.5


def random_case(seed, folder):
    rng = random.Random(seed)
    count = rng.randint(1, 3)
    shapes = [rng.choice(SHAPES) for _ in range(count)]
    sizes = [rng.choice([2, 4, 8]) for _ in range(count)]
    groups = [[rng.choice([-1, size]) for size in sizes] for _ in range(3)]
    groups[0] = sizes
    rows, collectives, compute = [], [], 0
    for layer in range(rng.randint(1, 2)):
        fields = [f"layer{layer}", "-1"]
        for number, group in enumerate(groups):
            kind = "ALLREDUCE" if layer + number == 0 else rng.choice(["NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER"])
            size = 0 if kind == "NONE" else rng.randint(1, 16) << 20
            nanoseconds = rng.randint(1, 10**5)
            compute += nanoseconds
            fields += [str(nanoseconds), kind, str(size)]
            if kind != "NONE" and any(k > 1 for k in group):
                collectives.append((solver.traffic(kind, size, group), stages(kind, shapes, group), bytes_sent(kind, size, group)))
        rows.append(" ".join([*fields, "10"]))
    (folder / "workload.txt").write_text("\n".join(rows) + "\n")
    (folder / "network.yml").write_text(f"Topology: {shapes}\nNpusCount: {sizes}\nCostDimension: {['Any'] * count}\n".replace("'", ""))
    names = ["Forward", "InputGrad", "WeightGrad"]
    (folder / "communicator.yml").write_text("".join(f"{name}: {group}\n" for name, group in zip(names, groups)))
    done = subprocess.run([TOOL, "libra", "--json", "--network", folder / "network.yml", "--workload", folder / "workload.txt",
                           "--communicator", folder / "communicator.yml", "--budget", str(rng.uniform(100, 900)),
                           "--simulate", folder / f"out{seed}", "--chunks", "1", "--candidates", "3"],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"seed {seed}: {done.stderr}")
    check(seed, json.loads(done.stdout)["simulation"], shapes, sizes, collectives, compute * 1e-9)


def check(seed, simulation, shapes, sizes, collectives, compute):
    def near(what, value, expected, tolerance):
        if abs(value - expected) > tolerance:
            sys.exit(f"seed {seed}: {what}: {value}, expected {expected} within {tolerance:g}")

    latency = sum(ways * rounds(shapes[d], sizes[d]) * LATENCY_S for _, each, _ in collectives for d, ways in each)
    for design in simulation["designs"]:
        rates = design["bandwidth_bytes_per_s"]
        times = [[sent[d] / rates[d] for d in range(len(rates)) if sent[d]] for sent, _, _ in collectives]
        model, serial = compute + sum(map(max, times)), compute + sum(map(sum, times))
        least = compute + sum(sent / sum(rates[d] for d, _ in used) for _, used, sent in collectives)
        near("at least", design["least_s"], least, 1e-9 * least)
        for time in (design["simulated_s"], design["themis_s"] or design["simulated_s"]):
            if time < least * (1 - 1e-9):
                sys.exit(f"seed {seed}: {design['design']} takes {time}, less than {least}")
        near("model", design["model_s"], model, 1e-9 * model)
        near(f"{design['design']}, simulated", design["simulated_s"], serial + latency, 1e-6 * serial)
    optimum, found = simulation["designs"][0], simulation["difference"]
    times = [[sent[d] / optimum["bandwidth_bytes_per_s"][d] for d in range(len(shapes)) if sent[d]] for sent, _, _ in collectives]
    parts = {part["part"]: part["time_ps"] * 1e-12 for part in found["parts"]}
    if sum(part["time_ps"] for part in found["parts"]) != found["difference_ps"]:
        sys.exit(f"seed {seed}: the parts do not sum to the difference")
    fill = sum(sum(each) - max(each) for each in times)
    near("latency", parts["latency"], latency, 1e-9)
    near("algorithms", parts["algorithms"], 0, 1e-6 * optimum["model_s"])
    near("computing", parts["computing"], 0, 1e-11)
    near("chunks and contention", parts["chunks"] + parts["contention"], fill, 1e-6 * optimum["model_s"])
    near("contention", parts["contention"], 0, 0.01 * max(fill, 1e-6))
    model, simulated = ([design[key] for design in simulation["designs"]] for key in ("model_s", "simulated_s"))
    if simulation["rank_correlation"] is not None and len(set(model)) == len(model):
        near("rank correlation", simulation["rank_correlation"], spearman(model, simulated), 1e-9)
    swapped = sum(1 for i, j in itertools.permutations(range(len(model)), 2)
                  if model[i] < model[j] * (1 - 1e-9) and simulated[j] < simulated[i] * (1 - 1e-9))
    near("swapped pairs", simulation["swaps"]["swapped"], swapped, 0)


def main():
    cases = 5 * int(os.environ.get("WAFERTLM_CASES", "1"))
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(cases):
            random_case(seed, pathlib.Path(folder))
    print(f"{cases} random networks and workloads, simulated")


if __name__ == "__main__":
    main()
