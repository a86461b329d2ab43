#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every preset of configs/experiments with run.acceleration exact and off: are the results equal, byte for byte?

    compare_presets.py WAFERTLM [REGEX] [--mode exact] [--limit 600] [--whole] [--set KEY=VALUE ...]

REGEX chooses presets by name. Large models are cut to a few layers and microbatches, so that `off` takes at most some
minutes; --whole takes presets as they are. --limit: processor seconds for each run. What may differ is left out: `host`, and of
the configuration run.acceleration itself.
Prints a line per preset: processor seconds with each mode, packet hops, equal or the first difference.
Exit code 1: a difference, or a run that failed. A run over its limit is named, and counts as neither.
"""
import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

EXPERIMENTS = pathlib.Path(__file__).parents[2] / "configs" / "experiments"
# Presets by name, and the sizes that `off` can do. The first that matches.
SIZES = [
    ("gpt2_memory_engine", ["workload.model.transformer.layers=1", "wafer.fabric.packet_bytes=64KiB",
                            "remote_memory.engine.page=64KiB"]),
    ("gpt3_offloaded", ["workload.model.transformer.layers=4", "workload.samples_per_replica=4",
                        "workload.microbatches=4", "run.watchdog=1000s"]),
    ("gpt3_streamed", ["workload.model.transformer.layers=4", "workload.chunks_per_stage=2",
                       "workload.model.transformer.hidden=3072", "workload.model.transformer.vocabulary=12800"]),
    ("transformer_1t_streamed", ["workload.model.transformer.layers=2", "workload.chunks_per_stage=2",
                                 "workload.model.transformer.hidden=3200", "workload.model.transformer.vocabulary=6400",
                                 "workload.samples_per_replica=2", "workload.microbatches=2",
                                 "workload.weight_loads_per_pass=2"]),
    ("transformer_17b_layer", ["workload.model.transformer.sequence=64"]),
    ("transformer_17b", ["workload.model.transformer.layers=6", "iterations=2"]),
    ("llama3_8b", ["workload.model.transformer.layers=2", "workload.samples_per_replica=2", "workload.microbatches=2"]),
    ("llama3_70b", ["workload.model.transformer.layers=5", "workload.samples_per_replica=3", "workload.microbatches=3"]),
    ("mixtral_8x7b_offloaded", ["workload.model.transformer.layers=4", "run.watchdog=1000s"]),
    ("mixtral_8x7b", ["workload.model.transformer.layers=4"]),
    ("tensor_parallelism", ["workload.model.transformer.sequence=256"]),
    ("lent_memory", ["workload.model.transformer.layers=8", "workload.model.transformer.sequence=256"]),
    ("", []),
]


def run(tool, preset, mode, settings, limit, folder):
    """Processor seconds and results; None for the seconds if they passed the limit."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [tool, "run", str(preset), "--out", str(folder), "--force"]
    for setting in [*settings, f"run.acceleration={mode}"]:
        words += ["--set", setting]
    done = subprocess.run(words, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode in (-24, -9):
        return None, None
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip() or done.stdout.strip())[-600:])
    return after.ru_utime - before.ru_utime, json.loads((folder / "results.json").read_text())


def without_what_may_differ(results):
    results.pop("host")
    for note in list(results.get("notes", [])):
        if "acceleration" in note:
            results["notes"].remove(note)
    return results


def first_difference(one, other, path=""):
    if type(one) is not type(other):
        return f"{path}: {one!r} and {other!r}"
    if isinstance(one, dict):
        if list(one) != list(other):
            return f"{path}: other keys"
        parts = [(f"{path}.{key}".lstrip("."), one[key], other[key]) for key in one]
    elif isinstance(one, list):
        if len(one) != len(other):
            return f"{path}: {len(one)} and {len(other)} entries"
        parts = [(f"{path}[{k}]", a, b) for k, (a, b) in enumerate(zip(one, other))]
    else:
        return None if one == other else f"{path}: {one!r} and {other!r}"
    for part in parts:
        found = first_difference(part[1], part[2], part[0])
        if found:
            return found
    return None


def numbered_jobs(description):
    """Options of a script that makes jobs by number; numbers_of() says which."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--numbers", type=int, nargs="+")
    parser.add_argument("--verify", type=int, default=10)
    parser.add_argument("--limit", type=int, default=120)
    return parser


def numbers_of(arguments):
    return arguments.numbers or range(arguments.first, arguments.first + arguments.jobs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("regex", nargs="?", default="")
    parser.add_argument("--mode", default="exact", choices=["exact", "verify"])
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    presets = [p for p in sorted(EXPERIMENTS.glob("*.yaml")) if re.search(arguments.regex, p.stem)]
    if not presets:
        sys.exit(f"no preset matches '{arguments.regex}'")
    tool = str(pathlib.Path(arguments.tool).resolve())
    wrong = 0
    print(f"{'':34} {'off s':>9} {arguments.mode + ' s':>9} {'times':>6} {'packet hops':>14}")
    for preset in presets:
        size = [] if arguments.whole else next(s for name, s in SIZES if preset.stem.startswith(name))
        settings = size + arguments.set
        with tempfile.TemporaryDirectory() as folder:
            try:
                fast_s, fast = run(tool, preset, arguments.mode, settings, arguments.limit, pathlib.Path(folder) / "a")
                off_s, off = run(tool, preset, "off", settings, arguments.limit, pathlib.Path(folder) / "b")
            except RuntimeError as error:
                print(f"{preset.stem:34} FAILED: {error}", flush=True)
                wrong += 1
                continue
        if fast is None or off is None:
            print(f"{preset.stem:34} over {arguments.limit} s with {'off' if fast else arguments.mode}", flush=True)
            continue
        hops = off["simulation"]["packet_hops"]
        difference = first_difference(without_what_may_differ(fast), without_what_may_differ(off))
        wrong += difference is not None
        print(f"{preset.stem:34} {off_s:9.2f} {fast_s:9.2f} {off_s / max(fast_s, 0.01):6.1f} {hops:14} "
              f"{'equal' if difference is None else 'DIFFERENT: ' + difference}", flush=True)
    print(f"{len(presets)} presets, {wrong} different or failed")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
