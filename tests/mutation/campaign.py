# SPDX-License-Identifier: Apache-2.0
"""Runs the tests against the mutants: first which test reaches which mutant, then those tests with the mutant on."""
import concurrent.futures
import dataclasses
import pathlib
import tempfile
import threading

from suite import run

KILLED, SURVIVED, NOT_REACHED = "killed", "survived", "not reached"


@dataclasses.dataclass
class Verdict:
    outcome: str
    tests: int = 0      # that were run
    seconds: float = 0.0
    by: str = ""        # the test that failed
    left: int = 0       # tests that were not run, because the time was over


class Campaign:
    def __init__(self, tests, mutants, jobs, budget, folder_of, say=print):
        self.tests, self.mutants, self.jobs, self.budget, self.say = tests, mutants, jobs, budget, say
        self.folder_of = folder_of
        self.failing = []   # tests that fail without a mutant
        self._killers = {}  # {folder: {test: mutants it killed}}
        self._lock = threading.Lock()

    def find_reached(self):
        """Runs every test once without a mutant; keeps those that pass, with what they reach."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            passed = list(pool.map(self._reach, self.tests))
        self.failing = [test.name for test, good in zip(self.tests, passed) if not good]
        self.tests = [test for test, good in zip(self.tests, passed) if good]

    def _reach(self, test):
        size = max((mutant.number for mutant in self.mutants), default=0) + 1
        with tempfile.NamedTemporaryFile(prefix="reached") as file:
            file.write(bytes(size))
            file.flush()
            code, test.seconds = run(test, {"WAFERTLM_MUTANTS_REACHED": file.name}, 300)
            test.reached = frozenset(number for number, byte in enumerate(pathlib.Path(file.name).read_bytes()) if byte)
        return code == 0

    def run(self):
        """{number: Verdict}"""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return dict(zip([mutant.number for mutant in self.mutants], pool.map(self._try, self.mutants)))

    def _try(self, mutant):
        verdict = self._verdict(mutant)
        self.say(f"{verdict.outcome:12} {mutant.path}:{mutant.line}: {mutant.change}"
                 + (f"   ({verdict.by})" if verdict.by else f"   ({verdict.tests} tests)"))
        return verdict

    def _verdict(self, mutant):
        tests = [test for test in self.tests if mutant.number in test.reached]
        if not tests:
            return Verdict(NOT_REACHED)
        with self._lock:
            killers = dict(self._killers.setdefault(self.folder_of(mutant.path), {}))
        # Tests that noticed something in this folder before, then the quickest.
        tests.sort(key=lambda test: test.seconds / (1 + 4 * killers.get(test.name, 0)))
        verdict = Verdict(SURVIVED)
        for test in tests:
            if verdict.seconds > self.budget:
                verdict.left += 1
                continue
            code, seconds = run(test, {"WAFERTLM_MUTANT": str(mutant.number)}, 5 + 8 * test.seconds)
            verdict.tests += 1
            verdict.seconds += seconds
            if code != 0:
                self._note(mutant, test)
                return dataclasses.replace(verdict, outcome=KILLED, by=test.name)
        return verdict

    def _note(self, mutant, test):
        with self._lock:
            killers = self._killers[self.folder_of(mutant.path)]
            killers[test.name] = killers.get(test.name, 0) + 1


def limit_resources(bytes_of_memory=6 << 30, bytes_of_file=1 << 30):
    """Of this process and all it starts: a mutant may loop while it allocates or writes."""
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (bytes_of_memory, bytes_of_memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_of_file, bytes_of_file))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
