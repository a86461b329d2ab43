#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of a collective by dimensions, from an event model of one rank's ports.

    port_model.py CASES       a JSON object per line in, picoseconds per line out

    {"type": "all_reduce", "bytes": 1048576, "chunks": 4, "active": 1, "order": "ascending", "within": "fifo",
     "stage_ps": 10000, "receive_ps": 10000, "reduction": 1600e9,
     "dimensions": [{"topology": "ring", "size": 4, "bandwidth": 5e10, "latency_ps": 500000, "algorithm": "ring"}]}

All ranks do the same at the same time, so what a rank sends in a round comes back to it from its peer: latency + bytes /
bandwidth after its port has begun with it. A port sends one message at a time, of all that are ready the one of the stage
that came first (of several the lower chunk), or that has the fewest bytes. Nothing is taken from the program under test.
"active": chunks in a dimension at a time, 0 for all; a limit only with one dimension. Orders: ascending, local_bandwidth_aware,
per_dimension, themis.
"""
import heapq
import json
import sys
from math import log2


def wires(d):
    """Latency of a message, ports of a kind that work side by side."""
    return (2 if d["topology"] == "switch" else 1) * d["latency_ps"]


def one_way(d):
    return {"ring": d["size"] - 1, "bidirectional_ring": d["size"] - 1, "direct": 1,
            "halving_doubling": round(log2(d["size"]))}[d["algorithm"]]


def rounds(kind, d, held):
    """Per round: (bytes of a message on its port, messages one after the other, reduces). `held`: what the stage works on."""
    p, algorithm = d["size"], d["algorithm"]
    scatter, gather = [], []
    for r in range(one_way(d)):
        if algorithm == "halving_doubling":
            scatter.append((held / 2 ** (r + 1), 1))
            gather.insert(0, (held / 2 ** (r + 1), 1))
        elif algorithm == "direct":
            both = (held / p, p - 1 if d["topology"] == "switch" else 1)
            scatter.append(both)
            gather.append(both)
        else:
            # Two directions are two ports, but for a switch, and for a pair.
            halves = algorithm == "bidirectional_ring"
            apart = halves and d["topology"] != "switch" and p > 2
            part = (held / p / 2, 1) if apart else (held / p / (2 if halves else 1), 2 if halves else 1)
            scatter.append(part)
            gather.append(part)
    down = [(b, n, True) for b, n in scatter]
    up = [(b, n, False) for b, n in gather]
    return {"scatter": down, "gather": up, "reduce": down + up, "exchange": up}[kind]


def busy(d, held):
    p = d["size"]
    rate = d["bandwidth"]
    if d["topology"] == "fully_connected" and d["algorithm"] == "direct":
        rate *= p - 1
    if d["algorithm"] == "bidirectional_ring" and d["topology"] != "switch" and p > 2:
        rate *= 2
    return held * (p - 1) / p / rate * 1e12


def orders(case):
    dims = case["dimensions"]
    ascending = list(range(len(dims)))
    if case["order"] != "themis":
        return [ascending] * case["chunks"]
    twice = 2 if case["type"] == "all_reduce" else 1
    start = [twice * one_way(d) * wires(d) for d in dims]
    load = list(start)
    chunk = case["bytes"] / case["chunks"]
    result = []
    for _ in range(case["chunks"]):
        least = min(range(len(dims)), key=lambda k: load[k])
        order = ascending
        if max(load) - load[least] >= start[least] / 2 + busy(dims[least], chunk / 16):
            order = sorted(ascending, key=lambda k: load[k])
        held = chunk
        for k in order:
            load[k] += busy(dims[k], held)
            held /= dims[k]["size"]
        result.append(order)
    return result


def stages(case, order):
    """(dimension, rounds, bytes that are sent) of a chunk."""
    dims, held, down, up = case["dimensions"], case["bytes"] / case["chunks"], [], []
    if case["type"] == "all_to_all" or (case["type"] == "all_reduce" and case["order"] == "per_dimension"):
        kind = "exchange" if case["type"] == "all_to_all" else "reduce"
        return [(k, rounds(kind, dims[k], held), held) for k in order]
    for k in order:
        sent = held * (dims[k]["size"] - 1) / dims[k]["size"]
        down.append((k, rounds("scatter", dims[k], held), sent))
        up.insert(0, (k, rounds("gather", dims[k], held), sent))
        if k == order[-1] and case["order"] == "local_bandwidth_aware" and case["type"] == "all_reduce":
            down[-1] = (k, rounds("reduce", dims[k], held), 2 * sent)
            up.pop(0)
        held /= dims[k]["size"]
    return {"all_reduce": down + up, "reduce_scatter": down, "all_gather": up}[case["type"]]


def time_ps(case):
    dims, chunks = case["dimensions"], [stages(case, order) for order in orders(case)]
    events, number, now = [], 0, 0.0
    waiting = [[] for _ in dims]
    free = [0.0] * len(dims)
    ended = 0

    def at(time, *what):
        nonlocal number
        heapq.heappush(events, (time, number, what))
        number += 1

    def start_round(chunk, stage, index, key, delay):
        k, all_rounds, _ = chunks[chunk][stage]
        for j in range(all_rounds[index][1]):
            at(now + delay, "ready", k, key, (chunk, stage, index, j))

    def start_stage(chunk, stage):
        nonlocal ended
        if stage == len(chunks[chunk]):
            ended += 1
            follow = ended - 1 + case["active"]
            if case["active"] and follow < len(chunks):
                start_stage(follow, 0)
            return
        _, _, sent = chunks[chunk][stage]
        key = (sent if case["within"] == "smallest_first" else 0, now, chunk)
        keys[chunk] = key
        start_round(chunk, stage, 0, key, case["stage_ps"])

    keys = {}
    for chunk in range(min(case["active"] or len(chunks), len(chunks))):
        start_stage(chunk, 0)
    end = 0.0
    while events:
        now = events[0][0]
        while events and events[0][0] == now:
            what = heapq.heappop(events)[2]
            if what[0] == "ready":
                heapq.heappush(waiting[what[1]], (what[2], number, what[3]))
                number += 1
            elif what[0] == "done":
                chunk, stage, index, j = what[1]
                k, all_rounds, _ = chunks[chunk][stage]
                if j + 1 < all_rounds[index][1]:
                    continue  # the last of the round comes last
                end = now
                if index + 1 < len(all_rounds):
                    start_round(chunk, stage, index + 1, keys[chunk], 0)
                else:
                    start_stage(chunk, stage + 1)
        if events and events[0][0] == now:
            continue
        for k, d in enumerate(dims):
            if waiting[k] and free[k] <= now:
                _, _, message = heapq.heappop(waiting[k])
                chunk, stage, index, _ = message
                size, _, reduces = chunks[chunk][stage][1][index]
                free[k] = now + size / d["bandwidth"] * 1e12
                cost = case["receive_ps"] + (3 * size / case["reduction"] * 1e12 if reduces and case["reduction"] else 0)
                at(free[k] + wires(d) + cost, "done", message)
                at(free[k], "free")
    return round(end)


with open(sys.argv[1], encoding="utf-8") as cases:
    for line in cases:
        print(time_ps(json.loads(line)))
