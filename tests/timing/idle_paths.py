#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of a message over an idle path, in whole picoseconds, from the closed form and nothing else.

    idle_paths.py CASES       a JSON object per line in, an integer per line out

    {"bytes": 5000, "format": [packet, header, flit], "links": [[bytes_per_s, latency_ps, pipeline_ps], ...]}
        a chain: the pipeline delay is that of the switch in front of the link
    {"bytes": 5000, "format": [...], "mesh": {"width": 5, "link": [bytes_per_s, latency_ps],
     "injection": [...], "ejection": [...], "pipeline_ps": 0}, "from": 0, "to": 19}
        a pair of NPUs; the route is as long as their distance along the row and the column

time = sum of latencies and pipeline delays + wire bytes / slowest link, rounded up once, at the end.
"""
import json
import sys
from fractions import Fraction
from math import ceil


def wire_bytes(message, packet, header, flit):
    total = 0
    while message > 0:
        payload = min(message, packet)
        size = payload + header
        total += ceil(Fraction(size, flit)) * flit if flit else size
        message -= payload
    return total


def time_ps(case):
    if "mesh" in case:
        mesh, here, there = case["mesh"], case["from"], case["to"]
        rows, columns = zip(divmod(here, mesh["width"]), divmod(there, mesh["width"]))
        hops = abs(rows[0] - rows[1]) + abs(columns[0] - columns[1])
        crossed = [mesh["injection"]] + hops * [mesh["link"]] + [mesh["ejection"]]
        delay = sum(latency for _, latency in crossed) + (hops + 1) * mesh["pipeline_ps"]
        rates = [rate for rate, _ in crossed]
    else:
        delay = sum(latency + pipeline for _, latency, pipeline in case["links"])
        rates = [rate for rate, _, _ in case["links"]]
    return ceil(delay + Fraction(wire_bytes(case["bytes"], *case["format"]) * 10**12, min(rates)))


with open(sys.argv[1], encoding="utf-8") as cases:
    for line in cases:
        print(time_ps(json.loads(line)))
