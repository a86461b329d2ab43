#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every block of sh of every README, or it is marked with what it needs:  readmes_test.py ROOT PROGRAM_FOLDER [REGEX]

A block that begins "```sh needs:verilator" is not run. The others are, of each README in a folder with a copy of configs/, where
`./run.sh` is the program, EXPERIMENT.yaml and PLATFORM.yaml are the first presets and out/a and out/b runs of the first.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\S+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEEDS = {"build", "clang", "gtkwave", "hours", "libra", "package", "slurm", "verilator"}
ROOT, PROGRAMS = pathlib.Path(sys.argv[1]), sys.argv[2]
WANTED = re.compile(sys.argv[3] if len(sys.argv) > 3 else "")
# Another test follows these word for word.
FOLLOWED = set(re.findall(r"models/\S+README\.md", (ROOT / "tests/rtl/crossbar/CMakeLists.txt").read_text(encoding="utf-8")))
ENVIRONMENT = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}


def readmes():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*README.md"], capture_output=True, text=True, check=False).stdout.split()
    found = [ROOT / name for name in listed] or [each for each in ROOT.rglob("README.md") if not {"build", "node_modules"} & set(each.relative_to(ROOT).parts)]
    return sorted(found)


def prepare(folder):
    shutil.copytree(ROOT / "configs", folder / "configs")
    experiment = folder / "configs/experiments/resnet50_dp20_mesh_5x4.yaml"
    (folder / "run.sh").write_text('#!/bin/sh\nexec wafertlm "$@"\n')
    (folder / "run.sh").chmod(0o755)
    (folder / "EXPERIMENT.yaml").write_text(experiment.read_text().replace("../", "configs/"))
    (folder / "PLATFORM.yaml").write_text("extends: wafer_mesh_5x4\n")
    for name in ("a", "b"):
        subprocess.run(["wafertlm", "run", experiment, "--out", f"out/{name}", "--set", "iterations=1"], cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


def main():
    ran, marked = 0, {}
    for readme in readmes():
        name = str(readme.relative_to(ROOT))
        blocks = [(needs.strip(), text) for kind, needs, text in BLOCK.findall(readme.read_text(encoding="utf-8")) if kind in ("sh", "bash", "shell", "console")]
        for needs, _ in blocks:
            assert not needs or needs.removeprefix("needs:") in NEEDS and needs.startswith("needs:"), f"{name}: '{needs}' is not one of needs:{'|'.join(sorted(NEEDS))}"
        if not WANTED.search(name) or name in FOLLOWED:
            continue
        if any(not needs for needs, _ in blocks):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                prepare(folder)
                for needs, text in blocks:
                    if needs:
                        continue
                    done = subprocess.run(["bash", "-e", "-c", text], cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
                    print(f"{name}$ {text}", flush=True)
                    assert done.returncode == 0, f"{name}: exit code {done.returncode} of\n{text}\n{done.stdout[-2000:]}"
                    ran += 1
        for needs, _ in blocks:
            if needs:
                marked.setdefault(needs, []).append(name)
    print(f"{ran} blocks ran; not run:", marked)
    assert WANTED.pattern or (ran >= 15 and sum(map(len, marked.values())) <= 16), (ran, marked)


main()
