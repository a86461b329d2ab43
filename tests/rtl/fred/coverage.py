#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the tests of the FRED switch's RTL with Verilator's coverage, runs them, and prints line and toggle coverage.

    tests/rtl/fred/coverage.py [--build DIR] [--filter REGEX] [--least PERCENT]

A point of a module counts as covered when any of its instances was there. Exit code 1 below --least (lines, 90).
"""
import argparse
import collections
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]


def build(folder):
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    "-DWAFERTLM_RTL_COVERAGE=ON"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--target", "wafertlm_rtl_tests"], check=True, stdout=sys.stderr)


def points(file):
    """(kind, source, line, what) -> count, of one file of the run."""
    for line in file.open(errors="replace"):
        if not line.startswith("C '"):
            continue
        text, count = line[3:].rsplit("' ", 1)
        fields = dict(part.split("\x02", 1) for part in text.split("\x01") if "\x02" in part)
        kind = fields.get("page", "").split("/")[0]
        source = pathlib.Path(fields["f"]).name
        yield (kind, source, int(fields["l"]), fields.get("n", "") + fields.get("o", "")), int(count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build-coverage", type=pathlib.Path)
    parser.add_argument("--filter", default="Ports/FredSwitch.Phases/0:Mutations.UnmutatedPasses", help="GoogleTest's filter")
    parser.add_argument("--least", default=90.0, type=float, metavar="PERCENT")
    arguments = parser.parse_args()
    build(arguments.build)
    hits = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, WAFERTLM_RTL_COVERAGE_DIR=folder, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
        subprocess.run([arguments.build / "wafertlm_rtl_tests", f"--gtest_filter={arguments.filter}"],
                       check=True, env=environment, stdout=sys.stderr)
        for file in pathlib.Path(folder).glob("*.dat"):
            for point, count in points(file):
                hits[point] += count
    if not hits:
        sys.exit("coverage.py: the run wrote no coverage")
    lines = toggles = 0.0
    for kind, name in (("v_line", "lines"), ("v_branch", "branches"), ("v_toggle", "toggles")):
        by_source = collections.defaultdict(lambda: [0, 0])
        for (of, source, _, _), count in hits.items():
            if of == kind:
                by_source[source][0] += count > 0
                by_source[source][1] += 1
        if not by_source:
            continue
        covered, all_points = (sum(column) for column in zip(*by_source.values()))
        print(f"{name}: {100 * covered / all_points:.1f} % ({covered} of {all_points})")
        for source, (there, of) in sorted(by_source.items()):
            print(f"  {source:24} {100 * there / of:6.1f} %  {there} of {of}")
        if kind == "v_line":
            lines = 100 * covered / all_points
    for (kind, source, line, what), count in sorted(hits.items()):
        if kind in ("v_line", "v_branch") and count == 0:
            print(f"not reached: {source}:{line} {what}")
    return 0 if lines >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
