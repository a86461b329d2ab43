#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All collectives of tests/reference/astra_sim_collectives.csv beside ASTRA-sim 2.0's times.

    astra_sim_table.py WAFERTLM [--most-npus 64] [--all]

Each row is run from ASTRA-sim's own inputs, as `wafertlm astra-sim --convert` reads them: `aware` with what that sets, and once more as
oneRing, oneDirect or oneHalvingDoubling, which in one dimension is the same; `unaware` with `switch_mode: cut_through`, its model of a
message alone. No row is left out: one is within 1 %, or its kind is in DIFFERENT with the cause and the most of ours over the aware time, and
no less than theirs. Exit code 1: a row is neither. --all prints every row.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict

REFERENCE = pathlib.Path(__file__).parents[1] / "reference" / "astra_sim_collectives.csv"
SAME = ("topology", "npus", "collective", "algorithm", "size_bytes")
ONE = {"ring": "oneRing", "direct": "oneDirect", "halvingDoubling": "oneHalvingDoubling"}
WITHIN = 0.01
SHARED = "messages share links here, and none do in the unaware model"
DRIFT = SHARED + "; cut-through, ranks drift apart, and messages of several rounds meet"
DIFFERENT = {("unaware", "Ring", "direct"): (SHARED, 1), ("unaware", "Ring", "halvingDoubling"): (DRIFT, 1.3),
             ("unaware", "Switch", "direct"): (SHARED, 1),
             **{("unaware", topology, "doubleBinaryTree"): (SHARED, 1) for topology in ("Ring", "FullyConnected", "Switch")}}


def platform(folder, row, name):
    """The file that the conversion writes."""
    network, system = pathlib.Path(folder, "network.yml"), pathlib.Path(folder, "system.json")
    network.write_text(f"topology: [ {row['topology']} ]\nnpus_count: [ {row['npus']} ]\nbandwidth: [ {row['bandwidth_GiB_per_s']} ]\n"
                       f"latency: [ {row['latency_ns']} ]\n", encoding="utf-8")
    keys = {"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 4,
            "local-mem-bw": 1600, "collective-optimization": "localBWAware"}
    usual = {"all-reduce": "ring", "all-gather": "ring", "reduce-scatter": "ring", "all-to-all": "direct"}
    usual[row["collective"].replace("_", "-")] = name
    keys.update({f"{collective}-implementation": [which] for collective, which in usual.items()})
    system.write_text(json.dumps(keys), encoding="utf-8")
    return [f"--system-configuration={system}", f"--network-configuration={network}", "--out", folder]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(" ".join(command) + "\n" + done.stderr)
    return done.stdout


def times(tool, rows, name):
    """Ours of rows that differ in size only, ns. all_gather's size is a rank's contribution."""
    row = rows[0]
    whole = int(row["npus"]) if row["collective"] == "all_gather" else 1
    with tempfile.TemporaryDirectory() as folder:
        run([tool, "astra-sim", "--convert", *platform(folder, row, name)])
        mode = ["--set", "wafer.fabric.switch_mode=cut_through"] * (row["congestion"] == "unaware")
        out = run([tool, "collective", f"{folder}/platform.yaml", "--type", row["collective"], "--json", "--size",
                   ",".join(f"{int(each['size_bytes']) * whole}B" for each in rows), *mode])
    return [entry["time_s"] * 1e9 for entry in json.loads(out)["rows"]]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tool")
    options.add_argument("--most-npus", type=int, default=10**6)
    options.add_argument("--all", action="store_true")
    given = options.parse_args()
    groups, aware = defaultdict(list), {}
    with open(REFERENCE, encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            if row["congestion"] == "aware":
                aware[tuple(row[key] for key in SAME)] = float(row["time_ns"])
            if int(row["npus"]) <= given.most_npus:
                groups[tuple(row[key] for key in ("congestion", "topology", "npus", "collective", "algorithm"))].append(row)
    count, wrong, seen = 0, 0, defaultdict(list)
    for (congestion, topology, npus, collective, algorithm), rows in groups.items():
        for name in [algorithm, *[ONE[algorithm] for _ in "1" if congestion == "aware" and algorithm in ONE]]:
            for row, ours in zip(rows, times(given.tool, rows, name)):
                over = ours / float(row["time_ns"])
                most, different = 1, DIFFERENT.get((congestion, topology, algorithm))
                if different:
                    most = different[1] * aware[tuple(row[key] for key in SAME)] / float(row["time_ns"])
                far = not 1 - WITHIN <= over <= (1 + WITHIN) * most
                if far or given.all:
                    print(f"{congestion:7} {topology} of {npus}, {collective} {name}, {row['size_bytes']} B: {ours:.0f} ns, theirs "
                          f"{row['time_ns']}, {100 * (over - 1):+.3f} %{', OUTSIDE' * far}")
                seen[congestion, topology, algorithm].append(over)
                wrong += far
                count += 1
    for key, values in seen.items():
        cause = ", {0}: at most {1} times the aware time".format(*DIFFERENT[key]) if key in DIFFERENT else ""
        print(f"{', '.join(key)}: {len(values)} rows, ours over theirs {min(values):.5f} to {max(values):.5f}{cause}")
    print(f"{count} rows, {wrong} outside")
    sys.exit(1 if wrong or not count else 0)


main()
