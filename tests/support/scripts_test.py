#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""setup.sh against a stand-in for the package tools, and the counting of test results."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]


class SetUp(unittest.TestCase):
    """Runs setup.sh with a PATH that holds only stand-ins, which write their calls into a log."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for tool in ("bash", "env", "grep"):
            (self.folder / tool).symlink_to(shutil.which(tool))
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", 'echo "apt-get $*" >>"$LOG"')
        self.stand_in("npm", 'echo "npm $*" >>"$LOG"')
        self.root = self.folder / "root"
        self.root.mkdir()
        for file in ("setup.sh", "package-lock.json"):
            shutil.copy(ROOT / file, self.root)
        for package in ("echarts", "playwright-core"):
            (self.root / "node_modules" / package).mkdir(parents=True)
        shutil.copy(ROOT / "package-lock.json", self.root / "node_modules" / ".installed-lock")

    def stand_in(self, name, script):
        path = self.folder / name
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n")
        path.chmod(0o755)

    def installed(self, *missing):
        """A dpkg-query that knows every package it is asked for, except the missing ones."""
        self.stand_in("dpkg-query", f"""
for package in "${{@:3}}"; do
  case " {' '.join(missing)} " in *" $package "*) status=1 ;; *) echo "installed $package" ;; esac
done
exit ${{status:-0}}""")

    def run_setup(self, *arguments):
        log = self.folder / "log"
        log.write_text("")
        environment = {"PATH": str(self.folder), "LOG": str(log)}
        done = subprocess.run([self.folder / "bash", self.root / "setup.sh", *arguments], env=environment,
                              capture_output=True, text=True)
        return done, [line for line in log.read_text().splitlines() if "--simulate" not in line]

    def test_nothing_missing_needs_no_root_and_is_silent(self):
        self.installed()
        self.stand_in("id", "echo 1000")
        done, calls = self.run_setup("--tests")
        self.assertEqual((done.returncode, done.stdout, done.stderr, calls), (0, "", "", []))

    def test_only_what_is_missing_is_installed_and_named(self):
        self.installed("libsystemc-dev", "ccache", "clang")
        done, calls = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("missing Debian packages: ccache libsystemc-dev\n", done.stderr)
        self.assertEqual(len(calls), 1, calls)
        self.assertTrue(calls[0].endswith("install --yes --no-install-recommends ccache libsystemc-dev"), calls)

    def test_test_packages_only_on_request(self):
        self.installed("clang", "clang-tidy")
        self.assertEqual(self.run_setup()[1], [])
        self.assertIn("missing Debian packages: clang\n", self.run_setup("--tests", "--dry-run")[0].stderr)
        self.assertIn("missing Debian packages: clang-tidy\n", self.run_setup("--tidy", "--dry-run")[0].stderr)

    def test_dry_run_installs_nothing(self):
        self.installed("g++")
        done, calls = self.run_setup("--dry-run")
        self.assertEqual((done.returncode, calls), (0, []))
        self.assertIn("missing Debian packages: g++\n", done.stderr)

    def test_lists_are_updated_when_they_do_not_know_a_package(self):
        self.installed("g++")
        self.stand_in("apt-get", 'echo "apt-get $*" >>"$LOG"; case $1 in --simulate) exit 100 ;; esac')
        done, calls = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([call.split()[4] for call in calls], ["update", "install"])

    def test_lists_are_updated_when_an_install_fails(self):
        self.installed("g++")
        self.stand_in("apt-get", 'echo "apt-get $*" >>"$LOG"; [ -e "$LOG.updated" ] || case $* in '
                      '*--simulate*) ;; *install*) exit 100 ;; *update*) : >"$LOG.updated" ;; esac')
        done, calls = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([call.split()[4] for call in calls], ["install", "update", "install"])

    def test_failed_install_says_what_to_do(self):
        self.installed("g++")
        self.stand_in("apt-get", "exit 100")
        done, _ = self.run_setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install g++", done.stderr)

    def test_sudo_when_not_root_and_a_clear_message_without_it(self):
        self.installed("g++")
        self.stand_in("id", "echo 1000")
        done, calls = self.run_setup()
        self.assertEqual((done.returncode, calls), (1, []))
        self.assertIn("not root, and there is no sudo", done.stderr)
        self.stand_in("sudo", 'echo "sudo $*" >>"$LOG"')
        done, calls = self.run_setup()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(calls[0].startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get"), calls)

    def test_packages_of_npm_are_installed_when_the_lock_file_is_another(self):
        self.installed()
        (self.root / "node_modules" / ".installed-lock").write_text("{}")
        self.assertIn("missing npm packages", self.run_setup("--dry-run")[0].stderr)
        done, calls = self.run_setup()
        self.assertEqual((done.returncode, len(calls)), (0, 1), done.stderr)
        self.assertTrue(calls[0].startswith("npm ci") and calls[0].endswith("--omit=dev"), calls)
        self.assertEqual(self.run_setup("--tests")[1], [])

    def test_the_browser_driver_only_for_tests(self):
        self.installed()
        (self.root / "node_modules" / "playwright-core").rmdir()
        self.assertEqual(self.run_setup()[1], [])
        self.assertNotIn("--omit=dev", self.run_setup("--tests")[1][0])

    def test_npm_is_installed_where_there_is_none(self):
        (self.folder / "npm").unlink()
        self.installed("npm")
        done, _ = self.run_setup("--dry-run")
        self.assertIn("missing Debian packages: npm\n", done.stderr)

    def test_unknown_option(self):
        done, _ = self.run_setup("--test")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'--test'", done.stderr)


class CountResults(unittest.TestCase):
    PASSED = '<testcase name="a" status="run"/>'
    FAILED = '<testcase name="b" status="fail"><failure message=""/></testcase>'
    NOT_BUILT = '<testcase name="c" status="notrun"><skipped message="Unable to find executable"/></testcase>'
    SKIPPED = '<testcase name="d" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>'
    DISABLED = '<testcase name="e" status="disabled"><skipped message="Disabled"/></testcase>'

    def output(self, cases, ctest_status=0, ci=False):
        with tempfile.TemporaryDirectory() as folder:
            results = pathlib.Path(folder) / "tests.xml"
            if cases is not None:
                results.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
            return subprocess.run(
                [sys.executable, ROOT / "tests/support/count_results.py", results, "--ctest-status", str(ctest_status)],
                env={**os.environ, "CI": "true" if ci else ""}, capture_output=True, text=True)

    def count(self, cases, ctest_status=0, ci=False):
        """(last line, exit code)"""
        done = self.output(cases, ctest_status, ci)
        return done.stdout.splitlines()[-1], done.returncode

    def test_counts(self):
        self.assertEqual(self.count([self.PASSED] * 3), ("3 passed, 0 failed", 0))
        self.assertEqual(self.count([self.PASSED, self.FAILED], 8), ("1 passed, 1 failed", 1))
        self.assertEqual(self.count([self.PASSED, self.NOT_BUILT], 8), ("1 passed, 1 failed", 1))

    def test_skips_fail_in_ci_only(self):
        cases = [self.PASSED, self.SKIPPED, self.DISABLED]
        self.assertEqual(self.count(cases), ("1 passed, 0 failed, 2 skipped", 0))
        self.assertEqual(self.count(cases, ci=True), ("1 passed, 2 failed", 1))

    def test_a_skip_is_listed_with_its_reason(self):
        case = ('<testcase name="d" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
                '<system-out>[ RUN ] d\na/b.h:7: Skipped\nno traces\n\n</system-out></testcase>')
        self.assertIn("skipped: d (no traces)", self.output([self.PASSED, case]).stdout.splitlines())

    def test_a_failure_is_listed_with_the_end_of_what_it_printed(self):
        printed = "".join(f"line {i}\n" for i in range(100))
        case = f'<testcase name="b" status="fail"><failure message=""/><system-out>{printed}</system-out></testcase>'
        lines = self.output([self.PASSED, case], 8).stdout.splitlines()
        self.assertEqual(lines[0], "failed: b")
        self.assertEqual(lines[1:-1], [f"    line {i}" for i in range(70, 100)])

    def test_nothing_is_a_failure(self):
        self.assertEqual(self.count([]), ("0 passed, 1 failed", 1))
        self.assertEqual(self.count(None), ("0 passed, 1 failed", 1))
        self.assertEqual(self.count(["<testcase"]), ("0 passed, 1 failed", 1))
        self.assertEqual(self.count([self.SKIPPED]), ("0 passed, 1 failed, 1 skipped", 1))

    def test_failure_of_ctest_itself(self):
        self.assertEqual(self.count([self.PASSED], 1), ("1 passed, 1 failed", 1))


if __name__ == "__main__":
    unittest.main()
