# SPDX-License-Identifier: Apache-2.0
"""One build with all mutants in it: only the units that hold one are compiled, all else is taken from the release build."""
import concurrent.futures
import dataclasses
import pathlib
import re
import shlex
import subprocess

from compile_errors import refused
from insertion import mutated
from operators import all_regions

TARGETS = ("wafertlm", "wafertlm_block_tests", "wafertlm_tests", "wafertlm_rtl_tests", "wafertlm_crossbar_tests")
INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


@dataclasses.dataclass
class Unit:
    """What one call of the compiler translates: a file, or a list of files that are compiled together."""
    command: list
    source: str
    object: str
    files: list


class ReleaseBuild:
    """The commands of a build folder: units, libraries {path: command}, executables {name: command}."""

    def __init__(self, root, folder):
        self.root, self.folder = pathlib.Path(root), pathlib.Path(folder)
        known = subprocess.run(["ninja", "-C", folder, "-t", "targets", "all"], capture_output=True, text=True, check=True)
        self.targets = [name for name in TARGETS if f"\n{name}: " in "\n" + known.stdout]
        # Brought up to date: its objects are taken.
        subprocess.run(["ninja", "-C", folder, *self.targets], stdout=subprocess.DEVNULL, check=True)
        listed = subprocess.run(["ninja", "-C", folder, "-t", "commands", *self.targets], capture_output=True, text=True,
                                check=True)
        self.units, self.libraries, self.executables = [], {}, {}
        for line in listed.stdout.split("\n"):
            self._read(line)

    def _read(self, line):
        for part in line.split(" && "):
            words = shlex.split(part)
            if "-c" in words and "-o" in words:
                self._add_unit(words)
            elif len(words) > 2 and words[0].endswith("/ar"):
                self.libraries[words[2]] = words
            elif "-o" in words and words[words.index("-o") + 1] in self.targets:
                self.executables[words[words.index("-o") + 1]] = words

    def _add_unit(self, words):
        source, target = words[words.index("-c") + 1], words[words.index("-o") + 1]
        files = [source]
        if source.endswith("_cxx.cxx"):
            files = INCLUDED.findall(pathlib.Path(source).read_text())
        files = [str(pathlib.Path(file).relative_to(self.root)) for file in files
                 if pathlib.Path(file).is_relative_to(self.root) and not file.startswith(str(self.folder))]
        if files:
            self.units.append(Unit(words, source, target, files))


class MutantBuild:
    def __init__(self, release, tree, mutants, out, jobs):
        self.release, self.tree, self.out, self.jobs = release, tree, pathlib.Path(out), jobs
        self.mutants = {mutant.number: mutant for mutant in mutants}
        self.refused = set()

    def run(self):
        """Builds the executables; returns the mutants that are in them."""
        holding = {mutant.path for mutant in self.mutants.values()}
        units = [unit for unit in self.release.units if holding & set(unit.files)]
        elsewhere = holding - {file for unit in units for file in unit.files}
        self.refused |= {number for number, mutant in self.mutants.items() if mutant.path in elsewhere}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            compiled = dict(pool.map(self._compile, units))
        libraries = {}
        for path, command in self.release.libraries.items():
            if compiled.keys() & set(command):
                libraries[path] = self._command(command, compiled, path)
        for name, command in self.release.executables.items():
            self._command(command, {**compiled, **libraries}, name)
        return [mutant for number, mutant in sorted(self.mutants.items()) if number not in self.refused]

    def _command(self, command, replaced, made):
        """Runs the command with other inputs; what it makes goes into our folder, under the same path."""
        target = self.out / made
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        words = [str(target) if word == made else str(replaced.get(word, word)) for word in command]
        subprocess.run(words, cwd=self.release.folder, check=True)
        return target

    def _compile(self, unit):
        while True:
            of_line = {}
            source = self._write(unit, of_line)
            target = self.out / unit.object
            target.parent.mkdir(parents=True, exist_ok=True)
            words = list(unit.command)
            for option, value in (("-c", source), ("-o", target), ("-MF", f"{target}.d")):
                if option in words:
                    words[words.index(option) + 1] = str(value)
            done = subprocess.run([*words, "-w", "-fmax-errors=0"], cwd=self.release.folder, capture_output=True, text=True)
            if done.returncode == 0:
                return unit.object, target
            bad = refused(done.stderr, of_line)
            if not bad:  # nothing to be learnt from the errors
                bad = {number for lines in of_line.values() for number in lines.values()}
                if not bad:
                    raise RuntimeError(f"{unit.source} does not compile without mutants:\n{done.stderr[:3000]}")
            self.refused |= bad

    def _write(self, unit, of_line):
        """The mutated files of a unit, and what includes them; notes which line holds which mutant."""
        replaced = {}
        for path in unit.files:
            mutants = [mutant for mutant in self.mutants.values()
                       if mutant.path == path and mutant.number not in self.refused]
            if not mutants:
                continue
            text, lines = mutated(*self.tree.read(path), mutants, all_regions)
            file = self.out / "source" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            of_line[str(file)] = lines
            replaced[str(self.release.root / path)] = file
        if unit.source in replaced:
            return replaced[unit.source]
        if len(unit.files) == 1 and not unit.source.endswith("_cxx.cxx"):
            return unit.source
        together = self.out / "units" / unit.object.replace("/", "_")[:-2]
        together.parent.mkdir(parents=True, exist_ok=True)
        together.write_text(INCLUDED.sub(lambda found: f'#include "{replaced.get(found[1], found[1])}"',
                                         pathlib.Path(unit.source).read_text()))
        return together
