#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what the guide's pages say, word for word:  commands_test.py GUIDE_PAGES PROGRAM_FOLDER

Each page in an empty folder: a block with a file's name is written to that file, a block of sh is run, and every line of a block of text
must be in what the sh before it has printed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def follow(page, environment):
    printed, commands = "", 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, name, content in BLOCK.findall(page.read_text(encoding="utf-8")):
            if name:
                pathlib.Path(folder, name).write_text(content, encoding="utf-8")
            elif kind == "sh":
                done = subprocess.run(["bash", "-e", "-c", content], cwd=folder, env=environment, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
                printed, commands = done.stdout, commands + 1
                print(f"{page.name}$ {content}{printed}", flush=True)
                assert done.returncode == 0, f"{page.name}: exit code {done.returncode} of {content}"
            else:
                assert kind == "text", f"{page.name}: a block of {kind} without a file's name"
                for line in content.splitlines():
                    assert line in printed, f"{page.name} says '{line}'"
    return commands


def main():
    pages = sorted(pathlib.Path(sys.argv[1]).glob("*.md"))
    environment = {**os.environ, "PATH": f"{sys.argv[2]}:{os.environ['PATH']}"}
    commands = [follow(page, environment) for page in pages]
    assert len(pages) >= 5 and min(commands) >= 1 and sum(commands) >= 15, commands


main()
