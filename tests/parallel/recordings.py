#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What random jobs (random_jobs.py) record in one process and in several: is it the same?

    recordings.py WAFERTLM [--jobs 20] [--first 0] [--keep DIR]

Waveforms of links and of chosen signals byte for byte; the report's data but for `host`; of the transaction log all rows; of
the timeline all packets, in any order. One process simulates every packet, too (run.acceleration=off).
Prints a line for each job that differs and one for all. Exit code 1: a difference, or a run that failed.
"""
import json
import pathlib
import random
import sqlite3
import subprocess
import sys

import random_jobs

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "acceleration"))
import reports  # noqa: E402

LINKS = ["--vcd", "links.vcd", "--report", "--trace", "*", "--log", "*"]
SIGNALS = ["--vcd", "signals.vcd", "--signals", "*"]


def run(tool, experiment, folder, more):
    folder.mkdir()
    for out, record in (("out", LINKS), ("signals", SIGNALS)):
        done = subprocess.run([tool, "run", str(experiment), "--out", out, *record, *more], capture_output=True, text=True,
                              cwd=folder)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(record + more)}: {(done.stderr.strip() or done.stdout.strip())[-400:]}")


def packets(path):
    """Of a trace file, in order of their bytes, without their last field: it says which one is the first of all."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        at, size, shift = at + 1, 0, 0  # all are field 1, with a length
        while True:
            size |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                break
        packet = data[at:at + size]
        found.append(packet[:-2] if packet[-2:-1] == b"h" else packet)
        at += size
    return sorted(found)


def transactions(path):
    with sqlite3.connect(path) as log:
        return [list(log.execute(text)) for text in
                ("SELECT * FROM named_transactions ORDER BY socket, number", "SELECT * FROM finished",
                 "SELECT * FROM sockets ORDER BY id")]


def report(path):
    data = reports.data_of(path.read_text())
    data["results"].pop("host")
    return json.dumps(data)


RECORDS = {"links.vcd": pathlib.Path.read_bytes, "signals.vcd": pathlib.Path.read_bytes, "signals.vcd.gtkw": pathlib.Path.read_bytes,
           "out/report.html": report, "out/transactions.sqlite": transactions, "out/trace.perfetto-trace": packets}


def outcome(tool, number, folder):
    """What is wrong with a job; None: nothing."""
    draw = random.Random(number)
    text, wafers, mesh = random_jobs.platform(draw)
    experiment = folder / "experiment.yaml"
    experiment.write_text(f"experiment: random job {number}\nplatform:\n{text}\nworkload:\n"
                          f"{random_jobs.workload(draw, wafers * mesh, folder)}\niterations: 1\n")
    try:
        run(tool, experiment, folder / "one", ["--set", "run.acceleration=off"])
        run(tool, experiment, folder / "several", ["--set", "run.acceleration=off", "--processes", str(draw.randint(2, min(wafers, 3)))])
    except RuntimeError as error:
        return str(error)
    for name, read in RECORDS.items():
        one, several = read(folder / "one" / name), read(folder / "several" / name)
        if one == several:
            continue
        at = next((k for k, (a, b) in enumerate(zip(one, several)) if a != b), min(len(one), len(several)))
        begin = max(at - 80, 0) if isinstance(one, (str, bytes)) else at
        return f"{name}: {len(one)} and {len(several)}, {str(one[begin:at + 80])[:400]!r} and {str(several[begin:at + 80])[:400]!r}"
    return None


if __name__ == "__main__":
    random_jobs.main(outcome, __doc__)
