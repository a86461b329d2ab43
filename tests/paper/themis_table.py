#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-reduces of 1024 NPUs beside the times of the Themis paper (arXiv 2110.04478, ISCA 2022).

    themis_table.py WAFERTLM CSV [--networks 2D-SW_SW,…] [--sizes 100,500,1000] [--predict]

CSV: topology,size_MiB,baseline_us,themis_fifo_us,themis_scf_us. A packet per message, 64 chunks; a Gb/s of the paper is 2^30 bits
per second, a step of a switch two links of half its latency. --predict: the stage model instead of a simulation, which takes
seconds; --utilisation: the mean over 100, 150 … 1000 MiB, too.
"""
import argparse
import csv
import json
import subprocess
import tempfile

# (topology, size, Gb/s of a link, latency of a step ns); of a ring half of its links in each direction.
NETWORKS = {
    "2D-SW_SW": [("switch", 16, 1200, 700), ("switch", 64, 800, 1700)],
    "3D-SW_SW_SW_homo": [("switch", 16, 800, 700), ("switch", 8, 800, 700), ("switch", 8, 800, 1700)],
    "3D-SW_SW_SW_hetero": [("switch", 16, 1600, 700), ("switch", 8, 800, 700), ("switch", 8, 400, 1700)],
    "3D-FC_Ring_SW": [("fully_connected", 8, 200, 700), ("ring", 16, 400, 700), ("switch", 8, 400, 1700)],
    "4D-Ring_SW_SW_SW": [("ring", 4, 1000, 20), ("switch", 4, 1600, 700), ("switch", 8, 800, 700),
                         ("switch", 8, 400, 1700)],
    "4D-Ring_FC_Ring_SW": [("ring", 4, 1500, 20), ("fully_connected", 8, 200, 700), ("ring", 4, 600, 700),
                           ("switch", 8, 800, 1700)],
}
ALGORITHMS = {"switch": "halving_doubling", "ring": "bidirectional_ring", "fully_connected": "direct"}
COLUMNS = {"baseline_us": ("ascending", "fifo"), "themis_fifo_us": ("themis", "fifo"),
           "themis_scf_us": ("themis", "smallest_first")}


def bytes_per_s(gigabits):
    return gigabits * 2**30 // 8


def platform(network, order, within):
    dimensions = ", ".join(
        f"{{topology: {topology}, size: {size}, bandwidth: {bytes_per_s(rate)} B/s, "
        f"latency: {latency // 2 if topology == 'switch' else latency} ns}}"
        for topology, size, rate, latency in NETWORKS[network])
    algorithms = ", ".join(ALGORITHMS[topology] for topology, *_ in NETWORKS[network])
    return f"""platform: {network}
wafer:
  fabric:
    kind: dimensional
    dimensions: [{dimensions}]
    packet_bytes: 2 GiB
    virtual_channels: 1
    classes: [{{name: dp, vc: 0, priority: 0}}]
collectives:
  algorithm: dimensional
  chunks: 64
  dimensions: {{order: {order}, within: {within}, all_reduce: [{algorithms}]}}
"""


def times_us(tool, network, column, sizes, predict):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(platform(network, *COLUMNS[column]))
        file.flush()
        command = [tool, "collective", file.name, "--type", "all_reduce", "--json", "--size",
                   ",".join(f"{size}MiB" for size in sizes)] + (["--choices"] if predict else [])
        rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["rows"]
        return [row["predicted_ps"] / 1e6 if predict else row["time_s"] * 1e6 for row in rows]


def utilisation(network, size_mib, us):
    links = {"switch": 1, "ring": 2}
    rate = sum(links.get(topology, size - 1) * bytes_per_s(rate) for topology, size, rate, _ in NETWORKS[network])
    return 2 * size_mib * 2**20 * 1023 / 1024 / rate / (us * 1e-6)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tool")
    options.add_argument("csv")
    options.add_argument("--networks", default=",".join(NETWORKS))
    options.add_argument("--sizes", default="100,500,1000")
    options.add_argument("--predict", action="store_true")
    options.add_argument("--utilisation", action="store_true")
    given = options.parse_args()
    with open(given.csv, encoding="utf-8") as lines:
        paper = {(row["topology"], int(row["size_MiB"])): row for row in csv.DictReader(lines)}
    sizes = [int(size) for size in given.sizes.split(",")]
    errors = {column: [] for column in COLUMNS}
    print(f"{'':20} {'MiB':>5} " + " ".join(f"{column:>26}" for column in COLUMNS))
    for network in given.networks.split(","):
        columns = {column: times_us(given.tool, network, column, sizes, given.predict) for column in COLUMNS}
        for i, size in enumerate(sizes):
            line = f"{network:20} {size:5} "
            for column, values in columns.items():
                theirs = float(paper[(network, size)][column])
                errors[column].append(values[i] / theirs - 1)
                line += f" {values[i]:9.1f} {theirs:7.0f} {100 * errors[column][-1]:+7.1f}%"
            print(line, flush=True)
    for column, values in errors.items():
        within = sum(abs(value) <= 0.1 for value in values)
        print(f"{column}: at most {100 * max(map(abs, values)):.1f} %, {within} of {len(values)} within 10 %")
    if not given.utilisation:
        return
    sweep = list(range(100, 1001, 50))
    for column in COLUMNS:
        means = []
        for network in given.networks.split(","):
            us = times_us(given.tool, network, column, sweep, given.predict)
            means += [utilisation(network, size, each) for size, each in zip(sweep, us)]
        print(f"{column}: mean utilisation {100 * sum(means) / len(means):.1f} %", flush=True)


main()
