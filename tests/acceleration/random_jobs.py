#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random training jobs that wait for their communication, with run.acceleration off, exact and verify: equal, byte for byte?

    random_jobs.py WAFERTLM [--jobs 20] [--first 0 | --numbers N ...] [--verify 10] [--only REGEX] [--limit 120] [--keep DIR]

A job is a transformer of one to six layers with a parallelism (PP 1 to 5, ZeRO 0 to 3, 1 to 4 micro-batches) on NPUs that
compute at 0.2 to 10 PFLOPS, for one to three iterations; on FRED-A to D, logical and physical, meshes, dimensions, a graph,
an Ethernet and several wafers. Job N is the same on every machine. Every --verify'th one also runs with verify.
--only: jobs whose platform matches. --limit: processor seconds of a run; a job over it is named and counts as neither.
--keep: folder for the experiments of the jobs that differ or fail.
Prints a line for each such job and one for all. Exit code 1: a difference, or a run that failed.
"""
import pathlib
import random
import re
import shutil
import sys
import tempfile

import compare_presets

PLATFORMS = pathlib.Path(__file__).parents[2] / "configs" / "platforms"
# Platform: NPUs, and how likely it is.
FABRICS = {
    "wafer_mesh_5x4": (20, 3), "wafer_mesh_8x8": (64, 1), "wafers_4_mesh_5x4": (80, 1), "graph_fat_tree_16": (16, 1),
    "fred_a": (20, 1), "fred_b": (20, 4), "fred_c": (20, 2), "fred_d": (20, 4), "fred_c_physical": (20, 1),
    "fred_d_physical": (20, 1), "ethernet_plain_32": (32, 1), "ethernet_nscc_32": (32, 1), "torus": (16, 1),
    "torus_of_messages": (16, 1),
}
DIMENSIONS = """platform: torus of 4x4
wafer:
  fabric:
    kind: dimensional
    dimensions:
      - {topology: ring, size: 4, bandwidth: 200 GB/s, latency: 100 ns}
      - {topology: switch, size: 4, bandwidth: 50 GB/s, latency: 500 ns}
"""


def parallelism(draw, npus):
    pp = draw.randint(1, 5)
    mp = draw.choice([m for m in (1, 1, 2, 2, 3, 4, 5, 8) if m * pp <= npus])
    dp = draw.randint(1, min(npus // (mp * pp), 10))
    return (mp, dp, pp) if mp * dp * pp > 1 else (2, 2, 1)


def job(number, folder):
    """Writes the experiment of a number; returns its file and its platform."""
    draw = random.Random(number)
    fabric = draw.choices(list(FABRICS), [weight for _, weight in FABRICS.values()])[0]
    mp, dp, pp = parallelism(draw, FABRICS[fabric][0])
    platform = PLATFORMS / f"{fabric}.yaml"
    if fabric.startswith("torus"):
        platform = folder / "platform.yaml"
        platform.write_text(DIMENSIONS + ("    transport: messages\n" if fabric.endswith("messages") else ""))
    microbatches = draw.randint(1, 4)
    heads = mp * draw.choice([2, 4])
    hidden = heads * draw.choice([size for size in (16, 32, 64, 128, 256) if heads * size <= 1024])
    layers = max(pp, draw.randint(1, 6))
    zero = draw.randint(0, 3)
    no_engines = ("ethernet", "torus")  # that share a port
    order = "message" if number % 2 == 1 and not fabric.startswith(no_engines) else "packet"
    schedule = draw.choice(["gpipe", "1f1b"]) if pp > 1 else "1f1b"
    text = f"""experiment: random job {number}
platform:
  extends: {platform}
  platform: {fabric}
  npu: {{peak: 10 PFLOPS, injection: {{order: {order}}}}}
workload:
  workload: random job {number}
  model:
    model: random
    transformer:
      {{layers: {layers}, hidden: {hidden}, heads: {heads},
       sequence: {draw.choice([64, 128, 256])}, vocabulary: {draw.choice([1000, 4096])}}}
  parallelism: MP({mp})-DP({dp})-PP({pp})
  samples_per_replica: {microbatches * draw.randint(1, 2)}
  microbatches: {microbatches}
  uneven: fractional
  zero_stage: {zero}
  schedule: {schedule}
  recompute: {draw.choice(['none', 'none', 'selective', 'full'])}
  stage_transfer: {draw.choice(['peer', 'multicast']) if mp > 1 and pp > 1 else 'peer'}
  effective_flops: {draw.choice([200, 500, 1000, 2000, 5000, 10000])} TFLOPS
iterations: {draw.randint(1, 3)}
barrier: {draw.choice(['true', 'false'])}
"""
    path = folder / "experiment.yaml"
    path.write_text(text)
    return path, fabric


def outcome(tool, number, arguments, folder):
    """What is wrong with a job, or None; and what it was."""
    path, fabric = job(number, folder)
    if not re.search(arguments.only, fabric):
        return None, "left out"
    verified = arguments.verify and number % arguments.verify == 0
    try:
        off_s, off = compare_presets.run(tool, path, "off", [], arguments.limit, folder / "off")
        if off is None:
            return None, f"over {arguments.limit} s with off"
        compare_presets.without_what_may_differ(off)
        for mode in ["exact", "verify"] if verified else ["exact"]:
            _, fast = compare_presets.run(tool, path, mode, [], arguments.limit, folder / mode)
            if fast is None:
                return None, f"over {arguments.limit} s with {mode}, {off_s:.1f} s with off"
            skipped = fast["host"]["accelerated"]
            difference = compare_presets.first_difference(compare_presets.without_what_may_differ(fast), off)
            if difference:
                return f"{mode} differs on {fabric}: {difference}", None
    except RuntimeError as error:
        return f"failed on {fabric}: {str(error).splitlines()[-1]}", None
    in_periods = skipped.get("packets", {}).get("in_periods", 0)
    played = skipped.get("packets", {}).get("in_episodes", 0)
    return None, "skipped" if in_periods + played else "simulated"


def main():
    parser = compare_presets.numbered_jobs(__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve())
    wrong, counts = 0, {}
    numbers = compare_presets.numbers_of(arguments)
    for number in numbers:
        with tempfile.TemporaryDirectory() as name:
            problem, what = outcome(tool, number, arguments, pathlib.Path(name))
            if problem and arguments.keep:
                shutil.copytree(name, arguments.keep / str(number), dirs_exist_ok=True)
        if problem:
            wrong += 1
            print(f"job {number} {problem}", flush=True)
        else:
            counts[what] = counts.get(what, 0) + 1
            if what.startswith("over"):
                print(f"job {number} is {what}", flush=True)
    print(f"{len(numbers)} jobs, {wrong} different or failed; {counts}")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
