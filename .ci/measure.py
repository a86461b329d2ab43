#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what the house is held to: lines, words, headers, includes, folders; and what a cold build costs.

    .ci/measure.py [ROOT] [--check] [--build FOLDER]

--check: exit code 1 if a count is above its limit (LIMITS), each named.
--build: of a build folder that was filled from nothing, the processor time by its .ninja_log (wall time of each step:
right on a machine with nothing else to do), whole and of what `./run.sh` builds.
"""
import argparse
import functools
import pathlib
import re
import subprocess
import sys

BLOCKS = ("tlm", "models", "workloads", "waveforms", "platform")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
LIMITS = {
    "words of READMEs": 25_000,
    "lines of the longest file": 500,
    "include depth": 12,
    "folder circles": 0,
    "installed headers": 80,
}


class House:
    def __init__(self, root):
        self.root = root
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=root, capture_output=True, text=True, check=True)
        self.files = [f for f in listed.stdout.splitlines() if (root / f).is_file()]
        self.code = [f for f in self.files if f.endswith((".h", ".cpp")) and f.split("/")[0] in BLOCKS]

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def lines(self, paths):
        return sum(self.text(path).count("\n") for path in paths)

    @functools.lru_cache(maxsize=None)
    def includes(self, path):
        return [i for i in INCLUDE.findall(self.text(path)) if (self.root / i).is_file()]

    @functools.lru_cache(maxsize=None)
    def depth(self, path):
        """Own headers on the longest chain of includes that begins here."""
        return max((1 + self.depth(i) for i in self.includes(path)), default=0)

    def circles(self):
        """Rooms that include each other in a circle, at any depth."""
        edges = {}
        for path in self.code:
            for included in self.includes(path):
                one, two = path.split("/")[:-1], included.split("/")[:-1]
                if one == two or included.split("/")[0] not in BLOCKS:
                    continue
                k = next((k for k, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
                rooms = ["/".join(way[:k + 1]) if k < len(way) else "/".join(way) + "/." for way in (one, two)]
                edges.setdefault(rooms[0], set()).add(rooms[1])

        def reached(start):
            seen, waiting = set(), [start]
            while waiting:
                for room in edges.get(waiting.pop(), ()):
                    if room not in seen:
                        seen.add(room)
                        waiting.append(room)
            return seen

        return [room for room in edges if room in reached(room)]

    def installed_headers(self):
        file = self.root / "platform/package/public_headers.txt"
        return [line for line in file.read_text().splitlines() if line and not line.startswith("#")] if file.is_file() else \
            [path for path in self.code if path.endswith(".h")]


def counts(house):
    tests = [f for f in house.files if f.startswith("tests/") and f.endswith((".h", ".cpp", ".py"))]
    pages = [f for f in house.files if f.endswith(".md") and not f.startswith("guide/pages")]
    everything = house.code + tests
    return {
        "lines of code": house.lines(house.code),
        "lines of tests": house.lines(tests),
        "files of code": len(house.code),
        "lines of the longest file": max(house.lines([f]) for f in everything),
        "include depth": max(house.depth(f) for f in house.code),
        "folder circles": len(house.circles()),
        "installed headers": len(house.installed_headers()),
        "words of READMEs": sum(len(house.text(f).split()) for f in pages),
        "words of the guide": sum(len(house.text(f).split()) for f in house.files if f.startswith("guide/pages") and f.endswith(".md")),
    }


def build_seconds(folder):
    """{output: seconds} of the last time that each step ran."""
    steps = {}
    for line in (folder / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        steps[output] = (int(end) - int(start)) / 1000
    return steps


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", type=pathlib.Path)
    arguments = parser.parse_args()
    found = counts(House(arguments.root))
    over = 0
    for name, count in found.items():
        limit = LIMITS.get(name)
        is_over = limit is not None and count > limit
        over += is_over
        print(f"{name:28} {count:8}{'' if limit is None else f'   at most {limit}'}{'   TOO MANY' if is_over else ''}")
    if arguments.build:
        steps = build_seconds(arguments.build)
        needed = subprocess.run(["ninja", "-C", str(arguments.build), "-t", "inputs", "wafertlm-run"],
                                capture_output=True, text=True, check=True).stdout.split("\n")
        of_run = {*needed, "wafertlm-run"}
        print(f"{'seconds of the whole build':28} {sum(steps.values()):8.0f}")
        print(f"{'seconds of ./run.sh':28} {sum(s for output, s in steps.items() if output in of_run):8.0f}")
    sys.exit(1 if arguments.check and over else 0)


if __name__ == "__main__":
    main()
