#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one page of the report's template, style, scripts and chart library.

    bundle.py TEMPLATE STYLE LIBRARY OUTPUT SCRIPT ...
"""
import pathlib
import sys


def main():
    template, style, library, output, *scripts = map(pathlib.Path, sys.argv[1:])
    parts = {"@STYLE@": style.read_text(), "@LIBRARY@": library.read_text(),
             "@SCRIPTS@": "\n".join(script.read_text() for script in scripts)}
    page = template.read_text()
    for place, text in parts.items():
        if "</script" in text or "@DATA@" in text:
            sys.exit(f"bundle.py: the text for {place} would end its element or hide the data")
        before, after = page.split(place)
        page = before + text + after
    if "@DATA@" not in page:
        sys.exit(f"bundle.py: {template} has no place for the data")
    output.write_text(page)


if __name__ == "__main__":
    main()
