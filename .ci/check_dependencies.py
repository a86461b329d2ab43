#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom, and a few rules of style that no other tool checks.

    .ci/check_dependencies.py [ROOT]        prints file:line: message for each violation; exit code 1 if there are any

- Includes go down only: of the rooms (subfolders) of a folder in .ci/floors.txt to floors below the own one.
- The rooms of no folder, at any depth, include each other in a circle.
- What is installed (platform/package/public_headers.txt) includes only what is installed.
- Own headers are included in quotes and from the project root.
- Engines are free of SystemC, also through the own headers they include: files *_engine.h, *_engine.cpp and *_params.h, and
  everything in NO_SYSTEMC.
- Files of users are read through tlm/input/file.h: who opens one by itself is refused, except in OWN_FILES.
- A header starts with #pragma once and has no `using namespace`; a C++ file starts with the SPDX line.
- No source file has more than 500 lines.
"""
import functools
import pathlib
import re
import sys

BLOCKS = ("tlm", "models", "workloads", "waveforms", "platform")
# Folders (or files) without SystemC, beside the *_engine files; and what is excepted from them.
NO_SYSTEMC = ("tlm/link/", "tlm/packets/", "tlm/program/", "workloads/chakra/", "workloads/layers/", "workloads/collectives/",
              "workloads/parallelism/", "platform/text/", "platform/describe/", "platform/spec/", "models/fred/routing/",
              "models/ethernet/", "models/nic/")
WITH_SYSTEMC = ("tlm/link/switch_module.", "tlm/link/lossy_links.", "tlm/packets/protocol.", "models/ethernet/ethernet_fabric.")

# What opens files that the program wrote itself, or that the system keeps.
OWN_FILES = ("tlm/input/", "waveforms/", "platform/host/", "platform/commands/study/sweep/", "workloads/chakra/trace_file.cpp", "tests/")
OPENS_FILE = re.compile(r"\bifstream\s*\w*[({]|\bf?open\(\w+(\.c_str\(\))?, (\"r|O_RDONLY)")

PROJECTS = "platform/package/examples/"  # of somebody else, who knows what is installed: no rooms of this house

MAX_LINES = 500
SPDX = "// SPDX-License-Identifier: Apache-2.0"
CPP = {".h", ".cpp"}
SOURCES = CPP | {".py", ".sh", ".cmake"}

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
SYSTEMC = re.compile(r"(systemc|tlm)(\.h)?|(sysc|tlm_core|tlm_utils)/.*")
USING_NAMESPACE = re.compile(r"\s*using\s+namespace\b")


class Tree:
    def __init__(self, root):
        self.root = root

    @functools.lru_cache(maxsize=None)
    def lines(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace").splitlines()

    @functools.lru_cache(maxsize=None)
    def includes(self, path):
        """(line number, quoted?, what) of each include."""
        found = []
        for number, line in enumerate(self.lines(path), 1):
            match = INCLUDE.match(line)
            if match:
                found.append((number, match[1] == '"', match[2]))
        return found

    def sources(self):
        folders = [*BLOCKS, "tests"]
        paths = [path.relative_to(self.root).as_posix() for folder in folders for path in (self.root / folder).rglob("*") if path.suffix in SOURCES]
        return sorted(path for path in paths if not path.startswith(PROJECTS))

    def systemc_chain(self, path, seen):
        """The includes that lead from `path` to SystemC, or None."""
        for _, quoted, what in self.includes(path):
            if not quoted and SYSTEMC.fullmatch(what):
                return [f"<{what}>"]
            if quoted and what not in seen and (self.root / what).is_file():
                seen.add(what)
                chain = self.systemc_chain(what, seen)
                if chain:
                    return [what, *chain]
        return None


def check_includes(tree, path):
    for number, quoted, what in tree.includes(path):
        target = what.split("/")[0] if "/" in what else None
        if not quoted:
            if target in BLOCKS:
                yield number, f'own headers are included in quotes: "{what}"'
        elif target not in BLOCKS and (what.startswith(".") or (tree.root / path).parent.joinpath(what).is_file()):
            yield number, f'"{what}" is not written from the project root'


def read_floors(root):
    """{folder: {room: floor}} of .ci/floors.txt; empty if there is none."""
    file = root / ".ci" / "floors.txt"
    floors = {}
    for line in file.read_text().splitlines() if file.is_file() else []:
        if line and not line.startswith("#"):
            folder, rooms = line.split(": ")
            floors[folder] = {room: number for number, floor in enumerate(rooms.split(" < ")) for room in floor.split()}
    return floors


def rooms_of(path, other):
    """Where the ways to two files part: (folder, room of the one, room of the other); None in one folder."""
    one, two = path.split("/")[:-1], other.split("/")[:-1]
    depth = next((k for k, (a, b) in enumerate(zip(one, two)) if a != b), min(len(one), len(two)))
    room = [way[depth] if depth < len(way) else "." for way in (one, two)]
    return None if one == two else ("/".join(one[:depth]) or ".", *room)


def check_floors(tree, paths):
    """(path, line, message) of includes that do not go down, and of those that close a circle."""
    floors = read_floors(tree.root)
    used = {}  # (folder, room, other room): where
    for path in paths:
        if path.split("/")[0] not in BLOCKS or pathlib.PurePosixPath(path).suffix not in CPP:
            continue
        for number, quoted, what in tree.includes(path):
            parted = quoted and what.split("/")[0] in BLOCKS and rooms_of(path, what)
            if not parted:
                continue
            folder, room, other = parted
            floor = floors.get(folder)
            if floor is None:
                used.setdefault(folder, {}).setdefault((room, other), (path, number))
            elif room not in floor or other not in floor:
                missing = room if room not in floor else other
                yield path, number, f"{folder} has a room '{missing}' that .ci/floors.txt puts on no floor"
            elif floor[other] >= floor[room]:
                yield path, number, f"{folder}: {room} must not use {other} ({what}); includes go down only (.ci/floors.txt)"
    for folder, edges in sorted(used.items()):
        for (room, other), (path, number) in sorted(edges.items()):
            if reaches(edges, other, room):
                yield path, number, f"{folder}: {room} uses {other}, which uses {room}: a circle of folders"


def check_public(tree, paths):
    """(path, line, message) of installed headers that include others, or that are not there."""
    file = tree.root / "platform/package/public_headers.txt"
    public = {line for line in file.read_text().splitlines() if line and not line.startswith("#")} if file.is_file() else set()
    for path in sorted(public):
        if path not in paths:
            yield "platform/package/public_headers.txt", 1, f"there is no {path}"
            continue
        for number, quoted, what in tree.includes(path):
            if quoted and what not in public:
                yield path, number, f"it is installed, and {what} is not (platform/package/public_headers.txt)"


def reaches(edges, start, end):
    seen, waiting = {start}, [start]
    while waiting:
        room = waiting.pop()
        if room == end:
            return True
        for one, other in edges:
            if one == room and other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def is_engine(path):
    if path.startswith("tests/") or path.startswith(WITH_SYSTEMC):
        return False
    return path.endswith(("_engine.h", "_engine.cpp", "_params.h")) or path.startswith(NO_SYSTEMC)


def check_engine(tree, path):
    for number, quoted, what in tree.includes(path):
        if not quoted and SYSTEMC.fullmatch(what):
            yield number, f"no SystemC here: <{what}> belongs in the shell around the engine"
        elif quoted and (tree.root / what).is_file():
            chain = tree.systemc_chain(what, {path, what})
            if chain:
                yield number, f"no SystemC here, and this leads to it: {' -> '.join([what, *chain])}"


def check_text(tree, path):
    lines = tree.lines(path)
    suffix = pathlib.PurePosixPath(path).suffix
    if len(lines) > MAX_LINES:
        yield MAX_LINES + 1, f"{len(lines)} lines; split it, {MAX_LINES} is the limit"
    if suffix in CPP and (not lines or lines[0] != SPDX):
        yield 1, f"the first line is not '{SPDX}'"
    if suffix in CPP and not path.startswith(OWN_FILES):
        for number, line in enumerate(lines, 1):
            if OPENS_FILE.search(line):
                yield number, "a file of the user's is read through tlm/input/file.h"
    if suffix == ".h":
        if "#pragma once" not in lines:
            yield 1, "no #pragma once"
        for number, line in enumerate(lines, 1):
            if USING_NAMESPACE.match(line):
                yield number, "using namespace in a header"


def violations(root):
    tree = Tree(root)
    paths = tree.sources()
    of_floors = {}
    for path, number, message in [*check_floors(tree, paths), *check_public(tree, paths)]:
        of_floors.setdefault(path, []).append((number, message))
    for path in [*paths, *(path for path in of_floors if path not in paths)]:
        found = (list(check_text(tree, path)) if path in paths else []) + of_floors.get(path, [])
        if pathlib.PurePosixPath(path).suffix in CPP:
            found += check_includes(tree, path)
            if is_engine(path):
                found += check_engine(tree, path)
        for number, message in sorted(found):
            yield f"{path}:{number}: {message}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    if not (root / "tlm").is_dir():
        sys.exit(f"{root} is not the root of the project: it has no folder tlm")
    found = list(violations(root))
    print("\n".join(found) if found else "dependency rule: no violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
