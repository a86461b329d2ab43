#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows a guide in a README word for word.

    guide_test.py SOURCE BUILD WORK README SECTION

Installs BUILD below WORK, and in an empty folder does what the README of SOURCE says from SECTION on: a block with a file's name is
written to that file, a block of sh is run, and every line of a block of text must be in what the sh before it has printed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main():
    source, build, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    shutil.rmtree(work, ignore_errors=True)
    folder = work / "my_switch"
    folder.mkdir(parents=True)
    subprocess.run(["cmake", "--install", build, "--prefix", work / "install"], check=True, stdout=subprocess.DEVNULL)
    environment = {**os.environ, "WAFERTLM": str(source), "PREFIX": str(work / "install")}
    readme, section = sys.argv[4:6]
    text = (source / readme).read_text(encoding="utf-8")
    blocks = BLOCK.findall(text[text.index("## " + section):])
    kinds = [kind for kind, _, _ in blocks]
    assert kinds.count("sh") >= 2 and kinds.count("text") >= 2, kinds
    printed = ""
    for kind, name, content in blocks:
        if name:
            (folder / name).write_text(content, encoding="utf-8")
        elif kind == "sh":
            done = subprocess.run(["bash", "-e", "-c", content], cwd=folder, env=environment, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
            printed = done.stdout
            print(f"$ {content}{printed}", flush=True)
            assert done.returncode == 0, f"exit code {done.returncode}"
        else:
            for line in content.splitlines():
                assert line in printed, f"the guide says '{line}'"


main()
