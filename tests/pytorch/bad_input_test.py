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


# One event each, and what is said of it.
DAMAGED = [
    ('"name": "y2262", "ts": 9223372036854775.807, "dur": 1', '"y2262"', "is not a time"),
    ('"name": "shorter", "ts": 1, "dur": -5', '"shorter"', "negative dur"),
    ('"name": "nan", "ts": NaN, "dur": 1', '"nan"', "is not a time"),
    ('"name": "nan", "ts": nan, "dur": 1', '"nan"', "not JSON"),
    ('"name": "control", "ts": 1, "dur": 1, "args": {"a": "\x01"}', '"control"', "not JSON"),
    ('"name": "path", "ts": 1, "dur": 1, "args": {"a": "C:\\users\\x"}', '"path"', "not JSON"),
    ('"name": "folder", "args": {"a": "C:\\"}, "ts": 1, "dur": 1', '"folder"', "not JSON"),
    ('"name": "cut", "ts": 1, "dur', '"cut"', "not JSON"),
    ('"name": "late", "ts": 4611686018427387, "dur": 1', '"late"', "53 days"),
]


def damage(folder, kineto, host, text):
    """A damaged event counts against the limit, with line and name; the rest imports as if it were not there."""
    out = folder / "damage"
    command = [TOOL, "trace", "import", "--kineto", kineto, "--et", host, "--out", out / "job", "--form", "json", "--force"]

    def imported(*arguments, code=0):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        if code:
            assert done.stderr.count("\n") == 1, done.stderr
            return done.stderr
        rank = json.loads((out / "job.import.json").read_text())["ranks"][0]
        for what, tally in rank["account"].items():
            assert tally["given"] == tally["used"] + sum(tally["left_out"].values()) + sum(tally["errors"].values()), (what, tally)
        return (out / "job.0.json").read_text(), rank

    good, before = imported()
    lines = text.split("\n")
    for where in (1, 5, len(lines) - 3):  # as the first, in the middle, behind the last
        for event, *wanted in DAMAGED:
            bad = '{"ph": "X", "cat": "cpu_op", "pid": 4711, "tid": 1000, ' + event + "}"
            if where == len(lines) - 3:
                damaged = [*lines[:where], lines[where] + ",", bad, *lines[where + 1:]]
            else:
                damaged = [*lines[:where], bad + ",", *lines[where:]]
            kineto.write_text("\n".join(damaged) + " ")
            nodes, rank = imported()
            assert nodes == good, event
            events = rank["account"]["events"]
            assert events["errors"] == {"damaged": 1} and events["given"] == before["account"]["events"]["given"] + 1, events
            (note,) = [note for note in rank["notes"] if "damaged" in note]
            line = "" if "53 days" in wanted else f"line {damaged.index(bad + ('' if where > 5 else ',')) + 1},"
            error = imported("--missing-at-most", "0", code=2)
            for word in [*wanted, line, "of rank 0"]:
                assert word in note and word in error, (word, note, error)
    kineto.write_text(text.replace("\n]", ",\n]"))  # nothing behind the last comma
    nodes, rank = imported()
    assert nodes == good and rank["account"]["events"]["errors"] == {"damaged": 1}, rank["account"]
    kineto.write_text(text)
    # Pairs of a beginning and an end, of which one is missing.
    pair = '{"ph": "%s", "cat": "cpu_op", "name": "pair", "pid": 4711, "tid": 77, "ts": %d},\n'
    start = text.index("\n") + 1
    at = json.loads(text)["traceEvents"][0]["ts"]
    for phases, errors in (("BE", 0), ("B", 1), ("E", 1), ("BBE", 1), ("BBEE", 0)):
        kineto.write_text(text[:start] + "".join(pair % (phase, at + i) for i, phase in enumerate(phases)) + text[start:])
        _, rank = imported()
        assert rank["account"]["events"]["errors"] == ({"damaged": errors} if errors else {}), (phases, rank["account"])
        assert rank["operators"] == before["operators"] + phases.count("E") - (phases == "E"), phases
    kineto.write_text(text)


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
        kineto_case(event % ', "ts": 1, "dur": 1', "without the call that launched them", "--missing-at-most")
        damage(folder, kineto, host, text)
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
        refused(folder, kineto, bad, str(bad), "operators are not in", "--missing-at-most")
        # One rank twice. The host trace has the collectives.
        trace_files.write_execution_trace(run, host)
        command = [TOOL, "trace", "import", "--kineto", kineto, kineto, "--et", host, host, "--out", folder / "out" / "job"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "both of rank 0" in done.stderr, done.stderr
    print("bad input is refused")


if __name__ == "__main__":
    main()
