# SPDX-License-Identifier: Apache-2.0
"""Which mutants: the same share of each folder, chosen by a seed."""
import dataclasses
import pathlib
import random

from cpp_tokens import Source
from operators import mutants_of
from regions import regions_of

HERE = pathlib.Path(__file__).parent


class Tree:
    """The source files by their paths in the project, read once, with their regions."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.folders = [line for line in (HERE / "folders.txt").read_text().split("\n") if line and line[0] != "#"]
        self._read = {}

    def paths(self, wanted=()):
        """All files of the folders, or of those that begin like one of `wanted`."""
        found = {str(path.relative_to(self.root)) for folder in self.folders
                 for path in (self.root / folder).rglob("*.cpp") if "/cmake/" not in str(path)}
        return sorted(path for path in found if not wanted or path.startswith(tuple(wanted)))

    def folder_of(self, path):
        return max((folder for folder in self.folders if path.startswith(folder + "/")), key=len)

    def read(self, path):
        if path not in self._read:
            source = Source(path, (self.root / path).read_text(encoding="utf-8"))
            self._read[path] = source, regions_of(source)
        return self._read[path]


def choose(tree, paths, count, seed, left_out=lambda mutant: False):
    """`count` mutants in turn from each folder, at most one at a place, numbered from 1."""
    waiting = {}
    for path in paths:
        places = {}
        for mutant in mutants_of(*tree.read(path)):
            places.setdefault((mutant.line, mutant.column, mutant.operator), []).append(mutant)
        waiting.setdefault(tree.folder_of(path), []).extend(places.values())
    # A change in one folder changes nothing in the others.
    chances = {folder: random.Random(f"{seed} {folder}") for folder in waiting}
    for folder, places in waiting.items():
        chances[folder].shuffle(places)
    order = random.Random(seed).sample(sorted(waiting), len(waiting))
    chosen = []
    while len(chosen) < count and any(waiting.values()):
        for folder in order:
            mutant = chances[folder].choice(waiting[folder].pop()) if waiting[folder] else None
            if mutant and not left_out(mutant) and len(chosen) < count:
                chosen.append(dataclasses.replace(mutant, number=len(chosen) + 1))
    return chosen


def found_again(tree, rows):
    """The mutants of an earlier campaign: where its lines are now."""
    found = []
    for row in rows:
        if not (tree.root / row["file"]).exists():
            continue
        alike = [mutant for mutant in mutants_of(*tree.read(row["file"]))
                 if (mutant.line_text, mutant.change, mutant.column) == (row["text"], row["change"], row["column"])]
        if alike:
            nearest = min(alike, key=lambda mutant: abs(mutant.line - row["line"]))
            found.append(dataclasses.replace(nearest, number=len(found) + 1))
    return found


def some_files(tree, paths, count, seed):
    """`count` of the files, by seed, from as many folders: what a short campaign compiles."""
    chance = random.Random(seed)
    waiting = {}
    for path in chance.sample(paths, len(paths)):
        waiting.setdefault(tree.folder_of(path), []).append(path)
    order = chance.sample(sorted(waiting), len(waiting))
    turns = (folder[turn] for turn in range(len(paths)) for folder in map(waiting.get, order) if turn < len(folder))
    return sorted(path for path, _ in zip(turns, range(count)))


def equivalent_mutants(path=HERE / "equivalent.txt"):
    """{(file, line's text, change): reason}: see the file."""
    entries, fields = {}, []
    for line in pathlib.Path(path).read_text().split("\n"):
        if line.startswith("#"):
            continue
        if line.strip():
            fields.append(line.strip())
        elif fields:
            if len(fields) != 4:
                raise ValueError(f"{path}: an entry has four lines (file, text, change, reason), not {fields}")
            entries[tuple(fields[:3])] = fields[3]
            fields = []
    return entries
