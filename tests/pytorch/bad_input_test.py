#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad PyTorch traces end with exit code 2 and one line that names the file and what is wrong; nothing is written.

    bad_input_test.py WAFERTLM
"""
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import known_run
import trace_files

TOOL = sys.argv[1]


def refused(folder, kineto, host, *wanted, arguments=()):
    command = [TOOL, "trace", "import", "--kineto", kineto, "--out", folder / "out" / "job", *arguments]
    if host:
        command += ["--et", host]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2, (wanted, done.returncode, done.stdout, done.stderr)
    assert done.stderr.count("\n") == 1, done.stderr
    for word in wanted:
        assert word in done.stderr, (word, done.stderr)
    assert not (folder / "out").exists(), list((folder / "out").iterdir())


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kineto, host, bad = folder / "kineto.json", folder / "et.json", folder / "bad.json"
        run = known_run.KnownRun(random.Random(7), 30)
        trace_files.write_kineto(run, kineto)
        trace_files.write_execution_trace(run, host)
        text, host_text = kineto.read_text(), host.read_text()

        def kineto_case(content, *wanted):
            bad.write_text(content)
            refused(folder, bad, None, str(bad), *wanted)

        def host_case(content, *wanted):
            bad.write_text(content)
            refused(folder, kineto, bad, str(bad), *wanted)

        refused(folder, folder / "none.json", None, "none.json", "no such file")
        refused(folder, folder, None, "not a regular file")
        kineto_case("", "byte 0", "empty")
        kineto_case(text[:len(text) // 2], "byte", "not JSON")
        kineto_case(text + "{}", "byte", "not JSON")
        kineto_case("{}", "traceEvents")
        kineto_case("7", "traceEvents")
        kineto_case('{"traceEvents": 7}', "traceEvents")
        kineto_case('{"traceEvents": [7]}', "an event is not an object")
        kineto_case('{"traceEvents": []}', "no operator and no kernel")
        kineto_case("[" * 2000 + "]" * 2000, "byte")
        event = '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7%s}]}'
        kineto_case(event % ', "ts": 1', "without ts or dur")
        kineto_case(event % ', "ts": 1, "dur": -1', "negative dur")
        kineto_case(event % ', "ts": "x", "dur": 1', "is not a time")
        kineto_case(event % ', "ts": 99999999999999999999, "dur": 1', "is not a time")
        kineto_case(event % ', "ts": 1, "dur": 1, "args": {"correlation": 1.5}', "whole number")
        kineto_case(event % ', "ts": 1, "dur": 1, "args": {"Collective name": "allreduce", "In msg nelems": 3, "dtype": "Q"}',
                    'data type "Q"')
        kineto_case(event % ', "ts": 1, "dur": 1', "without the call that launched them", "--limit")
        host_case("{}", "nodes")
        host_case("[]", "nodes")
        host_case('{"schema": "1.0.1", "nodes": []}', "no nodes")
        host_case(host_text.replace('"1.0.1"', '"2.0.0"'), 'schema "2.0.0"', "1.0.x")
        host_case(host_text.replace('"id": 5,', "", 1), "without id")
        host_case(host_text[:-30], "not JSON")
        packed = folder / "kineto.json.gz"
        packed.write_bytes(gzip.compress(text.encode())[:-20])
        refused(folder, packed, None, str(packed), "gzip")
        # Another run of another program.
        other = known_run.KnownRun(random.Random(8), 60)
        trace_files.write_execution_trace(other, bad)
        refused(folder, kineto, bad, str(bad), "operators are not in", "--limit")
        # One rank twice. The host trace has the collectives.
        trace_files.write_execution_trace(run, host)
        command = [TOOL, "trace", "import", "--kineto", kineto, kineto, "--et", host, host, "--out", folder / "out" / "job"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "both of rank 0" in done.stderr, done.stderr
    print("bad input is refused")


if __name__ == "__main__":
    main()
