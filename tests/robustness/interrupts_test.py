#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that are ended at random moments: interrupts_test.py WAFERTLM [--interrupts N] [--seed N] [--ranks N]. What is
there is the earlier set or the new one. After a SIGKILL a set may be cut; then its list has both, and traces are refused."""
import argparse
import collections
import json
import pathlib
import random
import signal
import tempfile
import time

import commands
from commands import content

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


def cases(ranks):
    """Name, command of two variants, and the prefix of traces in out/."""
    link = "--set=wafer.fabric.link_bandwidth={}GB/s".format
    return [("generate", lambda v: ["workload", "generate", "in/w.yaml", "--out", "out", f"--set=data_parallel={ranks}", f"--set=batch_per_npu={v}"], "w"),
            ("import", lambda v: ["trace", "import", "--kineto", *(f"in/{['kineto', 'longer'][v - 1]}{rank}.json" for rank in range(2)),
                                  "--missing-at-most", "100", "--out", "out/i"], "i"),
            ("convert", lambda v: ["trace", "convert", f"in/many{v}/w", "--to", "et.gz", "--out", "out"], "w"),
            ("run", lambda v: ["run", "in/e.yaml", "--out", "out", "--report", link(50 * v), "--set=iterations=4"], None),
            ("study", lambda v: ["study", "in/s.yaml", "--out", "out", "--jobs", "1", "--fresh", link(50 * v)], None),
            ("optimize", lambda v: ["optimize", "in/e.yaml", "--vary", "wafer.fabric.link_latency=20..40:20 ns", "--out", "out", "--jobs", "1",
                                    "--fresh", link(50 * v)], None)]


def is_cut(folder):
    return any("earlier" in json.loads(path.read_text()) for path in folder.glob(".wafertlm-*manifest.json"))


def play(tool, case, chance, count, ranks):
    """@return how many were ended before, at or after the exchange"""
    name, command, prefix = case
    seen = collections.Counter()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        tool.make_inputs(folder)
        if name == "convert":
            for variant in (1, 2):
                tool.must(["workload", "generate", "in/w.yaml", "--out", f"in/many{variant}", f"--set=data_parallel={ranks}",
                           f"--set=batch_per_npu={variant}"], folder)
        sets, seconds = {}, 0
        for variant in (1, 2):
            start = time.monotonic()
            tool.must(command(variant), folder)
            seconds = time.monotonic() - start
            sets[variant] = content(folder / "out")
        assert sets[1] != sets[2], name
        for number in range(count):
            current = content(folder / "out")
            process = tool.start(command(1 + number % 2), folder)
            # Half of them near the end, where files get their names.
            time.sleep(seconds * (chance.random() if number % 4 < 2 else 0.7 + 0.6 * chance.random()))
            sent = SIGNALS[chance.randrange(4)]
            process.send_signal(sent)
            errors = process.communicate(timeout=120)[1]
            now = content(folder / "out")
            if now in sets.values():
                seen["earlier" if now == current else "new"] += 1
                continue
            assert sent == signal.SIGKILL and is_cut(folder / "out"), (name, number, sent, errors, sorted(set(now) ^ set(current)))
            seen["cut"] += 1
            if prefix or name == "run":
                code, errors = tool.run(["trace", "check", f"out/{prefix}"] if prefix else ["explain", "out", "--quick"], folder)
                assert code == 2, (name, code, errors)
            tool.must(command(1), folder)
        tool.must(command(1), folder)
        assert content(folder / "out") == sets[1], name
        left = [path.name for path in (folder / "out").glob(".wafertlm-*") if "manifest" not in path.name]
        assert not left, (name, left)
    return seen


def two_at_once(tool):
    """One of them is refused, or each set is whole."""
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        tool.make_inputs(folder)
        command = cases(50)[0][1]
        for _ in range(5):
            both = [tool.start(command(variant), folder) for variant in (1, 2)]
            codes = [process.wait(timeout=120) for process in both]
            assert codes in ([0, 0], [0, 2], [2, 0]), codes
            tool.must(["trace", "check", "out/w"], folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--interrupts", type=int, default=42)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=100)
    options = parser.parse_args()
    tool, chance = commands.Tool(options.tool), random.Random(options.seed)
    two_at_once(tool)
    all_cases = cases(options.ranks)
    for case in all_cases:
        seen = play(tool, case, chance, -(-options.interrupts // len(all_cases)), options.ranks)
        print(f"{case[0]}: {dict(sorted(seen.items()))}", flush=True)


if __name__ == "__main__":
    main()
