#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The guide's site: it builds, opens offline, and has every key:  site_test.py GUIDE WAFERTLM

Exit code 77: MkDocs is not there; then only the page of keys is looked at.
"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GUIDE, TOOL = pathlib.Path(sys.argv[1]), sys.argv[2]
sys.path.insert(0, str(GUIDE))
from keys import keys_page  # noqa: E402

schema = json.loads(subprocess.run([TOOL, "schema"], check=True, capture_output=True, text=True).stdout)
page = keys_page(schema)
structs = {name: each for name, each in schema["$defs"].items() if not name.endswith("_changes") and "properties" in each}
assert len(structs) >= 40, len(structs)
for name, struct in structs.items():
    assert f"\n## {name}\n" in page, name
    section = page[page.index(f"\n## {name}\n"):].split("\n<a id")[0]
    rows = re.findall(r"^\| `([^`]+)` \|", section, re.M)
    assert rows == [key for key, each in struct["properties"].items() if isinstance(each, dict)], name
    for line in section.splitlines():
        if line.startswith("| `"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 5, line
for target in re.findall(r"\]\(#([^)]+)\)", page):
    assert target in structs, target
# A row in full: value, default and meaning.
assert re.search(r"^\| `link_bandwidth` \| such as `750 GB/s` \(bandwidth from 1 B/s to 9 PB/s\) \|  \| Bandwidth of a link between two routers, per direction \|$", page, re.M), "link_bandwidth"
assert re.search(r"^\| `iterations` \| integer, 1 to 1000000 \| `1` \| How often the workload runs \|$", page, re.M), "iterations"
assert re.search(r"^\| `platform` \| \[platform\]\(#platform\) or text \| required \| The platform, or its file \|$|^\| `platform` .* \| required \|", page, re.M), "platform"
if not shutil.which("mkdocs"):
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    site = pathlib.Path(folder, "site")
    subprocess.run([sys.executable, GUIDE / "build.py", site, TOOL], check=True)
    pages = {each.name: each.read_text(encoding="utf-8") for each in site.glob("*.html")}
    assert set(pages) >= {"index.html", "architect.html", "rtl_engineer.html", "researcher.html", "studies.html", "astra_sim.html", "keys.html"}, pages.keys()
    for name, text in pages.items():
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="([^"]+)"', text) + re.findall(r'<link[^>]*\srel="stylesheet"[^>]*\shref="([^"]+)"', text) \
            + re.findall(r'<link[^>]*\shref="([^"]+)"[^>]*\srel="stylesheet"', text)
        assert loaded, name
        for each in loaded:
            assert not re.match(r"(https?:)?//", each), f"{name} loads {each}"
            if name != "404.html":  # it is served from anywhere
                assert (site / each).exists(), f"{name} loads {each}"
        for target in re.findall(r'href="([a-z_]+\.html)(?:#[^"]*)?"', text):
            assert target in pages, f"{name} links to {target}"
    for name in structs:
        assert f'id="{html.escape(name)}"' in pages["keys.html"], name
