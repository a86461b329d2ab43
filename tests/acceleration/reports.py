#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of random jobs (random_jobs.py) with run.acceleration exact and off: the same timeline, and links within a bucket?

    reports.py WAFERTLM [--jobs 20] [--first 100] [--limit 120]

Of every link the busy time up to a moment must lie between that of `off` a bucket earlier and a bucket later, and be the
same at the end. Exit code 1: a difference, a run that failed, or nothing that was accelerated.
"""
import argparse
import base64
import itertools
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import zlib

import compare_presets
import random_jobs

# A bucket is written to 1/10,000 of its length.
ROUNDING = 1e-4


def data_of(page):
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
    if "deflated" not in data:
        return data
    return json.loads(zlib.decompress(base64.b64decode(data["deflated"])))


def run(tool, experiment, mode, limit, folder):
    done = subprocess.run([tool, "run", str(experiment), "--out", str(folder), "--report", "--set", f"run.acceleration={mode}"],
                          capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
    if done.returncode in (-24, -9):
        return None
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-400:])
    return data_of((folder / "report.html").read_text())


def amounts_until(series, width, end, scale):
    """Sums up to the boundaries of buckets; the last bucket ends with the run."""
    lengths = [min(width, max(end, i * width + 1) - i * width) for i in range(len(series))]
    return [0.0, *itertools.accumulate(part * length * scale for part, length in zip(series, lengths))]


def at(sums, width, time):
    place = max(0.0, time / width)
    low = int(place)
    if low + 1 >= len(sums):
        return sums[-1]
    return sums[low] + (place - low) * (sums[low + 1] - sums[low])


def difference_of(name, off, exact, end):
    if off["bucket_ps"] != exact["bucket_ps"]:
        return f"buckets of {exact['bucket_ps']} ps, not {off['bucket_ps']}"
    width = off["bucket_ps"]
    for link, (one, other) in enumerate(zip(off[name], exact[name], strict=True)):
        one, other = (amounts_until(each, width, end, ROUNDING) for each in (one, other))
        slack = ROUNDING * width * max(len(one), len(other))
        for time in range(0, max(len(one), len(other)) * width, width):
            if not at(one, width, time - width) - slack <= at(other, width, time) <= at(one, width, time + width) + slack:
                return (f"link {link} was busy for {at(other, width, time):.0f} ps until {time}, "
                        f"{at(one, width, time):.0f} with off, in buckets of {width} ps")
        if abs(one[-1] - other[-1]) > slack:
            return f"link {link} was busy for {other[-1]:.0f} ps in all, {one[-1]:.0f} with off"
    return None


def outcome(tool, number, limit, folder):
    """What is wrong with a job, or None; and what part of its packets was not simulated."""
    experiment, fabric = random_jobs.job(number, folder)
    off = run(tool, experiment, "off", limit, folder / "off")
    exact = off and run(tool, experiment, "exact", limit, folder / "exact")
    if exact is None:
        return None, None
    packets = exact["results"]["host"]["accelerated"].get("packets", {})
    part = (packets.get("in_periods", 0) + packets.get("in_episodes", 0)) / max(1, packets.get("all", 1))
    if exact["timeline"] != off["timeline"]:
        return f"{fabric}: another timeline: {compare_presets.first_difference(exact['timeline'], off['timeline'])}", part
    if exact["memories"] != off["memories"]:
        return f"{fabric}: other memories", part
    end = round(off["results"]["simulation"]["end_s"] * 1e12)
    problem = difference_of("busy", off["links"], exact["links"], end)
    return problem and f"{fabric}: {problem}", part


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--limit", type=int, default=120)
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve())
    wrong, accelerated, late = 0, 0, 0
    for number in range(arguments.first, arguments.first + arguments.jobs):
        with tempfile.TemporaryDirectory() as name:
            try:
                problem, part = outcome(tool, number, arguments.limit, pathlib.Path(name))
            except RuntimeError as error:
                problem, part = f"failed: {error}", 0
        wrong += problem is not None
        late += part is None
        accelerated += bool(part)
        if problem:
            print(f"job {number}, {problem}", flush=True)
    print(f"{arguments.jobs} jobs, {accelerated} accelerated, {late} over their limit, {wrong} different or failed")
    sys.exit(wrong != 0 or accelerated == 0)


if __name__ == "__main__":
    main()
