#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What .ci/check_hidden_names.py finds in small trees."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]


class HiddenNames(unittest.TestCase):
    def check(self, **files):
        """The lines that it prints about files of tlm/, given as their stem and what is in their namespace."""
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "tlm"
            tree.mkdir()
            for name, text in files.items():
                end = ".h" if name.startswith("header") else ".cpp"
                (tree / (name + end)).write_text(f"#include <x>\nnamespace wafertlm {{\n{text}\n}}\n", encoding="utf-8")
            done = subprocess.run([sys.executable, ROOT / ".ci/check_hidden_names.py", folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return done.stdout.splitlines()[:-1]

    def test_functions_and_constants_of_two_files(self):
        found = self.check(a="namespace {\nint f(long a) { return 1; }\nconstexpr int kTop = 1;\n}",
                           b="namespace {\nint f(char b, int c = 0);\nconst char* const kTop = \"{\";\n}")
        self.assertEqual(found, ["tlm/a.cpp:4: f is also at tlm/b.cpp:4", "tlm/a.cpp:5: kTop is also at tlm/b.cpp:5"])

    def test_a_header(self):
        self.assertEqual(self.check(a="namespace {\nint f() { return 1; }\n}", header="namespace x {\nint f();\n}"),
                         ["tlm/a.cpp:4: f is also at tlm/header.h:4"])

    def test_what_cannot_be_mistaken(self):
        self.assertEqual(self.check(a="namespace {\nint f(int a) { int g = 1; return g; }\nstruct S { int h(); };\n}",
                                    b="namespace {\nint f(std::map<int, int> a, int b);\n// int f(int);\nvoid k() { int g(1); }\n}",
                                    c="int f(int a) { return a; }\nint S::h() { return 1; }"), [])

    def test_types_of_two_headers(self):
        self.assertEqual(self.check(header="struct S {\n  int a;\n};", header_b="namespace x {\nclass S;\n}\nclass S final : public T {};"),
                         ["wafertlm::S is defined at tlm/header.h:3 and tlm/header_b.h:6"])

    def test_types_that_are_different_ones(self):
        self.assertEqual(self.check(header="struct S {\n  struct T {};\n};\nclass U;", header_b="namespace x {\nstruct S {};\n}\nstruct T {};",
                                    a="namespace {\nstruct S {};\n}\nclass U {};\nstruct S::T {\n};"), [])


if __name__ == "__main__":
    unittest.main()
