#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of pages/headlines.md from headlines.yaml: headlines of the sources beside what WaferTLM gives.

    headlines.py WAFERTLM [--all] [--results DIR] [--write]

Runs the commands, with --all the studies, too (half an hour); of DIR/STUDY/results.json that is there, nothing is run. Exit code 1:
the page says something else; --write writes it.
"""
import argparse
import difflib
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

GUIDE = pathlib.Path(__file__).resolve().parent
PAGE = GUIDE / "pages" / "headlines.md"
STUDIES, PLATFORMS = GUIDE.parent / "configs" / "studies", GUIDE.parent / "configs" / "platforms"
BEGIN, END = "<!-- headlines.py -->\n", "<!-- end -->\n"


def read(document, path):
    """What `a.b[0].c[name=x].d` leads to."""
    for key, index, name, value in re.findall(r"\.?([\w ]+)|\[(\d+)\]|\[(\w+)=([^\]]*)\]", path):
        if key:
            document = document[key]
        elif index:
            document = document[int(index)]
        else:
            document = next(each for each in document if str(each.get(name)) == value)
    return document


class Results:
    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    @functools.cache
    def study(self, name):
        results = self.folder / name / "results.json"
        if not results.exists():
            subprocess.run([self.tool, "study", STUDIES / f"{name}.yaml", "--out", results.parent], check=True,
                           stdout=subprocess.DEVNULL)
        return json.loads(results.read_text(encoding="utf-8"))

    @functools.cache
    def command(self, *words):
        words = [next((str(folder / name) for folder, name in ((STUDIES, f"{word}.yaml"), (PLATFORMS, word))
                       if (folder / name).is_file()), word) for word in words]
        return json.loads(subprocess.run([self.tool, *words, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def ours(row, results):
    if "command" in row:
        document = results.command(*row["command"])
        value = read(document, row["read"]) * row.get("times", 1) + row.get("plus", 0)
        return value / read(document, row["over"]) if "over" in row else value
    if "summary" in row:
        return next(each["value"] for each in results.study(row["study"])["summaries"] if each["summary"] == row["summary"])
    cells = [cell for cell in results.study(row["study"])["cells"]
             if all(cell["at"].get(axis) == value for axis, value in row["where"].items())]
    values = {cell["values"][row["column"]] for cell in cells}
    if len(values) != 1:
        raise SystemExit(f"{row['figure']}: {len(values)} values in {row['study']}")
    return values.pop()


def table(rows, results, before, run_all):
    """Of rows that are not run, the line that the page has."""
    lines = ["| Source | Figure | Theirs | Ours | From | Why they differ |", "|---|---|---|---|---|---|"]
    for row in rows:
        origin = row.get("study") or " ".join(row.get("command", [])[:2])
        start = f"| {row['source']} | {row['figure']} | {row['theirs']} | "
        if row.get("slow") and not run_all:
            lines.append(next((line for line in before if line.startswith(start)), start + "not on the page |"))
            continue
        value = f"{ours(row, results):.3g}" if origin else "–"
        lines.append(f"{start}{value} | {f'`{origin}`' if origin else '–'} | {row['why']} |")
    return lines


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tool")
    options.add_argument("--all", action="store_true")
    options.add_argument("--results", type=pathlib.Path)
    options.add_argument("--write", action="store_true")
    given = options.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    before, tail = rest.split(END)
    with tempfile.TemporaryDirectory() as folder:
        results = Results(pathlib.Path(given.tool).resolve(), given.results or pathlib.Path(folder))
        rows = yaml.safe_load((GUIDE / "headlines.yaml").read_text(encoding="utf-8"))
        lines = table(rows, results, before.splitlines(), given.all)
    after = "\n".join(lines) + "\n"
    if given.write:
        PAGE.write_text(head + BEGIN + after + END + tail, encoding="utf-8")
    elif after != before:
        print("\n".join(difflib.unified_diff(before.splitlines(), lines, "the page", "measured", lineterm="")))
        sys.exit(1)
    print(f"{len(rows)} headlines, {sum(bool(row.get('slow')) for row in rows)} of them slow")


if __name__ == "__main__":
    main()
