#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the dependency rule of the folders, and a few rules of style that no other tool checks.

    .ci/check_dependencies.py [ROOT]        prints file:line: message for each violation; exit code 1 if there are any

- tlm includes only tlm; models, workloads and waveforms their own folder and tlm; platform and tests anything.
- Own headers are included in quotes and from the project root.
- Engines are free of SystemC, also through the own headers they include: files *_engine.h, *_engine.cpp and *_params.h, and
  everything in NO_SYSTEMC.
- A header starts with #pragma once and has no `using namespace`; a C++ file starts with the SPDX line.
- No source file has more than 600 lines.
"""
import functools
import pathlib
import re
import sys

ALLOWED = {
    "tlm": {"tlm"},
    "models": {"models", "tlm"},
    "workloads": {"workloads", "tlm"},
    "waveforms": {"waveforms", "tlm"},
    "platform": {"platform", "models", "workloads", "waveforms", "tlm"},
}
# Folders (or files) without SystemC, beside the *_engine files; and what is excepted from them.
NO_SYSTEMC = ("tlm/link/", "workloads/chakra/", "workloads/layers/", "workloads/collectives/", "workloads/backends/",
               "workloads/parallelism/", "workloads/synthesis/", "platform/config/", "models/fred/routing/", "models/ethernet/",
               "models/nic/")
WITH_SYSTEMC = ("tlm/link/switch_module.", "models/ethernet/ethernet_fabric.")

MAX_LINES = 600
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
        folders = [*ALLOWED, "tests"]
        paths = [path for folder in folders for path in (self.root / folder).rglob("*") if path.suffix in SOURCES]
        return sorted(path.relative_to(self.root).as_posix() for path in paths)

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
    folder = path.split("/")[0]
    for number, quoted, what in tree.includes(path):
        target = what.split("/")[0] if "/" in what else None
        if not quoted:
            if target in ALLOWED:
                yield number, f'own headers are included in quotes: "{what}"'
        elif target in ALLOWED:
            if folder in ALLOWED and target not in ALLOWED[folder]:
                yield number, f"{folder} must not use {target} ({what})"
        elif what.startswith(".") or (tree.root / path).parent.joinpath(what).is_file():
            yield number, f'"{what}" is not written from the project root'


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
    if suffix == ".h":
        if "#pragma once" not in lines:
            yield 1, "no #pragma once"
        for number, line in enumerate(lines, 1):
            if USING_NAMESPACE.match(line):
                yield number, "using namespace in a header"


def violations(root):
    tree = Tree(root)
    for path in tree.sources():
        found = list(check_text(tree, path))
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
