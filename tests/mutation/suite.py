# SPDX-License-Identifier: Apache-2.0
"""The tests that a campaign runs: those that ctest lists for the executables that were built again."""
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time


@dataclasses.dataclass
class Test:
    name: str
    command: list
    folder: str
    environment: dict
    seconds: float = 0.0  # at the last run of the suite, then in ours
    reached: frozenset = frozenset()


def tests_of(build_folder, out, executables, slowest, names=None):
    """Tests that took at most `slowest` seconds when ctest ran them last, quickest first; with the mutated executables."""
    listed = subprocess.run(["ctest", "--test-dir", build_folder, "--show-only=json-v1"], capture_output=True, text=True,
                            check=True)
    instead = {str(pathlib.Path(build_folder) / name): str(pathlib.Path(out) / name) for name in executables}
    usual = usual_seconds(build_folder)
    found = []
    for entry in json.loads(listed.stdout)["tests"]:
        command = entry.get("command", [""])
        seconds = usual.get(entry["name"], 0.0)
        if command[0] not in instead or seconds > slowest or (names and not names.search(entry["name"])):
            continue
        properties = {item["name"]: item["value"] for item in entry["properties"]}
        environment = dict(item.split("=", 1) for item in properties.get("ENVIRONMENT", []))
        environment["WAFERTLM_EXECUTABLE"] = str(pathlib.Path(out) / "wafertlm")
        found.append(Test(entry["name"], [instead.get(word, word) for word in command],
                          properties.get("WORKING_DIRECTORY", build_folder), environment, seconds))
    return sorted(found, key=lambda test: (test.seconds, test.name))


def usual_seconds(build_folder):
    """{test: seconds} as ctest remembers them."""
    file = pathlib.Path(build_folder) / "Testing/Temporary/CTestCostData.txt"
    seconds = {}
    for line in file.read_text(errors="replace").split("\n") if file.exists() else ():
        words = line.rsplit(" ", 2)
        if len(words) == 3:
            seconds[words[0]] = float(words[2])
    return seconds


def run(test, environment, timeout):
    """(exit code or None after the timeout, seconds). The test has a temporary folder of its own."""
    begin = time.monotonic()
    scratch = tempfile.mkdtemp(prefix="mutant")
    process = subprocess.Popen(test.command, cwd=test.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True,
                               env={**os.environ, **test.environment, "TMPDIR": scratch, **environment})
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        code = None
    try:
        os.killpg(process.pid, signal.SIGKILL)  # what it started itself
    except ProcessLookupError:
        pass
    process.wait()
    shutil.rmtree(scratch, ignore_errors=True)
    return code, time.monotonic() - begin
