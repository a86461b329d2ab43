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
from keys import anchor, keys_page  # noqa: E402

keys = json.loads(subprocess.run([TOOL, "keys", "--json"], check=True, capture_output=True, text=True).stdout)["keys"]
page = keys_page(keys)
kinds = {key["kind"] for key in keys}
assert len(keys) >= 600 and len(kinds) >= 15, (len(keys), kinds)
for key in keys:
    assert f'<a id="{anchor(key["kind"], key["path"])}"></a>' in page, key
for line in page.splitlines():
    if line.startswith("| <a"):
        assert len(re.findall(r"(?<!\\)\|", line)) == 5, line
anchors = re.findall(r'<a id="([^"]+)">', page)
for target in re.findall(r"\]\(#([^)]+)\)", page):
    assert target in anchors, target
# A row in full: path, value, default and meaning.
NAME = "platform.wafer.fabric.link_bandwidth"
assert re.search(r'^\| <a id="' + NAME + r'"></a>\[`wafer\.fabric\.link_bandwidth`\]\(#' + NAME + r'\) \| bandwidth from 1 B/s to 9 PB/s, such as 750 GB/s \| .* \| Bandwidth of a link',
                 page, re.M), NAME
assert re.search(r"^\| <a .*\[`iterations`\].* \| integer, 1 to 1000000 \| `1` \| How often the workload runs \|$", page, re.M), "iterations"
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
    for name in anchors:
        assert f'id="{html.escape(name)}"' in pages["keys.html"], name
    # The search has all pages' texts in its script, and nothing to fetch.
    script = (site / "search/main.js").read_text(encoding="utf-8")
    assert "lunr" in script and sorted(each.name for each in (site / "search").iterdir()) == ["main.js"]
    for word in ("rtl_engineer.html", "wafer.fabric.link_bandwidth", "Random traffic with stalls"):
        assert word in script, word
    assert not re.search(r"fetch\(|XMLHttpRequest|Worker\(|getJSON", script)
    for name, text in pages.items():
        assert "search/main.js" in text and "mkdocs-search-query" in text, name
