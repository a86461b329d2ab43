#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes one page of the report's template, style, scripts and chart library.

    bundle.py TEMPLATE STYLE LIBRARY OUTPUT SCRIPT ...
"""
import pathlib
import re
import sys


def require_names_once(scripts):
    """The scripts share one scope, where a second function of a name would take the place of the first."""
    homes = {}
    for script in scripts:
        for name in re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", script.read_text(), re.MULTILINE):
            if homes.setdefault(name, script) != script:
                sys.exit(f"bundle.py: {name} is declared in {homes[name].name} and in {script.name}")


def main():
    template, style, library, output, *scripts = map(pathlib.Path, sys.argv[1:])
    require_names_once(scripts)
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
