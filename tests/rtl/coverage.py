#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which lines, branches and toggles of the FRED switch `wafertlm rtl stress` reaches.

    tests/rtl/coverage.py [--seconds 60] [--least-lines 98] [--least-toggles 85]

A point counts as covered when any instance of its module in any of the switches was there. Exit code 1 below the least
shares.
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys

from stress import stress_project
from stress.stress_project import DESIGNS, ROOT, RTL


def points(file):
    """((kind, source, line, what), count) of a file of Verilator's."""
    for line in file.open(encoding="utf-8", errors="replace"):
        if line.startswith("C '"):
            text, count = line[3:].rsplit("' ", 1)
            fields = dict(part.split("\x02", 1) for part in text.split("\x01") if "\x02" in part)
            kind = fields.get("page", "").split("/")[0]
            yield (kind, pathlib.Path(fields["f"]).name, int(fields["l"]), fields.get("n", "") + fields.get("o", "")), int(count)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--build", type=pathlib.Path, default=ROOT / "build", help="folder of the release build")
    add("--out", type=pathlib.Path, help="where all goes (BUILD/rtl_coverage)")
    add("--seconds", default="60", help="of stress for each switch")
    add("--least-lines", type=float, default=98, metavar="PERCENT")
    add("--least-toggles", type=float, default=85, metavar="PERCENT")
    add("--missing", action="store_true", help="list toggles that were not reached")
    given = parser.parse_args()
    out = (given.out or given.build / "rtl_coverage").resolve()
    tool = stress_project.build(out, given.build.resolve(), RTL, "covered", "--coverage", os.cpu_count())
    hits = collections.Counter()
    for design in DESIGNS:
        file = out / f"{design}.dat"
        subprocess.run([tool, "rtl", "stress", design, "--limit", f"{given.seconds}s", "--coverage", file], check=True, stdout=subprocess.DEVNULL)
        for point, count in points(file):
            hits[point] += count
    shares = {}
    for kind, name in (("v_line", "lines"), ("v_branch", "branches"), ("v_toggle", "toggles")):
        by_source = collections.defaultdict(lambda: [0, 0])
        for (of, source, line, what), count in hits.items():
            if of != kind:
                continue
            by_source[source][0] += count > 0
            by_source[source][1] += 1
            if count == 0 and (kind != "v_toggle" or given.missing):
                print(f"not reached: {source}:{line} {what}")
        covered, of = (sum(column) for column in zip(*by_source.values()))
        shares[name] = 100 * covered / of
        print(f"{name}: {shares[name]:.1f} % ({covered} of {of})")
        for source, (there, all_of) in sorted(by_source.items()):
            print(f"  {source:24} {100 * there / all_of:6.1f} %  {there} of {all_of}")
    return 0 if shares["lines"] >= given.least_lines and shares["toggles"] >= given.least_toggles else 1


if __name__ == "__main__":
    sys.exit(main())
