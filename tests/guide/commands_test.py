#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does what the guide's pages say, word for word:  commands_test.py GUIDE_PAGES PROGRAM_FOLDER [--write-charts | --installed PREFIX]

Each page in an empty folder: a block with a file's name is written to that file, a block of sh is run, and every line of a block of text
must be in what the sh before it has printed. A picture below "<!-- chart: REPORT KIND CHOICE -->" must be the chart of that report
(guide/chart.mjs). Pages with "<!-- needs an installation -->" are left out; with --installed they alone are followed, with PREFIX in the
place of /usr.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = re.compile(r"^<!-- chart: (\S+) (line|bar|heat map|pareto) (\{.*\}) -->\n!\[[^\]]+\]\(([^)]+)\)$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def make_charts(page, folder, write):
    """The charts of the page's runs against its pictures. @return how many."""
    charts = CHART.findall(page.read_text(encoding="utf-8"))
    assert len(charts) == page.read_text(encoding="utf-8").count("<!-- chart"), f"{page.name}: a chart that is not understood"
    for report, kind, choice, picture in charts:
        made = subprocess.run(["node", page.parent.parent / "chart.mjs", pathlib.Path(folder, report), kind, choice], check=True,
                              stdout=subprocess.PIPE, encoding="utf-8").stdout
        file = page.parent / picture
        if write:
            file.parent.mkdir(exist_ok=True)
            file.write_text(made, encoding="utf-8")
        assert file.read_text(encoding="utf-8") == made, f"{file} is not what {report} says; --write-charts writes it"
    return len(charts)


NEEDS_INSTALLATION = "<!-- needs an installation -->"


def follow(page, environment, write, prefix="/usr"):
    printed, commands = "", 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, name, content in BLOCK.findall(page.read_text(encoding="utf-8")):
            if name:
                pathlib.Path(folder, name).write_text(content, encoding="utf-8")
            elif kind == "sh":
                done = subprocess.run(["bash", "-e", "-c", content.replace("/usr/", f"{prefix}/")], cwd=folder, env=environment, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
                printed, commands = done.stdout, commands + 1
                print(f"{page.name}$ {content}{printed}", flush=True)
                assert done.returncode == 0, f"{page.name}: exit code {done.returncode} of {content}"
            else:
                assert kind == "text", f"{page.name}: a block of {kind} without a file's name"
                for line in content.splitlines():
                    assert line in printed, f"{page.name} says '{line}'"
        charts = make_charts(page, folder, write)
        print(f"{page.name}: {charts} charts", flush=True)
    return commands


def main():
    folder, programs, *options = sys.argv[1:]
    pages = sorted(pathlib.Path(folder).glob("*.md"))
    installed = [page for page in pages if NEEDS_INSTALLATION in page.read_text(encoding="utf-8")]
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "platform/python"), "WAFERTLM": f"{programs}/wafertlm"}
    if options[:1] == ["--installed"]:
        environment["CMAKE_PREFIX_PATH"] = options[1]
        assert installed and all(follow(page, environment, False, options[1]) for page in installed)
        return
    pages = [page for page in pages if page not in installed]
    commands = [follow(page, environment, options == ["--write-charts"]) for page in pages]
    assert len(pages) >= 5 and min(commands) >= 1 and sum(commands) >= 15, commands


main()
