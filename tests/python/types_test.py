#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package is typed, and a user's mistakes are seen:  types_test.py WAFERTLM

Exit code 77: Debian's mypy is not there (./setup.sh --tests).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.argv.pop(1)
PACKAGE = pathlib.Path(__file__).resolve().parents[2] / "platform/python"
MYPY = shutil.which("mypy")

USE = """
import wafertlm
sweep = wafertlm.sweep("a", {"iterations": [1]}, on_error="keep")
time_s: float = sweep.results[0].iteration_time_s
bytes_: int = wafertlm.collective(wafertlm.Platform("b").set("c.d", 1), "all_reduce", 64).rows[0].bytes
"""
MISTAKES = {"time_s: str = sweep.results[0].iteration_time_s": "Incompatible types in assignment", "sweep.results[0].iteration_time": "has no attribute",
            "wafertlm.run('a', reports=True)": "Unexpected keyword argument", "wafertlm.sweep('a', {}, on_error='skip')": "incompatible type"}


class Types(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def mypy(self, *words):
        done = subprocess.run([MYPY, "--strict", "--cache-dir", self.path / "cache", *words], capture_output=True, text=True, check=False, cwd=self.path,
                              env={**os.environ, "MYPYPATH": str(PACKAGE)})
        return done.returncode, done.stdout

    def test_the_package_is_strictly_typed(self):
        self.assertEqual(self.mypy("-p", "wafertlm")[0], 0, self.mypy("-p", "wafertlm")[1])
        self.assertTrue((PACKAGE / "wafertlm/py.typed").exists())

    def test_mistakes_of_its_users_are_seen(self):
        use = self.path / "use.py"
        use.write_text(USE)
        self.assertEqual(self.mypy(use), (0, "Success: no issues found in 1 source file\n"))
        for mistake, message in MISTAKES.items():
            use.write_text(USE + mistake.replace("time_s:", "other:") + "\n")
            code, said = self.mypy(use)
            self.assertEqual(code, 1, mistake)
            self.assertIn(message, said)


if MYPY is None:
    sys.exit(77)
unittest.main()
