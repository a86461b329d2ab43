# SPDX-License-Identifier: Apache-2.0
"""What a campaign found: a table by folder, the survivors, and whether it is enough. A row is a mutant and its verdict."""
import dataclasses
import json

from campaign import KILLED, NOT_REACHED, SURVIVED


def rows_of(mutants, verdicts, folder_of):
    return [{"folder": folder_of(mutant.path), "file": mutant.path, "line": mutant.line, "column": mutant.column,
             "text": mutant.line_text, "operator": mutant.operator, "change": mutant.change, "number": mutant.number,
             **dataclasses.asdict(verdicts[mutant.number])} for mutant in mutants]


def key(row):
    """What says which mutant this is after an edit elsewhere in the file."""
    return row["file"], row["text"], row["change"], row["column"]


def save(path, rows):
    path.write_text(json.dumps(rows, indent=1) + "\n")


def load(path):
    return json.loads(path.read_text())


def merged(before, now):
    """The rows of an earlier campaign, with what is known now."""
    known = {key(row): row for row in now}
    return [known.get(key(row), row) for row in before]


def table(rows):
    """{folder: {outcome: number}}, with "all"."""
    folders = {}
    for row in rows:
        for folder in (row["folder"], "all"):
            folders.setdefault(folder, {KILLED: 0, SURVIVED: 0, NOT_REACHED: 0})[row["outcome"]] += 1
    return folders


def reached(rows):
    return [row for row in rows if row["outcome"] != NOT_REACHED]


def share(counts):
    return 100.0 * counts[KILLED] / sum(counts.values())


def print_table(folders):
    print(f"{'folder':28} mutants  killed  survived  not reached")
    for folder in sorted(folders, key=lambda name: (name == "all", name)):
        counts = folders[folder]
        print(f"{folder:28} {sum(counts.values()):7}  {share(counts):4.0f} %  {counts[SURVIVED]:8}  "
              f"{counts[NOT_REACHED]:11}")


def print_survivors(rows):
    for outcome in (SURVIVED, NOT_REACHED):
        left = [row for row in rows if row["outcome"] == outcome]
        if left:
            print(f"\n{outcome}:")
        for row in sorted(left, key=lambda row: (row["file"], row["line"], row["column"])):
            cut = f", {row['left']} tests not run: time over" if row["left"] else ""
            print(f"  {row['file']}:{row['line']}:{row['column']}: {row['change']}   [{row['number']}{cut}]\n"
                  f"      {row['text']}")


def missed(folders, total, folder):
    """Sentences about the limits (in percent) that are not held."""
    return [f"{name}: {share(counts):.1f} % killed, {limit:g} % wanted" for name, counts in sorted(folders.items())
            for limit in [total if name == "all" else folder] if share(counts) < limit]
