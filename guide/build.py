#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the guide as a site that opens offline:  build.py SITE [WAFERTLM]   (MkDocs; Debian: mkdocs)"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from keys import keys_page

GUIDE = pathlib.Path(__file__).resolve().parent


def search_offline(folder):
    """MkDocs' search fetches its index, which a page from disk may not; ours has it, and lunr, within its script."""
    documents = json.loads((folder / "search_index.json").read_text(encoding="utf-8"))["docs"]
    text = json.dumps(documents, ensure_ascii=False).replace("</", "<\\/")
    (folder / "main.js").write_text("\n".join([(folder / "lunr.js").read_text(encoding="utf-8"), f"const DOCUMENTS = {text};",
                                               (GUIDE / "search.js").read_text(encoding="utf-8")]), encoding="utf-8")
    for unused in ("lunr.js", "worker.js", "search_index.json"):
        (folder / unused).unlink()


def main(site, tool=str(GUIDE.parent / "build/wafertlm")):
    if not shutil.which("mkdocs"):
        print("build.py: MkDocs is missing; install Debian's mkdocs", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copytree(GUIDE / "pages", work / "pages")
        shutil.copy(GUIDE / "mkdocs.yml", work)
        keys = json.loads(subprocess.run([tool, "keys", "--json"], check=True, capture_output=True, text=True).stdout)["keys"]
        (work / "pages/keys.md").write_text(keys_page(keys), encoding="utf-8")
        code = subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", work / "mkdocs.yml",
                               "--site-dir", pathlib.Path(site).resolve()], check=False).returncode
    if code == 0:
        search_offline(pathlib.Path(site) / "search")
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
