#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random commands in a random tree of a user's, with names like ours: tree_test.py WAFERTLM [--commands N] [--seed N]. Not a
byte, mode or owner of it changes, whether the commands do what they should, refuse, or are killed."""
import argparse
import os
import pathlib
import random
import signal
import tempfile
import time

import commands
from commands import FILE, OUTPUTS, filled, look

NAMES = ["results.json", "results.csv", "iterations.csv", "breakdown.csv", "collectives.csv", "links.csv", "memories.csv", "resolved.yaml", "report.html", "results.sqlite", "rtl_notes.md", "rtl_src", "trace.perfetto-trace",
         "transactions.sqlite", "compare.html", "cells", "w.0.et", "w.3.et", "w.1.et.gz", "w.9.et", "x.groups.json", "x.import.json", "x.0.et",
         "x.comm_groups.json", "rank0.json", "platform.yaml", "notes.txt", "incomplete", ".lock", "out.lock", "out.incomplete", "x.lock",
         "wafertlm.1", "wafertlm-run.1", ".wafertlm-lock", ".wafertlm-manifest.json", ".wafertlm-x.traces-lock", ".wafertlm-x.traces-manifest.json",
         ".wafertlm-incomplete-0123456789ab", ".wafertlm-w.traces-manifest.json", ".wafertlm-man-lock", ".wafertlm-experiment-manifest.json",
         ".results.json.part", "a.tmp1", "x.incomplete.vcd"]
TEXTS = ["", "mine\n", "{}", '{"wafertlm_files": {}}', "wafertlm: somebody, process 1 on x\n", "wafertlm: a\n../in\n"]


def add(folder, chance, depth):
    """Random files, folders, links and pipes."""
    for name in chance.sample(NAMES, chance.randrange(1, 9)):
        path = folder / name
        kind = chance.random()
        if kind < 0.2 and depth < 2:
            path.mkdir()
            add(path, chance, depth + 1)
        elif kind < 0.3:
            path.symlink_to(chance.choice(["nowhere", "notes.txt", "..", "/dev/null"]))
        elif kind < 0.35:
            os.mkfifo(path)
        else:
            path.write_text(chance.choice(TEXTS))
        if not path.is_symlink():
            path.chmod(chance.choice([0o600, 0o644, 0o640, 0o755]) | (0o700 if path.is_dir() else 0))
            if os.geteuid() == 0:
                os.chown(path, chance.randrange(0, 9), chance.randrange(0, 9))


def users_of(folder):
    """All of it but the inputs, and what looks as it does; /proc is not asked what a pipe holds."""
    return {path: look(path) for path in [folder, *folder.rglob("*")] if path != folder / "in" and folder / "in" not in path.parents}


def play(tool, chance, count):
    """A tree, and so many commands in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tool.make_inputs(folder)
        (folder / "out").mkdir()
        add(folder, chance, 0)
        add(folder / "out", chance, 1)
        before = users_of(folder)
        codes = {}
        for _ in range(count):
            which, kind, words = chance.choice(OUTPUTS)
            # A file that a user names is to be written; the others are in the folder or beside.
            output = f"new{chance.randrange(9)}" if kind == FILE else chance.choice([".", "out", "out/x", "x", "out/", "out/deep/er", "./out/w"])
            if kind == commands.PREFIX and output in (".", "out/"):
                output = "out/w"
            words = filled(words, output)
            process = tool.start(words, folder)
            if chance.random() < 0.3:
                time.sleep(chance.random() * 0.3)
                process.send_signal(chance.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]))
            errors = process.communicate(timeout=120)[1]
            codes[process.returncode] = codes.get(process.returncode, 0) + 1
            for path, about in before.items():
                now = look(path) if path.is_symlink() or path.exists() else "gone"
                if now != about:
                    raise SystemExit(f"{which} {words} changed {path}: {about} is {now}\n{errors}")
        return codes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--commands", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, all_codes, played = random.Random(options.seed), {}, 0
    while played < options.commands:
        for code, count in play(commands.Tool(options.tool), chance, 10).items():
            all_codes[code] = all_codes.get(code, 0) + count
        played += 10
    print(f"{played} commands, by exit code: {dict(sorted(all_codes.items()))}; all of the user's as it was")
    assert all_codes.get(0, 0) * 10 >= played and all_codes.get(2, 0) > 0, "too few commands did something"
    assert set(all_codes) <= {0, 1, 2, 130, 143, 129, -2, -15, -1, -9}, all_codes


if __name__ == "__main__":
    main()
