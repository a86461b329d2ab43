#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every output option on a full disk: full_disk_test.py WAFERTLM. Exit code 1, and one line that says so; nothing is left. It
needs a file system of its own (unshare, mount): where that is not allowed it is skipped."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import commands

TOOL = commands.Tool(sys.argv[1])


class FullDisk(unittest.TestCase):
    def test_every_output(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            TOOL.make_inputs(folder)
            place = folder / "place"
            place.mkdir()
            for most in [0, 2, 12]:  # pages: no room for a file, for a lock, for some of the files
                subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={4096 * max(most, 1)}", "none", place], check=True)
                if most == 0:
                    (place / "filler").write_bytes(bytes(4096))
                before = commands.tree(place)
                for option, kind, words in commands.OUTPUTS:
                    if option in ("run_json", "run_vcd", "run_trace_file", "import_report"):
                        continue  # their results go elsewhere
                    with self.subTest(option=option, pages=most):
                        code, errors = TOOL.run(commands.filled(words, place / "x"), folder)
                        left = {key for key in set(commands.tree(place)) - set(before) if not commands.hidden(key)}
                        subprocess.run(f"rm -rf {place}/x* {place}/.wafertlm-*", shell=True, check=True)
                        if code == 0 and most:
                            continue
                        self.assertEqual((code, errors.count("\n")), (1, 1), (words, errors))
                        self.assertRegex(errors, "No space left on device|disk full")
                        # What cells did is kept: the same command goes on from there.
                        self.assertEqual({key for key in left if not (key + "/").startswith("x/cells/")} - {"x"}, set(), words)
                subprocess.run(["umount", place], check=True)


if __name__ == "__main__":
    if "WAFERTLM_OWN_MOUNTS" not in os.environ:
        own = ["unshare", "--map-root-user", "--mount"] if os.geteuid() else ["unshare", "--mount"]
        if subprocess.run([*own, "true"], check=False).returncode:
            sys.exit(77)
        sys.exit(subprocess.run([*own, sys.executable, *sys.argv], check=False, env={**os.environ, "WAFERTLM_OWN_MOUNTS": "1"}).returncode)
    unittest.main(argv=sys.argv[:1])
