#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collectives in one dimension beside ASTRA-sim 2.0's times and their closed forms.

    astra_sim_table.py WAFERTLM [CSV] [--most-npus 64] [--packets]

CSV, tests/reference/astra_sim_collectives.csv: rows congestion,topology,npus,bandwidth_GiB_per_s,latency_ns,collective,algorithm,size_bytes,time_ns. Ring with ring,
FullyConnected with direct, Switch with ring, direct and halvingDoubling, all-to-all also as a ring; the rows of
Ring with ring and of FullyConnected with direct once more as one logical dimension (oneRing, oneDirect); 4 splits one after the other, endpoint delay
10 ns, local memory 1600 GB/s. all_gather's size is a rank's contribution. Exit code 1: a time is more than 0.5 % from its
closed form, or a Switch row is above ASTRA-sim's congestion-aware one.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict
from math import log2

REFERENCE = pathlib.Path(__file__).parents[1] / "reference" / "astra_sim_collectives.csv"
OURS = {"Ring": "ring", "FullyConnected": "fully_connected", "Switch": "switch", "direct": "direct",
        "halvingDoubling": "halving_doubling"}
ONE = {("Ring", "ring"): "one_ring", ("FullyConnected", "direct"): "one_direct"}
ROWS = {("Ring", "ring"), ("FullyConnected", "direct"), ("Switch", "ring"), ("Switch", "direct"),
        ("Switch", "halvingDoubling")}
PLATFORM = """platform: astra-sim table
wafer:
  fabric:
    kind: dimensional
    dimensions: [{{topology: {topology}, size: {npus}, bandwidth: {bandwidth} GiB/s, latency: {latency} ns}}]
    transport: {transport}
npu: {{endpoint: {{receive_cost: 10 ns, stage_cost: 10 ns, reduction_bandwidth: 1600 GB/s}}}}
collectives:
  algorithm: dimensional
  chunks: 4
  dimensions: {{active_chunks: 1, all_reduce: [{algorithm}], all_gather: [{algorithm}], reduce_scatter: [{algorithm}]{all_to_all}}}
"""


def closed_form(row, npus, size):
    """Of 4 splits, ns. A Switch: two links on the way, an NPU's link shared by its messages."""
    topology, algorithm, collective = row["topology"], row["algorithm"], row["collective"]
    rate = float(row["bandwidth_GiB_per_s"]) * 2**30 / 1e9
    latency = float(row["latency_ns"]) * (2 if topology == "Switch" else 1)
    chunk, ep = size // 4, 10
    part = chunk if collective == "all_gather" else chunk // npus
    reduction = lambda bytes_: 3 * bytes_ / 1600
    if algorithm == "ring":
        rounds = {"all_reduce": 2 * (npus - 1), "all_to_all": npus * (npus - 1) // 2}.get(collective, npus - 1)
        reduced = 0 if collective in ("all_gather", "all_to_all") else (npus - 1) * reduction(part)
        return 4 * (rounds * (latency + part / rate) + (rounds + 1) * ep + reduced)
    if algorithm == "direct":
        one = latency + (npus - 1 if topology == "Switch" else 1) * part / rate
        rounds = 2 if collective == "all_reduce" else 1
        reduced = 0 if collective in ("all_gather", "all_to_all") else reduction(part)
        return 4 * (rounds * one + (rounds + 1) * ep + reduced)
    k = round(log2(npus))
    halves = sum(latency + chunk / 2**i / rate for i in range(1, k + 1))
    reduced = sum(reduction(chunk / 2**i) for i in range(1, k + 1))
    return 4 * {"all_reduce": 2 * halves + (2 * k + 1) * ep + reduced,
                "reduce_scatter": halves + (k + 1) * ep + reduced,
                "all_gather": sum(latency + chunk * 2**i / rate for i in range(k)) + (k + 1) * ep}[collective]


def times(tool, transport, row, npus, sizes, algorithm):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as platform:
        platform.write(PLATFORM.format(topology=OURS[row["topology"]], transport=transport, npus=npus, bandwidth=row["bandwidth_GiB_per_s"],
                                       latency=row["latency_ns"], algorithm=OURS.get(row["algorithm"], "ring"),
                                       all_to_all=f", all_to_all: [{row['algorithm']}]" * (row["collective"] == "all_to_all")))
        platform.flush()
        whole = npus if row["collective"] == "all_gather" else 1
        done = subprocess.run([tool, "collective", platform.name, "--type", row["collective"], "--algorithm",
                               algorithm, "--json", "--size", ",".join(f"{size * whole}B" for size in sizes)],
                              check=True, capture_output=True, text=True)
        return [entry["time_s"] * 1e9 for entry in json.loads(done.stdout)["rows"]]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tool")
    options.add_argument("csv", nargs="?", default=REFERENCE)
    options.add_argument("--most-npus", type=int, default=10**6)
    options.add_argument("--packets", action="store_true")
    given = options.parse_args()
    transport = "packets\n    packet_bytes: 2 GiB" if given.packets else "messages"
    groups = defaultdict(list)
    with open(given.csv, encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            passed_on = row["collective"] == "all_to_all" and row["algorithm"] == "ring"
            if row["congestion"] != "aware" or ((row["topology"], row["algorithm"]) not in ROWS and not passed_on):
                continue
            if int(row["npus"]) <= given.most_npus:
                groups[(row["topology"], int(row["npus"]), row["algorithm"], row["collective"])].append(row)
    wrong, count = 0, 0
    worst = defaultdict(float)
    print(f"{'':46} {'size':>11} {'ours ns':>14} {'closed form':>14} {'':>8} {'ASTRA-sim':>12}")
    for (topology, npus, algorithm, collective), rows in groups.items():
        sizes = [int(row["size_bytes"]) for row in rows]
        for ours_is in ["dimensional", *[name for key, name in ONE.items() if key == (topology, algorithm)]]:
            for row, size, ours in zip(rows, sizes, times(given.tool, transport, rows[0], npus, sizes, ours_is)):
                form, theirs = closed_form(row, npus, size), float(row["time_ns"])
                name = f"{topology} of {npus}, {collective} {algorithm if ours_is == 'dimensional' else ours_is}"
                print(f"{name:46} {size:11} {ours:14.0f} {form:14.0f} {100 * (ours / form - 1):+7.3f}% {theirs:12.0f}")
                far = abs(ours / form - 1) > 0.005 or (topology == "Switch" and ours > 1.005 * theirs)
                key = (topology, algorithm, ours_is)
                if topology != "Switch":
                    worst[key] = max(worst[key], abs(ours / theirs - 1))
                    far = far or abs(ours / theirs - 1) > 0.005
                worst[(*key, "closed form")] = max(worst[(*key, "closed form")], abs(ours / form - 1))
                wrong += far
                count += 1
    for key, value in worst.items():
        print(f"{', '.join(key)}: at most {100 * value:.3f} %")
    print(f"{count} rows, {wrong} outside")
    sys.exit(1 if wrong or not count else 0)


main()
