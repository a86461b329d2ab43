#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A mutation campaign over models/fred/rtl: each mutant in turn under `wafertlm rtl stress`; see stress/README.md.

    tests/rtl/mutate.py                     320 mutants, some 20 minutes of a core
    tests/rtl/mutate.py --mutants 16        some of them
    tests/rtl/mutate.py --list              only says which there are

Needs the release build (--build), which it installs below --out. Exit code 1 if the score is below --score.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys

from stress import stress_project, sv_mutants
from stress.stress_project import DESIGNS, RTL, ROOT, sources, write_if_other

VARIABLE = "mutant_pkg::selected"
# Functions of fred_pkg.sv make constants.
LEFT_ALONE = {"fred_pkg.sv", "fred_mutation_pkg.sv"}
CASES = 120
STRESS, TIME, SURVIVED = "stress", "time", "survived"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--mutants", type=int, default=320, help="how many")
    add("--seed", default="1", help="chooses them")
    add("--only", help="of files whose name has this")
    add("--build", type=pathlib.Path, default=ROOT / "build", help="folder of the release build")
    add("--out", type=pathlib.Path, help="where all goes (BUILD/rtl_mutation)")
    add("--jobs", type=int, default=os.cpu_count())
    add("--score", type=float, default=97, help="smallest share killed, without those in equivalent.txt (%%)")
    add("--list", action="store_true", help="only print the mutants")
    return parser.parse_args()


def chosen_mutants(given):
    found = []
    for path in sorted(RTL.glob("*.sv")):
        if path.name not in LEFT_ALONE and (not given.only or given.only in path.name):
            found += sv_mutants.mutants_of(path.name, path.read_text(encoding="utf-8"))
    random.Random(given.seed).shuffle(found)
    return dict(enumerate(sorted(found[:given.mutants], key=lambda each: (each.file, each.line)), start=1))


def write_sources(folder, mutants):
    folder.mkdir(parents=True, exist_ok=True)
    for path in RTL.glob("*.sv*"):
        text = path.read_text(encoding="utf-8")
        here = {number: each for number, each in mutants.items() if each.file == path.name}
        text = sv_mutants.with_mutants(text, here, VARIABLE)
        if path.name == "fred_switch.sv":
            text = text.replace("  // ---- stored configurations\n", '  initial if ($value$plusargs("mutant=%d", mutant_pkg::selected) == 0)'
                                " mutant_pkg::selected = 0;\n\n  // ---- stored configurations\n", 1)
            assert "plusargs(\"mutant" in text
        write_if_other(folder / path.name, text)
    write_if_other(folder / "mutant_pkg.sv", "package mutant_pkg;\n  int selected;\nendpackage\n")


def without_errors(folder, mutants):
    """Leaves out what Verilator refuses: of a line with an error all."""
    while True:
        write_sources(folder, mutants)
        bad = set()
        for parameters in DESIGNS.values():
            command = ["verilator", "--lint-only", "--assert", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-IMPURE", f"-I{folder}", "--top-module", "fred_switch"]
            done = subprocess.run(command + [f"-G{each}" for each in parameters.split()] + [str(each) for each in sources(folder)],
                                  capture_output=True, text=True, check=False)
            # A mutant adds no lines.
            bad |= {(match[1], int(match[2])) for match in re.finditer(r"%Error[^:\n]*: [^\n]*?(\w+\.sv):(\d+)", done.stderr)}
            if done.returncode and not bad:
                sys.exit(done.stderr)
        if not bad:
            return mutants
        lines = {name: (RTL / name).read_text(encoding="utf-8") for name, _ in bad}
        kept = {}
        for number, mutant in mutants.items():
            text = lines.get(mutant.file)
            last = mutant.line + (text.count("\n", *mutant.site[:2]) if text else 0)
            if not any(name == mutant.file and mutant.line <= line <= last for name, line in bad):
                kept[number] = mutant
        if len(kept) == len(mutants):
            sys.exit(f"errors that no mutant makes: {bad}")
        mutants = kept


def build(given, mutants):
    folder = given.out / "project" / "src"
    mutants = without_errors(folder, mutants)
    tool = stress_project.build(given.out, given.build, folder, "mutants", "-Wno-fatal -Wno-lint -Wno-IMPURE --converge-limit 200", given.jobs)
    return mutants, tool


def stress(tool, design, number, folder):
    """(fault or None, cycles and waits)."""
    command = [tool, "rtl", "stress", design, "--cases", str(CASES), "--limit", "0s", "--long-cycles", "20000", "--json", "--shrink", "0", "--plusarg", f"mutant={number}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900, cwd=folder)
    except subprocess.TimeoutExpired:
        return "runs for minutes", None
    if done.returncode not in {0, 1} or not done.stdout.startswith("{"):
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1], None
    result = json.loads(done.stdout)
    return result.get("failure", {}).get("what"), {key: result[key] for key in ("cycles", "wait_cycles")}


def judge(tool, number, good, folder):
    slower = None
    for design in DESIGNS:
        fault, figures = stress(tool, design, number, folder)
        if fault:
            return STRESS, f"{design}: {fault}"
        for key, value in figures.items():
            if value != good[design][key]:
                slower = slower or f"{design}: {key} {value}, not {good[design][key]}"
    return (TIME, slower) if slower else (SURVIVED, "")


def equivalent():
    """{(file, what): reason}"""
    known, reason = {}, ""
    for line in (pathlib.Path(__file__).parent / "stress/equivalent.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            reason = line[1:].strip() if line.strip() else ""
        else:
            file, what = line.split(": ", 1)
            known[file, what] = reason
    return known


def main():
    given = arguments()
    given.out = (given.out or given.build / "rtl_mutation").resolve()
    mutants = chosen_mutants(given)
    if given.list:
        for number, each in mutants.items():
            print(f"{number:4} {each.file}:{each.line}: {each.what}")
        return 0
    mutants, tool = build(given, mutants)
    waves = given.out / "waves"
    waves.mkdir(exist_ok=True)
    good = {}
    for design in DESIGNS:
        fault, good[design] = stress(tool, design, 0, waves)
        assert not fault, f"{design} without a mutant: {fault}"
    known = equivalent()
    counts = dict.fromkeys([STRESS, TIME, SURVIVED, "equivalent"], 0)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        results = pool.map(lambda number: judge(tool, number, good, waves), mutants)
        for (number, mutant), (outcome, what) in zip(mutants.items(), results):
            if outcome == SURVIVED and (mutant.file, mutant.what) in known:
                outcome, what = "equivalent", known[mutant.file, mutant.what]
            counts[outcome] += 1
            print(f"{number:4} {outcome:10} {mutant.file}:{mutant.line}: {mutant.what}" + (f"   [{what}]" if what else ""), flush=True)
    tried = len(mutants) - counts["equivalent"]
    score = 100 * (counts[STRESS] + counts[TIME]) / tried
    print(f"{len(mutants)} mutants: {counts[STRESS]} found by stress, {counts[TIME]} by the time they take, {counts['equivalent']} equivalent, "
          f"{counts[SURVIVED]} survived: score {score:.1f} %")
    return 0 if score >= given.score else 1


sys.exit(main())
