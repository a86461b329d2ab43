# SPDX-License-Identifier: Apache-2.0
"""python3 -m wafertlm: where the program is; any other words are its command line."""
from __future__ import annotations

import os
import sys

from .errors import WaferTLMError
from .program import find_program, version

USAGE = """usage: python3 -m wafertlm where | version | COMMAND ...

  where      the package's folder, and the program that it runs
  version    of the program
  COMMAND    runs `wafertlm COMMAND ...`; `python3 -m wafertlm help` is its help

In Python: help(wafertlm) says how to run experiments, collectives, studies and sweeps.
"""


def main(words: list[str]) -> int:
    """@return exit code, as the program's: 2 bad input"""
    if not words or words[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    try:
        if words == ["where"]:
            print(f"package  {os.path.dirname(os.path.abspath(__file__))}\nprogram  {find_program()}")
        elif words == ["version"]:
            print(version())
        else:
            program = find_program()
            os.execv(program, ["wafertlm", *(["--help"] if words == ["help"] else words)])
    except WaferTLMError as error:
        print(f"wafertlm: {error}", file=sys.stderr)
        return 2
    return 0


sys.exit(main(sys.argv[1:]))
