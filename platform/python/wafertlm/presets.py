# SPDX-License-Identifier: Apache-2.0
"""Presets by name, which files that are written elsewhere name by their place."""
from __future__ import annotations

import difflib
import functools
import os
import pathlib
import re

from .errors import BadInput, UnexpectedResults
from .program import find_program, tool


@functools.cache
def _folder(program: str, configs: str | None, kind: str) -> pathlib.Path:
    said = tool("presets", kind)
    if place := re.search(r"\bin (/.+)", said):
        return pathlib.Path(place[1])
    raise UnexpectedResults(f"{program} presets {kind} says no folder")


def file_of(kind: str, text: str | os.PathLike[str]) -> pathlib.Path:
    """The file that `text` names: a preset of `kind` ("platforms", "workloads", "experiments"), or a file.

    @throws BadInput: neither
    """
    path = pathlib.Path(text)
    if path.exists() or "/" in os.fspath(text) or path.suffix:
        return path.resolve()
    folder = _folder(find_program(), os.environ.get("WAFERTLM_CONFIGS"), kind)
    preset = folder / f"{path}.yaml"
    if preset.is_file():
        return preset
    near = difflib.get_close_matches(str(path), [each.stem for each in folder.glob("*.yaml")], 1)
    raise BadInput(f"there is no file and no preset '{text}' in {folder}" + (f"; did you mean '{near[0]}'?" if near else ""))


def written(kind: str, file: pathlib.Path) -> str:
    """How YAML names it: a preset by its name, another file by its whole path."""
    return file.stem if file == _folder(find_program(), os.environ.get("WAFERTLM_CONFIGS"), kind) / file.name else str(file)


def named_in(file: pathlib.Path, text: str) -> str | pathlib.Path:
    """What a file names: one beside it, or a preset."""
    return text if "/" not in text and not text.endswith(".yaml") else file.parent / text
