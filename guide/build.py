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


def main(site, tool=str(GUIDE.parent / "build/wafertlm")):
    if not shutil.which("mkdocs"):
        print("build.py: MkDocs is missing; install Debian's mkdocs", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copytree(GUIDE / "pages", work / "pages")
        shutil.copy(GUIDE / "mkdocs.yml", work)
        schema = json.loads(subprocess.run([tool, "schema"], check=True, capture_output=True, text=True).stdout)
        (work / "pages/keys.md").write_text(keys_page(schema), encoding="utf-8")
        return subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--config-file", work / "mkdocs.yml",
                               "--site-dir", pathlib.Path(site).resolve()], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
