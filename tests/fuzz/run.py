#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs fuzz targets: first their seeds, then inputs that libFuzzer makes of them.

  tests/fuzz/run.py BUILD [TARGET ...] [--seconds N | --runs N | --quick] [--keep DIR]

BUILD is the folder of a sanitizer build (build-fuzz). What was found is left in BUILD/findings with a line that repeats it; the
exit code is then 1. --keep DIR: inputs that reached new code are kept in DIR/TARGET and used again in the next call."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
# The property of README.md. Sanitizers keep freed memory for a while; a small while, for the limit is of the input's memory.
LIMITS = ["-timeout=2", "-rss_limit_mb=1024"]
# What tests do: always the same inputs of the same code, and time for a machine that does other things too.
QUICK = ["-runs=1000", "-seed=1", "-timeout=20"]
# libFuzzer's choice of inputs by entropy takes 15 times as long as a target of many branches does by itself.
OPTIONS = ["-entropic=0", "-print_final_stats=1"]
ENVIRONMENT = {"ASAN_OPTIONS": "quarantine_size_mb=64", "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
MEMORY = Path("/dev/shm")  # a file there is written three times as fast as on a disk
WORD = re.compile(r"[A-Za-z_][\w.-]{1,40}")


def words_of_schema(build):
    """Keys and words of YAML files, from the program's own description of them."""
    def walk(schema):
        if isinstance(schema, list):
            for each in schema:
                yield from walk(each)
        elif isinstance(schema, dict):
            yield from schema.get("properties", {})
            yield from (word for word in schema.get("enum", []) if isinstance(word, str))
            if isinstance(schema.get("const"), str):
                yield schema["const"]
            for each in schema.values():
                yield from walk(each)
    text = subprocess.run([build / "wafertlm", "schema"], check=True, capture_output=True, text=True).stdout
    return set(walk(json.loads(text)))


def words_of_seeds(folder):
    """What stands in the seeds that are text."""
    words = set()
    for seed in folder.iterdir():
        try:
            words.update(WORD.findall(seed.read_text(encoding="ascii")))
        except UnicodeDecodeError:
            pass
    return words


def write_dictionary(path, target, build):
    """@return whether it has a word: libFuzzer refuses an empty one."""
    words = words_of_seeds(CORPUS / target)
    if target in ("config", "efficiency"):
        words |= words_of_schema(build)
    path.write_text("".join(f'"{word}"\n' for word in sorted(words) if WORD.fullmatch(word)))
    return bool(words)


def run(target, arguments, build):
    """@return whether nothing was found."""
    findings = build / "findings"
    findings.mkdir(exist_ok=True)
    # All files of a target are in this folder, which goes with what a finding leaves behind.
    with tempfile.TemporaryDirectory(prefix="wafertlm-fuzz.", dir=MEMORY if MEMORY.is_dir() else None) as scratch:
        dictionary = Path(scratch) / "words.dict"
        words = [f"-dict={dictionary}"] if write_dictionary(dictionary, target, build) else []
        kept = Path(arguments.keep or scratch).resolve() / target
        kept.mkdir(parents=True, exist_ok=True)
        effort = [f"-runs={arguments.runs}"] if arguments.runs else [f"-max_total_time={arguments.seconds}"]
        if arguments.quick:
            effort = QUICK
        command = [build / "wafertlm_fuzz", target, *LIMITS, *OPTIONS, *effort, *words,
                   f"-artifact_prefix={findings}/{target}-", kept, CORPUS / target]
        print(f"{target}: {' '.join(map(str, command))}", flush=True)
        done = subprocess.run(command, env={**os.environ, **ENVIRONMENT, "TMPDIR": scratch},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=scratch)
        lines = done.stdout.splitlines()
        if done.returncode == 0:
            print("\n".join(line for line in lines if line.startswith(("stat::number", "stat::average", "Done"))))
            return True
        print("\n".join(lines[-120:]))
        print(f"{target}: FOUND; repeat it with\n  {command[0]} {target} {' '.join(LIMITS)} {findings}/{target}-…")
        return False


def main():
    known = sorted(folder.name for folder in CORPUS.iterdir())
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"all if none is given: {', '.join(known)}")
    parser.add_argument("--seconds", type=int, default=60, help="for each target; 60 if not given")
    parser.add_argument("--quick", action="store_true",
                        help="1000 inputs that are always the same; with $WAFERTLM_FUZZ_SECONDS as --seconds")
    parser.add_argument("--runs", type=int, help="inputs for each target, in place of a time")
    parser.add_argument("--keep", help="folder for inputs that reached new code")
    arguments = parser.parse_args()
    if arguments.quick and "WAFERTLM_FUZZ_SECONDS" in os.environ:
        arguments.quick, arguments.seconds = False, int(os.environ["WAFERTLM_FUZZ_SECONDS"])
    for target in arguments.targets:
        if target not in known:
            parser.error(f"no target '{target}'; there are {', '.join(known)}")
    build = arguments.build.resolve()
    good = [run(target, arguments, build) for target in arguments.targets or known]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
