#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Default stress finds each fault planted in iq_switch.sv and axi_switch.sv, says where, and shrinks it.

    planted_test.py WAFERTLM [--seconds S] [--only DESIGN:BUG]
"""
import argparse
import concurrent.futures
import json
import subprocess
import sys
import tempfile

FEW = 8
# By design and bug: what is said of it, where ("" somewhere), and the most packets that are left.
ORDER = "packets leave an output in the order in which they entered"
WHOLE = "a packet leaves with as many flits as it came"
HEADER = "a packet leaves with the header with which it came"
RATE = "with nothing else in the module flits leave at its RATE"
TURNS = "inputs and channels that contend none lets"
HOME = "all credits come home"
FAULTS = {
    "planted_iq": {
        1: (TURNS, "output # packet", FEW),
        2: ("a packet leaves on a channel of the class it came on", "output # packet", 1),
        3: (ORDER, "output # packet", 12),  # three have to wait for the same before it
        4: (HEADER, "output # packet", 1),
        5: (HOME, "input", FEW),
        6: ("", "output", FEW),  # nothing moves, or too few come when credits are held back
        7: ("credit", "input", FEW),
        8: (RATE, "output # packet", FEW),
        9: (WHOLE, "output # packet", FEW),
        10: ("", "output # packet", FEW),
        11: (WHOLE, "output # packet", 1),
        12: ("", "output", FEW),
        13: ("data", "output # packet", 16),  # only once after power-up
        14: ("the header is of a packet that came in and has not left", "output # packet", FEW),
        15: ("data", "output # packet", 1),
        16: (HOME, "input", 1),
        17: ("", "output # packet", 1),
        18: (HOME, "input", 1),
        19: ("a head alone leaves LATENCY", "output # packet", 1),
    },
    "planted_axi": {
        1: (TURNS, "output # packet", FEW),
        2: ("valid stays until ready", "output # packet", FEW),
        3: (RATE, "output # packet", FEW),
        4: ("valid stays until ready", "output # packet", FEW),
        5: (WHOLE, "output # packet", FEW),
        6: ("the flits of a packet have the flow of its header as tid", "output # packet", 1),
        7: (HEADER, "output # packet", 1),
    },
}


def stress(tool, design, bug, seconds):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([tool, "rtl", "stress", design, "--limit", f"{seconds}s", "--json", "--plusarg", f"bug={bug}"],
                              capture_output=True, text=True, check=False, cwd=folder)
    assert done.stdout.startswith("{"), done.stderr
    return json.loads(done.stdout)


def judge(tool, design, bug, seconds):
    result = stress(tool, design, bug, seconds)
    if bug == 0:
        return [] if result["passed"] else [f"a sound design: {result['failure']['what']}"]
    if result["passed"]:
        return ["not found"]
    failure, (rule, place, packets) = result["failure"], FAULTS[design][bug]
    print(f"{design} {bug}: {failure['packets']} packets, {failure['plays']} plays, {failure['what']}", flush=True)
    wrong = [f"not '{rule}'"] if rule not in failure["what"] else []
    wrong += [f"not at '{place}'" for part in place.split(" # ") if part not in failure["place"]]
    return wrong + ([f"{failure['packets']} packets are left, not {packets}"] if failure["packets"] > packets else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--only", help="DESIGN:BUG")
    given = parser.parse_args()
    cases = [(design, bug) for design, bugs in FAULTS.items() for bug in [0, *bugs]]
    cases = [each for each in cases if not given.only or given.only == f"{each[0]}:{each[1]}"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda each: judge(given.tool, *each, given.seconds), cases))
    failed = 0
    for (design, bug), wrong in zip(cases, results):
        failed += bool(wrong)
        print(f"{design} bug {bug}: {'; '.join(wrong) or 'as it should be'}")
    return 1 if failed else 0


sys.exit(main())
