#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mutation campaign over the release build; see README.md. Exit code 1 if too few mutants are killed.

    tests/mutation/run.py                              400 mutants over all folders
    tests/mutation/run.py --mutants 60 --only models/fred,tlm/link
    tests/mutation/run.py --list                       only says which mutants would be tried
"""
import argparse
import fcntl
import os
import pathlib
import re
import sys
import time

import report
from campaign import Campaign, KILLED, limit_resources
from mutant_build import MutantBuild, ReleaseBuild
from selection import Tree, choose, equivalent_mutants, found_again, some_files
from suite import tests_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPARE = 1.1  # as many are chosen: some do not compile


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--mutants", type=int, default=400, help="how many")
    add("--seed", default="1", help="chooses them")
    add("--only", default="", help="folders or files, with commas between")
    add("--files", type=int, help="only in so many files, by seed: less to compile")
    add("--build", default="build", help="folder of the release build")
    add("--out", help="where all goes (BUILD/mutation)")
    add("--jobs", type=int, default=os.cpu_count(), help="compilers and tests at a time")
    add("--slowest", type=float, default=5, help="tests that take longer are left out (s)")
    add("--budget", type=float, default=60, help="tests of one mutant stop after this (s)")
    add("--total", type=float, default=85, help="smallest share killed of all (%%)")
    add("--folder", type=float, default=75, help="smallest share killed of a folder (%%)")
    add("--of-reached", action="store_true", help="shares are of the mutants that the tests reach: for quick tests only")
    add("--tests", type=re.compile, help="only tests with such names")
    add("--again", action="store_true", help="only those that the last campaign in this folder did not kill")
    add("--list", action="store_true", help="only print the mutants")
    return parser.parse_args()


def locked(folder):
    """The open file that keeps a second campaign out of the folder, whose objects would be mixed with ours."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = open(folder / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"another campaign is at work in {folder}; wait for it, or give another --out")
    return lock


def main():
    given = arguments()
    build = (ROOT / given.build).resolve()
    out = pathlib.Path(given.out).resolve() if given.out else build / "mutation"
    begin = time.monotonic()
    if not (build / "build.ninja").exists() and not given.list:
        sys.exit(f"{build} holds no build; run ./build.sh first")

    def say(line):
        print(f"{time.monotonic() - begin:6.0f} s  {line}", flush=True)

    tree, equivalent, skipped = Tree(ROOT), equivalent_mutants(), {}

    def left_out(mutant):
        if mutant.key() in equivalent:
            skipped[mutant.key()] = equivalent[mutant.key()]
        return mutant.key() in equivalent

    before = report.load(out / "mutants.json") if given.again else []
    before = [row for row in before if (row["file"], row["text"], row["change"]) not in equivalent]
    paths = tree.paths([name for name in given.only.split(",") if name])
    if given.files:
        paths = some_files(tree, paths, given.files, given.seed)
    if given.again:
        mutants = found_again(tree, [row for row in before if row["outcome"] != KILLED])
    else:
        mutants = choose(tree, paths, round(given.mutants * SPARE), given.seed, left_out)
    if given.list:
        for mutant in mutants:
            print(f"{mutant.path}:{mutant.line}:{mutant.column}: {mutant.change}\n      {mutant.line_text}")
        return 0
    say(f"{len(mutants)} mutants in {len({mutant.path for mutant in mutants})} files")
    lock = locked(out)  # until the end
    release = ReleaseBuild(ROOT, build)
    mutants = MutantBuild(release, tree, mutants, out, given.jobs).run()[:given.mutants]
    say(f"built with {len(mutants)} of them: {', '.join(release.executables)}")

    limit_resources()
    tests = tests_of(build, out, release.executables, given.slowest, given.tests)
    campaign = Campaign(tests, mutants, given.jobs, given.budget, tree.folder_of, say)
    campaign.find_reached()
    say(f"{len(campaign.tests)} tests" + "".join(f"\n  fails without a mutant: {name}" for name in campaign.failing))
    verdicts = campaign.run()

    rows = report.rows_of(mutants, verdicts, tree.folder_of)
    if given.again:
        rows = report.merged(before, rows)
    report.save(out / "mutants.json", rows)
    report.print_survivors(rows)
    if skipped:
        print(f"\n{len(skipped)} mutants of equivalent.txt were chosen and left out")
    print()
    folders = report.table(rows)
    report.print_table(folders)
    if given.of_reached:
        folders = report.table(report.reached(rows))
    missed = report.missed(folders, given.total, given.folder)
    print("\n".join(missed) if missed else "enough")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
