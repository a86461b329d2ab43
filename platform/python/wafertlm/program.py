# SPDX-License-Identifier: Apache-2.0
"""The program `wafertlm`: where it is, and what it says."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
from typing import Any

from .errors import ProgramNotFound

_PACKAGE = pathlib.Path(__file__).resolve().parent


def find_program() -> str:
    """The path of the program: $WAFERTLM; beside the package as it is installed (PREFIX/bin), in the source tree (build/); on PATH.

    @throws ProgramNotFound
    """
    if given := os.environ.get("WAFERTLM"):
        if found := shutil.which(given):
            return found
        raise ProgramNotFound(f"$WAFERTLM is {given}, which is no program")
    beside = [_PACKAGE.parents[3] / "bin/wafertlm", _PACKAGE.parents[2] / "build/wafertlm"]
    for path in beside:
        if os.access(path, os.X_OK) and path.is_file():
            return str(path)
    if found := shutil.which("wafertlm"):
        return found
    raise ProgramNotFound("there is no program `wafertlm`: neither " + ", ".join(map(str, beside)) +
                          " nor on PATH; set WAFERTLM to its path, or build it (./build.sh release wafertlm)")


def tool(*words: str | os.PathLike[str]) -> str:
    """Runs `wafertlm WORDS …`. @return what it prints; @throws WaferTLMError"""
    from .process import Call, execute  # it asks this module for the program

    return execute(Call([os.fspath(word) for word in words], read=str))


def tool_json(*words: str | os.PathLike[str]) -> Any:
    """The same with `--json -`, of any command that has it. @return the document"""
    return json.loads(tool(*words, "--json", "-"))


def version() -> str:
    """Of the program, as it says it."""
    return tool("--version").strip()
