#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the results that ctest wrote with --output-junit and prints "N passed, N failed" as the last line, and
", N skipped" if there are.

Skipped and disabled tests are listed with their reason, failed ones with the end of what they printed; skipped ones
count as failed when CI=true. Exit code 0 only if something passed and nothing failed.
"""
import argparse
import os
import sys
import xml.etree.ElementTree as ElementTree

LINES_OF_A_FAILURE = 30


def outcome(case):
    """passed, failed or skipped. ctest says `notrun` both for a skip and for a test it could not start."""
    status = case.get("status")
    if status == "run":
        return "passed"
    skipped = case.find("skipped")
    asked_for = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if status == "disabled" or asked_for else "failed"


def reason(case):
    """What GoogleTest prints on the line after "file:line: Skipped"."""
    lines = case.findtext("system-out", "").splitlines()
    said = [after for line, after in zip(lines, lines[1:]) if line.endswith(": Skipped")]
    return f" ({said[0]})" if said else ""


def last_lines(case):
    """Indented, to stand below the name of a test that failed."""
    lines = case.findtext("system-out", "").rstrip().splitlines()
    return "".join(f"\n    {line[:300]}" for line in lines[-LINES_OF_A_FAILURE:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", help="the JUnit file of ctest")
    parser.add_argument("--ctest-status", type=int, default=0, help="exit code of ctest")
    arguments = parser.parse_args()

    names = {"passed": [], "failed": [], "skipped": []}
    try:
        for case in ElementTree.parse(arguments.results).iter("testcase"):
            kind = outcome(case)
            about = {"skipped": reason, "failed": last_lines}.get(kind)
            names[kind].append(case.get("name") + (about(case) if about else ""))
    except (OSError, ElementTree.ParseError) as error:
        names["failed"].append(f"no test results: {error}")
    passed, failed = len(names["passed"]), len(names["failed"])
    if failed == 0 and (passed == 0 or arguments.ctest_status != 0):
        names["failed"].append(f"ctest ended with {arguments.ctest_status} and {passed} passed tests")
        failed = 1

    for kind in ("skipped", "failed"):
        for name in names[kind]:
            print(f"{kind}: {name}")
    skipped = len(names["skipped"])
    if os.environ.get("CI") == "true":
        failed, skipped = failed + skipped, 0
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
