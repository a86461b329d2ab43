#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every number of NPUs and I/O controllers is changed by a tenth: does anything change, or is it said that it does not?

    idle_keys_test.py WAFERTLM [EXPERIMENT ...]

"Said" is: refused, or named in a note of the results. EXPERIMENT: presets by name.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

DEFAULT = ["resnet50_dp20_mesh_5x4", "dlrm_fred_d", "dimensional_resnet152"]
PARTS = ("npu.", "wafer.io.")
NUMBER = re.compile(r"^(\d+(?:\.\d+)?)( .*)?$")


def flattened(node, path=""):
    if isinstance(node, dict):
        if set(node) == {"value", "provenance"}:
            yield from flattened(node["value"], path)
            return
        for key, value in node.items():
            yield from flattened(value, f"{path}.{key}".lstrip("."))
    elif not isinstance(node, (list, bool)) and node is not None:
        yield path, str(node)


def changed(value):
    found = NUMBER.match(value)
    if not found or float(found.group(1)) == 0:
        return None
    number = float(found.group(1))
    more = number * 1.1 if "." in found.group(1) or number >= 10 and found.group(2) else number + 1
    return f"{more:.12g}{found.group(2) or ''}"


def run(tool, experiment, settings, folder):
    words = [tool, "run", experiment, "--out", str(folder), "-q"]
    for setting in settings:
        words += ["--set", setting]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return None
    assert done.returncode == 0, (settings, done.stderr)
    results = json.loads((folder / "results.json").read_text())
    for name in ("host",):
        results.pop(name)
    return results


def silent(tool, experiment, folder):
    base = run(tool, experiment, [], folder / "base")
    assert base is not None, f"{experiment} is refused"
    resolved = yaml.safe_load((folder / "base" / "resolved.yaml").read_text())
    keys = [(path, changed(value)) for path, value in flattened(resolved["platform"])]
    keys = [(path, to) for path, to in keys if to and path.startswith(PARTS)]

    def of(number_and_key):
        number, (path, to) = number_and_key
        found = run(tool, experiment, [f"{path}={to}"], folder / str(number))
        if found is None:
            return None
        said = any(path in note for note in found["notes"])
        found.pop("notes")
        return None if said or found != plain else path

    plain = {key: value for key, value in base.items() if key != "notes"}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [path for path in pool.map(of, enumerate(keys)) if path], len(keys)


def main():
    tool = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = 0
    for experiment in sys.argv[2:] or DEFAULT:
        with tempfile.TemporaryDirectory() as name:
            keys, count = silent(tool, experiment, pathlib.Path(name))
        wrong += len(keys)
        print(f"{experiment}: {count} numbers changed, {len(keys)} without a word{''.join(chr(10) + '  ' + key for key in keys)}",
              flush=True)
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
