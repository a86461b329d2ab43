#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""waves_check.py FILE.vcd TRANSACTIONS.sqlite: at every moment the waveforms say what the transaction log says."""
import bisect
import collections
import sqlite3
import sys


def read_vcd(path):
    """{scope: {name: ([times], [values])}}, and when the waveforms end"""
    signals, codes, scope, now = collections.defaultdict(dict), {}, None, 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[0] == "$scope":
                scope = words[2]
            elif words[0] == "$var":
                codes[words[3]] = signals[scope][words[4]] = ([], [])
            elif line[0] == "#":
                assert int(line[1:]) >= now, "time goes back"
                now = int(line[1:])
            elif line[0] != "$":
                value, code = (words[0][1:], words[1]) if line[0] == "b" else (words[0][0], words[0][1:])
                codes[code][0].append(now)
                codes[code][1].append(int(value, 2))
    return signals, now


def at(signal, time):
    return signal[1][bisect.bisect_right(signal[0], time) - 1]


def main():
    signals, run_end = read_vcd(sys.argv[1])
    data = sqlite3.connect(sys.argv[2])
    data.row_factory = sqlite3.Row
    checked = 0
    for socket in data.execute("SELECT * FROM sockets"):
        waves = signals[socket["name"]]
        rows = list(data.execute("SELECT * FROM transactions WHERE socket = ? ORDER BY number", (socket["id"],)))
        fabric = socket["protocol"] == "fabric"
        level, used = collections.Counter(), collections.Counter()
        last = {row["begin_req_ps"]: row for row in rows}  # of those that begin together the last one is shown
        for row in rows:
            end = row["end_req_ps"] if fabric else row["end_resp_ps"]
            for time, sign in ((row["begin_req_ps"], 1), (end, -1)):
                level[time] += sign
                used[time] += sign * row["wire_bytes"]
        for time, row in last.items():
            names = ["kind", "bytes"]
            if fabric:
                names = ["class", "vc", "stream", "tag", "sequence", "source", "destination", "bytes"]
                assert at(waves["valid"], time) == 1
                latest_end = row["end_req_ps"]
                following = min((t for t in last if t > time), default=latest_end + 1)
                assert following <= latest_end or latest_end > run_end or at(waves["ready"], latest_end) == 1
                before = min(following, latest_end, run_end + 1) - 1
                assert before < time or at(waves["ready"], before) == 0, (socket["name"], before)
            for name in names:
                assert at(waves[name], time) == row[name], (socket["name"], time, name, dict(row))
                checked += 1
        count = bytes_ = 0
        for time in sorted(time for time in level if time <= run_end):  # the last credits come home behind it
            count += level[time]
            bytes_ += used[time]
            assert at(waves["queue" if fabric else "open"], time) == count, (socket["name"], time, count)
            assert not fabric or at(waves["used"], time) == bytes_, (socket["name"], time, bytes_)
            checked += 1
    print(f"{checked} values equal")


main()
