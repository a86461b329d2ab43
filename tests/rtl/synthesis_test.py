#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Yosys reads the SystemVerilog of the mesh router and synthesizes what its declarations say: no latches, and the
flip-flops and memory bits that follow from the parameters.

    synthesis_test.py      77: no yosys, outside of CI
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

RTL = pathlib.Path(__file__).resolve().parents[2] / "models/mesh/rtl"
P, W, VC, DEPTH = 5, 32, 2, 16


def bits(below):
    return max(1, (below - 1).bit_length())


def expected():
    """(flip-flops, memory bits) of what mesh_router.sv and its modules declare."""
    places, number, channel, port = bits(DEPTH), bits(DEPTH + 1), bits(VC), bits(P)
    # count, first, last, leaving for each queue; fresh, free_read, free_write
    buffer = P * (number + 2 * places + 1) + number + 2 * places
    # towards, owed, in_credit, in_credit_vc, next_vc
    router_input = VC * 8 + VC * number + 1 + 2 * channel
    # credits, busy, from_input, from_vc, to_vc, sent_header
    router_output = VC * number + 1 + port + 2 * channel + 64
    # valid, head, tail, vc, header, data
    registers = 3 + channel + 64 + W
    # tails, headers, next_place, free_place; flits; next_input and next_vc of each output
    memory = P * VC * DEPTH * (1 + 64 + 2 * places) + P * VC * DEPTH * (W + 1)
    turns = P * (VC * port + 8 * channel)
    return P * (VC * buffer + router_input + router_output + registers), memory, turns


def main():
    yosys = shutil.which("yosys")
    if not yosys:
        print("no yosys (./setup.sh --tests installs it)")
        return 1 if os.environ.get("CI") else 77
    parameters = " ".join(f"-chparam {name} {value}" for name, value in (("P", P), ("W", W), ("VC", VC), ("DEPTH", DEPTH)))
    script = (f"read_verilog -sv -defer -DSYNTHESIS {' '.join(map(str, sorted(RTL.glob('*.sv'))))}; "
              f"hierarchy -check -top mesh_router {parameters}; synth -run begin:fine; techmap; opt -fast; abc -fast; opt_clean; memory_unpack; "
              "flatten; stat; ltp -noff")
    done = subprocess.run([yosys, "-Q", "-p", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = done.stdout[done.stdout.rindex("Printing statistics"):]
    cells = {name: int(count) for name, count in re.findall(r"^ +(\$\w+) +(\d+)$", report, re.MULTILINE)}
    assert not [name for name in cells if "LATCH" in name.upper()], cells
    flip_flops = sum(count for name, count in cells.items() if re.match(r"\$_(S|A|)DFF", name))
    memory = int(re.search(r"Number of memory bits: +(\d+)", report)[1])
    levels = int(re.search(r"length=(\d+)", report)[1])
    print(f"{sum(cells.values())} cells, of them {flip_flops} flip-flops; {memory} bits of memory; {levels} levels")
    wanted, wanted_memory, turns = expected()
    assert (flip_flops, memory) == (wanted, wanted_memory + turns), (flip_flops, memory, wanted, wanted_memory, turns)
    return 0


sys.exit(main())
