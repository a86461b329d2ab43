#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants a violation of each rule in an empty tree and sees .ci/check_dependencies.py name it."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).parents[2] / ".ci" / "check_dependencies.py"
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"


class CheckDependencies(unittest.TestCase):
    def check(self, files, expected):
        """`expected`: the lines that must be printed, each up to the end given here; none means a clean tree."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {"tlm/kernel/units.h": HEADER, **files}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            done = subprocess.run([sys.executable, CHECKER, root], capture_output=True, text=True)
        printed = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1 if expected else 0, done.stdout + done.stderr)
        if not expected:
            self.assertEqual(printed, ["dependency rule: no violations"])
            return
        self.assertEqual(len(printed), len(expected), printed)
        for line, start in zip(printed, expected):
            self.assertTrue(line.startswith(start), f"{line!r} does not start with {start!r}")

    def test_clean_tree(self):
        self.check(
            {
                "models/mesh/router.cpp": SPDX + '#include "models/mesh/router.h"\n#include "tlm/kernel/units.h"\n#include <tlm>\n',
                "models/mesh/router.h": HEADER + "#include <systemc>\n",
                "platform/build.h": HEADER,
                "platform/build.cpp": SPDX + '#include "models/mesh/router.h"\n#include "workloads/plan.h"\n',
                "workloads/plan.h": HEADER + '#include "workloads/et_def.pb.h"\n',
                "tests/unit/a_test.cpp": SPDX + '#include "platform/build.h"\n#include <gtest/gtest.h>\n',
                "models/mesh/README.md": '#include "platform/build.h"\n' * 700,
            },
            [],
        )

    def test_files_are_opened_by_one_reader(self):
        opens = SPDX + '\n  std::ifstream file(path);\n  text << std::ifstream(path).rdbuf();\n  auto f = std::fopen(path, "rb");\n'
        self.check({"tlm/input/file.cpp": opens, "platform/a.cpp": opens + "  std::ifstream kept_;\n"},
                   [f"platform/a.cpp:{line}: a file of the user's is read" for line in (3, 4, 5)])

    def test_every_forbidden_pair_of_folders(self):
        allowed = {("platform", other) for other in ("models", "workloads", "waveforms")}
        allowed |= {(other, "tlm") for other in ("models", "workloads", "waveforms", "platform")}
        folders = ("tlm", "models", "workloads", "waveforms", "platform")
        floors = {".ci/floors.txt": ".: tlm < models waveforms workloads < platform\n"}
        for user in folders:
            for used in folders:
                with self.subTest(user=user, used=used):
                    legal = user == used or (user, used) in allowed
                    expected = [] if legal else [f"{user}/a.cpp:3: .: {user} must not use {used} ({used}/b.h)"]
                    self.check({**floors, f"{user}/a.cpp": SPDX + f'\n#include "{used}/b.h"\n'}, expected)

    def test_floors_inside_a_folder(self):
        floors = {".ci/floors.txt": "# From the bottom up.\nplatform: text < run results < .\n"}
        cases = {
            ("platform/run/a.cpp", "platform/text/b.h"): None,
            ("platform/a.cpp", "platform/run/deep/b.h"): None,
            ("platform/run/a.cpp", "platform/run/deep/b.h"): None,
            ("platform/text/a.cpp", "platform/run/b.h"): "platform: text must not use run (platform/run/b.h)",
            ("platform/run/a.cpp", "platform/results/b.h"): "platform: run must not use results",
            ("platform/run/a.cpp", "platform/b.h"): "platform: run must not use . (platform/b.h)",
            ("platform/new/a.cpp", "platform/text/b.h"): "platform has a room 'new' that .ci/floors.txt puts on no floor",
        }
        for (user, used), message in cases.items():
            with self.subTest(user=user, used=used):
                self.check({**floors, user: SPDX + f'#include "{used}"\n'}, [f"{user}:2: {message}"] if message else [])

    def test_circle_of_folders(self):
        files = {
            "models/a/one.cpp": SPDX + '#include "models/b/two.h"\n',
            "models/b/deep/two.cpp": SPDX + '#include "models/c/three.h"\n',
            "models/c/three.h": HEADER,
        }
        self.check(files, [])
        files["models/c/three.h"] = HEADER + '#include "models/a/one.h"\n'
        self.check(files, ["models/a/one.cpp:2: models: a uses b, which uses a: a circle of folders",
                           "models/b/deep/two.cpp:2: models: b uses c", "models/c/three.h:3: models: c uses a"])

    def test_installed_headers_include_only_such(self):
        files = {"platform/package/public_headers.txt": "# These.\nmodels/a.h\n", "models/a.h": HEADER, "models/b.h": HEADER}
        self.check(files, [])
        files["models/a.h"] = HEADER + '#include "models/b.h"\n'
        self.check(files, ["models/a.h:3: it is installed, and models/b.h is not"])
        del files["models/a.h"]
        self.check(files, ["platform/package/public_headers.txt:1: there is no models/a.h"])

    def test_include_that_is_not_from_the_root(self):
        for what in ("other.h", "../tlm/units.h"):
            with self.subTest(what=what):
                self.check(
                    {"models/other.h": HEADER, "models/a.cpp": SPDX + f'#include "{what}"\n'},
                    [f'models/a.cpp:2: "{what}" is not written from the project root'],
                )

    def test_own_header_in_angle_brackets(self):
        self.check({"models/a.cpp": SPDX + "#include <tlm/kernel/units.h>\n"}, ["models/a.cpp:2: own headers are included in quotes"])

    def test_systemc_in_an_engine(self):
        engines = ("models/hbm/hbm_engine.cpp", "tlm/link/line.cpp", "tlm/packets/flow.cpp", "workloads/chakra/reader.cpp",
                   "workloads/layers/table.cpp", "workloads/collectives/basic/ring.cpp", "platform/describe/reader.cpp")
        for engine in engines:
            for header in ("systemc", "systemc.h", "tlm", "tlm.h", "tlm_utils/peq_with_get.h", "sysc/kernel/sc_time.h"):
                with self.subTest(engine=engine, header=header):
                    self.check({engine: SPDX + f"#include <{header}>\n"}, [f"{engine}:2: no SystemC here: <{header}>"])

    def test_systemc_reached_through_an_own_header(self):
        self.check(
            {
                "models/hbm/hbm_engine.h": HEADER + '#include "tlm/clock.h"\n',
                "tlm/clock.h": HEADER + '#include "tlm/socket.h"\n#include "tlm/clock.h"\n',
                "tlm/socket.h": HEADER + "#include <tlm>\n",
            },
            ["models/hbm/hbm_engine.h:3: no SystemC here, and this leads to it: tlm/clock.h -> tlm/socket.h -> <tlm>"],
        )

    def test_systemc_in_a_shell(self):
        shells = ("tlm/link/switch_module.h", "models/hbm/hbm.h", "platform/build.h")
        self.check({shell: HEADER + "#include <systemc>\n" for shell in shells}, [])

    def test_using_namespace_in_a_header(self):
        self.check(
            {"models/a.h": HEADER + "  using namespace std;\n", "models/a.cpp": SPDX + "using namespace std;\n"},
            ["models/a.h:3: using namespace in a header"],
        )

    def test_header_without_pragma_once(self):
        self.check({"models/a.h": SPDX}, ["models/a.h:1: no #pragma once"])

    def test_file_without_spdx_line(self):
        expected = [f"tests/{name}:1: the first line is not '{SPDX.strip()}'" for name in ("a.cpp", "b.h")]
        self.check({"tests/a.cpp": "\n" + SPDX, "tests/b.h": "#pragma once\n"}, expected)

    def test_file_that_is_too_long(self):
        self.check({"models/a.cpp": SPDX + "\n" * 499, "tests/b.py": "\n" * 501}, ["tests/b.py:501: 501 lines"])

    def test_folder_that_is_not_the_project(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no folder tlm", done.stderr)


if __name__ == "__main__":
    unittest.main()
