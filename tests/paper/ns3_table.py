#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-reduces of ASTRA-sim with its ns-3 back end beside ours, from its own files.

    ns3_table.py WAFERTLM [--shared ../shared]

16 MiB, 4 splits one after the other, endpoint delay 10 ns; SHARED/inputs/ns3 has ASTRA-sim's configuration and topologies: 128 NPUs of 200G on
8 leaves and 8 spines, 8 NPUs of 400G on a switch. Theirs was measured with ns-3 (astra-sim/astra-network-ns3, November 2026). No row is left
out: each is within 10 % (theirs rounds times to ns, at 400G 1.2 % of a packet's; hashes are draws). Exit code 1: one is not.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WITHIN = 0.1
CLOS, STAR = ("128_nodes_16_switch_topology.txt", 128, "halvingDoubling"), ("8_nodes_1_switch_topology.txt", 8, "ring")
MODES = {"none": 12, "DCQCN": 1, "HPCC": 3, "DCTCP": 8}
# topology, congestion control, theirs in us.
ROWS = (
    (CLOS, "none", 5370),
    (CLOS, "DCQCN", 7326),
    (CLOS, "HPCC", 5291),
    (STAR, "none", 784.628),
    (STAR, "DCQCN", 784.628),
    (STAR, "DCTCP", 784.628),
    (STAR, "HPCC", 841.356),
)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(" ".join(str(word) for word in words) + "\n" + done.stderr)
    return done.stdout


def ours(tool, inputs, topology, npus, algorithm, control):
    """us, and pauses."""
    text = (inputs / "config.txt").read_text(encoding="utf-8")
    text = re.sub(r"^CC_MODE .*$", f"CC_MODE {MODES[control]}", text, flags=re.M)
    text = re.sub(r"^TOPOLOGY_FILE .*$", f"TOPOLOGY_FILE {inputs / topology}", text, flags=re.M)
    system = {"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1, "preferred-dataset-splits": 4,
              "local-mem-bw": 1600, "collective-optimization": "localBWAware", "all-to-all-implementation": ["direct"]}
    system.update({f"{kind}-implementation": [algorithm] for kind in ("all-reduce", "all-gather", "reduce-scatter")})
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        (at / "config.txt").write_text(text, encoding="utf-8")
        (at / "system.json").write_text(json.dumps(system), encoding="utf-8")
        (at / "logical.json").write_text(json.dumps({"logical-dims": [str(npus)]}), encoding="utf-8")
        run(tool, "astra-sim", "--convert", f"--system-configuration={at}/system.json", f"--network-configuration={at}/config.txt",
            f"--logical-topology-configuration={at}/logical.json", "--out", at)
        row = json.loads(run(tool, "collective", at / "platform.yaml", "--type", "all_reduce", "--size", "16MiB", "--json"))["rows"][0]
    return row["time_s"] * 1e6, row["ethernet"]["pauses"]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tool")
    options.add_argument("--shared", type=pathlib.Path, default=os.environ.get("WAFERTLM_SHARED", ROOT.parent / "shared"))
    given = options.parse_args()
    inputs = given.shared.resolve() / "inputs" / "ns3"
    if not inputs.is_dir():
        sys.exit(f"no {inputs}")
    wrong = 0
    for (topology, npus, algorithm), control, theirs in ROWS:
        time, pauses = ours(given.tool, inputs, topology, npus, algorithm, control)
        over = time / theirs
        far = abs(over - 1) > WITHIN
        print(f"{npus:4} NPUs, {algorithm:16} {control:6} {time:10.1f} us, theirs {theirs:9.3f}, {100 * (over - 1):+6.1f} %, {pauses} pauses"
              f"{', OUTSIDE' * far}", flush=True)
        wrong += far
    print(f"{len(ROWS)} rows, {wrong} outside")
    sys.exit(1 if wrong else 0)


main()
