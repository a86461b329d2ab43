#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random command lines, of all commands and options that the completion knows, with hostile values:

    command_lines.py WAFERTLM [--lines N] [--first SEED] [--jobs N]

Each in a folder of its own with small inputs. It ends with 0, 1 or 2, with words at 1 or 2 that are ours and short, within
bounds of processor time and memory; what does not is printed, with the seed that repeats it."""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import tempfile

import commands

PROCESSOR_S, MEMORY_BYTES, CLOCK_S = 20, 4 << 30, 100
LIBRARY_WORDS = re.compile(r"json\.exception|std::|bad_alloc|basic_string|vector::|yaml-cpp|\(Success\)|terminate called|stoi|key '\w+' not found")
HOSTILE = ["", " ", "0", "-1", "1", "2", "1.5", "nan", "inf", "-inf", "1e308", "1e-308", "18446744073709551616", "9223372036854775807", "-9223372036854775808",
           "4294967296", "0x10", "1e3", "1KiB", "-1KiB", "nan GB/s", "1e300ms", "1:2", "1:0:0", "4:1:2", "1..2", ",", "a,b", "=", "a=", "=1", "a=b", "--", "-", "'", '"', "%s%n",
           "{}", "{x}", "[1,2", "null", "true", "é", "\u202e", "日本", "\x1b[31m", "a\nb", "x" * 300, "x" * 100_000, "../..", "/", "/dev/null", "/dev/full", "/nowhere/x", ".", "in",
           "npu0", "all_reduce", "bash", "$(id)", "*", "<!--<script>", "=1+1"]
GOOD = ["in/e.yaml", "in/p.yaml", "in/s.yaml", "in/w.yaml", "in/traces/w", "in/traces/w.0.et", "in/done", "in/done/results.json", "in/kineto0.json", "in/kineto1.json",
        "out", "file.json", "64KiB", "1", "2", "0", "7", "wafer.fabric.link_latency=20ns", "wafer.fabric.link_bandwidth=50..100:50 GB/s", "workload.layers=vgg16", "iterations=2"]
FIRST = {"run": "in/e.yaml", "collective": "in/p.yaml", "traffic": "in/p.yaml", "study": "in/s.yaml", "explain": "in/done", "optimize": "in/e.yaml", "check": "in/e.yaml",
         "synthesize": "in/p.yaml", "compare": "in/done", "generate": "in/w.yaml", "show": "in/w.yaml", "export": "in/done", "status": "in/done", "resume": "in/done"}


def grammar(tool):
    """Of each command's path: its subcommands, its options, and which of them take a value."""
    text = subprocess.run([tool, "completion", "bash"], capture_output=True, text=True, check=True).stdout
    found = {}
    for path, body in re.findall(r"^    'wafertlm ?([^']*)'\)\n(.*?;; *\n)(?=    '|  esac)", text, re.DOTALL | re.MULTILINE):
        values = {option: choices.split() for option, choices in re.findall(r"^        (\S+)\) words=(?:'([^']*)'|\$\w+) takes_value=1", body, re.MULTILINE)}
        options = re.search(r"== -\* \]\]; then words='([^']*)'", body).group(1).split()
        found[tuple(path.split())] = (options, values)
    assert len(found) > 40, len(found)
    return found


# What works, of other commands than commands.OUTPUTS.
WORKS = [["traffic", "in/p.yaml", "--pattern", "uniform_random", "--load", "0.1", "--measure", "20us"], ["model", "fred", "counts"], ["model", "memory", "table"],
         ["model", "memory", "stream"], ["model", "memory-engine"], ["check", "in/e.yaml"], ["trace", "stats", "in/traces/w"], ["trace", "info", "in/traces/w"],
         ["trace", "check", "in/traces/w"], ["trace", "diff", "in/traces/w", "in/traces/w"], ["compare", "in/done", "in/done"], ["explain", "in/done", "--quick"],
         ["rtl", "designs"], ["rtl", "stress"], ["presets"], ["tune", "in/p.yaml"], ["pipeline", "in/w.yaml"], ["yield", "die_68x170", "--set", "wafers=100"], ["goodput", "llama3_405b", "--set", "seeds=2"], ["study", "in/s.yaml"]]


def near_line(rng, known):
    """What works, with one or two options of any value."""
    words = [word.replace("{}", "out/x") for word in rng.choice([words for _, _, words in commands.OUTPUTS] + WORKS)]
    path = next(tuple(words[:n]) for n in (3, 2, 1) if tuple(words[:n]) in known)
    options, values = known[path]
    for option in rng.choices([option for option in options if option not in ("-h", "--help", "--json-schema")] or ["-q"], k=rng.choice([0, 1, 1, 1, 2])):
        words += [option, rng.choice(values[option] + HOSTILE + GOOD)] if option in values else [option]
    if rng.random() < 0.4:  # another value, or another file
        words[rng.randrange(len(path), len(words) + 1) - 1 if len(words) > len(path) else -1] = rng.choice(HOSTILE + GOOD)
    return words


def line(rng, known):
    if rng.random() < 0.5:
        return near_line(rng, known)
    path = rng.choice([path for path in known if path])
    options, values = known[path]
    words = list(path)
    if rng.random() < 0.8:
        words.append(FIRST.get(path[-1], "in/traces/w" if path[0] == "trace" else rng.choice(GOOD)) if rng.random() < 0.8 else rng.choice(HOSTILE))
    for option in rng.choices([option for option in options if not option.startswith("-h")], k=rng.choice([0, 1, 1, 2, 2, 3, 5])):
        if option in ("--help", "--json-schema") and rng.random() < 0.9:
            continue
        if option not in values:
            words.append(option)
            continue
        value = rng.choice(values[option] if values[option] and rng.random() < 0.5 else GOOD if rng.random() < 0.3 else HOSTILE)
        words += [f"{option}={value}"] if rng.random() < 0.5 else [option, value]
    if rng.random() < 0.1:
        words.insert(rng.randrange(len(words) + 1), rng.choice(HOSTILE + list(values)))
    return words


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fault(tool, words, inputs):
    """What is wrong with how it ended; None: nothing."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(inputs, scratch, dirs_exist_ok=True)
        process = subprocess.Popen([tool, *words], cwd=scratch, env={**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1", "HOME": scratch}, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, preexec_fn=limit, start_new_session=True)
        try:
            errors = process.communicate(timeout=CLOCK_S)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            return "hangs"
    code = process.returncode
    if code not in (0, 1, 2):
        return f"exit code {code}: {errors[-300:]}"
    if code and not errors.strip():
        return f"exit code {code} without a word"
    if code and len(errors) > 20_000:
        return f"{len(errors)} bytes of message: {errors[:200]}"
    bare = errors
    for word in words:
        bare = bare.replace(word, "") if len(word) > 2 else bare
    if found := LIBRARY_WORDS.search(bare):
        return f"exit code {code} in a library's words ({found.group()}): {errors[-300:]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--lines", type=int, default=150)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    known = grammar(options.tool)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        commands.Tool(options.tool).make_inputs(pathlib.Path(folder))

        def one(seed):
            words = line(random.Random(seed), known)
            return seed, words, fault(options.tool, words, folder)

        faults = 0
        for seed, words, wrong in pool.map(one, range(options.first, options.first + options.lines)):
            if wrong:
                faults += 1
                print(f"{seed}: wafertlm {shlex.join(word[:80] for word in words)}\n  {wrong}", flush=True)
    print(f"{options.lines} command lines, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
