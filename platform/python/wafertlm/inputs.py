# SPDX-License-Identifier: Apache-2.0
"""What a command is given: files, presets and objects as words of its command line."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from . import presets
from .specs import Base, Spec
from .temporary import TemporaryFolder
from .yaml_text import scalar

Settings = Mapping[str, Any]


class Inputs:
    """The words of a command line, and the files that hold its objects."""

    def __init__(self) -> None:
        self.folder = TemporaryFolder()
        self.documents: dict[str, tuple[str, str]] = {}  # by path: what errors call it, its text

    def file(self, given: Spec | Base) -> str:
        """An object is written; a preset's name and a file stay as they are, for messages name them."""
        if not isinstance(given, Spec):
            return os.fspath(given)
        path = self.folder.path / f"{given.kind}{len(self.documents)}.yaml"
        given.write(path)
        self.documents[str(path)] = (f"<{given.kind}>", given.yaml())
        return str(path)

    def settings(self, given: Settings | None) -> list[str]:
        """--set KEY=VALUE for each. `platform` and `workload` may be objects and presets, and come first: they replace what is below."""
        items = sorted((given or {}).items(), key=lambda item: item[0] not in ("platform", "workload"))
        return [word for key, value in items for word in ("--set", f"{key}={self._value(key, value)}")]

    def _value(self, key: str, value: object) -> str:
        if isinstance(value, Spec):
            return self.file(value)
        if key in ("platform", "workload") and isinstance(value, (str, os.PathLike)):
            return str(presets.file_of(key + "s", value))
        return value if isinstance(value, str) else scalar(os.fspath(value) if isinstance(value, os.PathLike) else value)


def options(given: Mapping[str, object]) -> list[str]:
    """Words such as --npus 0-4; None and False are left out."""
    words: list[str] = []
    for name, value in given.items():
        if value is None or value is False:
            continue
        words.append("--" + name.rstrip("_").replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words
