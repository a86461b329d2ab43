#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a job went, from the rules in words and nothing else.

    time_account.py GRAPHS      a job per line in, a line per job out

in   [[{"id", "kind", "duration", "parents", "peer", "tag"}, …] per rank], nodes in file order
out  {"end": ps, "ranks": [{category: ps}, …]}

Kinds: compute, cpu, load, store (a queue each, first ready first served, ties in file order), collective (all
ranks; the k-th of each file belong together; a queue too, but a rank whose collectives all wait for others to enter
also enters those in which others wait, and if it is not ready for one of these, the first ready one that stands
before it and before all that it waits in; takes its duration from the last entry on), send and receive (at once; a
message takes the send's duration from its start). A gap of a rank's compute unit is charged by walking back from what ended it.
Another rank's computation is bubble behind a message, else idle. Behind its end a rank with messages is in its bubble, others
are idle.
"""
import json
import sys

SERIAL = {"compute", "cpu", "load", "store", "collective"}
MESSAGE = {"send", "receive"}
CATEGORY = {"cpu": "cpu", "load": "memory", "store": "memory", "collective": "dp", "send": "pp", "receive": "pp"}


class Op:
    def __init__(self, rank, position, node):
        self.rank, self.position = rank, position
        self.id, self.kind, self.duration = node["id"], node["kind"], node["duration"]
        self.needs, self.peer, self.tag = node["parents"], node.get("peer"), node.get("tag")
        self.ready = self.start = self.end = None
        self.resource_before = None  # the operation that its resource served before


def later(one, other):
    """The one that ended last; ties: lowest id, then lowest rank."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda op: (op.end, -op.id, -op.rank))


def simulate(job):
    ops = [[Op(rank, i, node) for i, node in enumerate(nodes)] for rank, nodes in enumerate(job)]
    by_id = [{op.id: op for op in rank} for rank in ops]
    every = [op for rank in ops for op in rank]
    for op in every:
        op.parents = [by_id[op.rank][parent] for parent in op.needs]
    groups = {}
    for rank in ops:
        for number, op in enumerate(o for o in rank if o.kind == "collective"):
            op.number, op.group = number, groups.setdefault(number, [])
            op.group.append(op)
    used = {}                        # (rank, kind) -> operations that its resource has served or serves
    now = 0

    def at_work(op):
        return op.end is None or op.end > now

    def gathers(op):
        """Others may still enter, or could until this instant."""
        return any(o.start is None for o in op.group) or max(o.start for o in op.group) == now

    def start(op):
        unit = (op.rank, op.kind)
        if op.kind in SERIAL:
            for before in used.get(unit, []):
                if not at_work(before):
                    op.resource_before = max(op.resource_before or before, before, key=lambda o: o.end)
            used.setdefault(unit, []).append(op)
        op.start = now
        if op.kind == "collective":
            if all(o.start is not None for o in op.group):
                for each in op.group:
                    each.end = now + op.duration
        elif op.kind != "receive":
            op.end = now + op.duration

    def work_towards_awaited():
        """A rank that others wait for in a collective for which it is not ready."""
        for rank in ops:
            mine = [o for o in rank if o.kind == "collective"]
            awaited = [o.number for o in mine
                       if o.ready is None and any(p.start is not None for p in o.group)]
            ready = [o for o in mine if o.ready is not None and o.start is None]
            users = [o for o in mine if o.start is not None and at_work(o)]
            if not ready or not awaited or not all(gathers(o) for o in users):
                continue
            first = ready[0]
            if first.number < max(awaited) and all(first.number < o.number for o in users):
                start(first)
                return True
        return False

    while True:
        changed = True
        while changed:
            changed = False
            for op in every:
                if op.ready is None and all(p.end is not None and p.end <= now for p in op.parents):
                    op.ready, changed = now, True
            waiting = sorted((o for o in every if o.ready is not None and o.start is None),
                             key=lambda o: (o.ready, o.position))
            for op in waiting:
                users = [o for o in used.get((op.rank, op.kind), []) if at_work(o)]
                if op.kind not in SERIAL or not users:
                    start(op)
                    changed = True
            for op in waiting:
                if op.kind != "collective" or op.start is not None:
                    continue
                users = [o for o in used[(op.rank, op.kind)] if at_work(o)]
                if all(gathers(o) for o in users) and any(o.start is not None for o in op.group):
                    start(op)
                    changed = True
            if not changed:
                changed = work_towards_awaited()
            for op in every:
                if op.kind == "receive" and op.start is not None and op.end is None:
                    for sent in ops[op.peer]:
                        if sent.kind == "send" and sent.tag == op.tag and sent.start is not None:
                            op.end = max(now, sent.start + sent.duration)
                            op.sent, changed = sent, True
        ends = [op.end for op in every if op.end is not None and op.end > now]
        if not ends:
            return ops, now
        now = min(ends)


def waited_for(op):
    best = None
    for parent in op.parents:
        best = later(best, parent)
    before = op.resource_before
    if before is not None and (best is None or before.end > best.end):
        best = before
    return best


def explained(op):
    """From when the operation itself explains the time, and what explains it before."""
    if op.kind == "collective":
        best = None
        for member in op.group:
            best = later(best, waited_for(member))
        return max(member.start for member in op.group), best
    if op.kind == "receive" and op.sent.start > op.start:
        return op.sent.start, waited_for(op.sent)
    return op.start, waited_for(op)


def account(rank, ops, end):
    parts = {}

    def charge(category, time):
        if time > 0:
            parts[category] = parts.get(category, 0) + time

    def walk(op, begin, to):
        elsewhere = "idle"
        while op is not None and to > begin:
            if op.end < to:
                charge("idle", to - max(op.end, begin))
                to = max(op.end, begin)
            start, before = explained(op)
            if start < to:
                charge(CATEGORY.get(op.kind, elsewhere), to - max(start, begin))
                to = max(start, begin)
            if op.kind in MESSAGE:
                elsewhere = "bubble"
            op = before
        charge("idle", to - begin)

    covered, final = 0, None
    for op in ops[rank]:
        final = later(final, op)
    for op in sorted((o for o in ops[rank] if o.kind == "compute"), key=lambda o: o.start):
        walk(waited_for(op), covered, op.start)
        charge("compute", op.end - op.start)
        covered = op.end
    done = max(covered, final.end if final else 0)
    walk(final, covered, done)
    charge("bubble" if any(op.kind in MESSAGE for op in ops[rank]) else "idle", end - done)
    return parts


with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        operations, finish = simulate(json.loads(line))
        print(json.dumps({"end": finish,
                          "ranks": [account(rank, operations, finish) for rank in range(len(operations))]}))
