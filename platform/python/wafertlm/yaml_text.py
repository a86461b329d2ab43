# SPDX-License-Identifier: Apache-2.0
"""Writes what the program reads: maps, lists, texts, numbers and booleans as YAML."""
from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_PLAIN = re.compile(r"[A-Za-z0-9_./(\-][A-Za-z0-9_./()+\- ]*[A-Za-z0-9_./)%]|[A-Za-z0-9_]")  # and no number, see below
_NUMBER = re.compile(r"[-+]?(\.?[0-9][0-9_]*|0x[0-9a-fA-F]+)(\.[0-9]*)?([eE][-+]?[0-9]+)?")
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "-", "."}


def scalar(value: object) -> str:
    """A value on one line, as after `--set KEY=`; maps and lists in braces and brackets."""
    if value is None or isinstance(value, (bool, int)):
        return json.dumps(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and not _NUMBER.fullmatch(value) and value.lower() not in _WORDS
        return value if is_plain and not value.startswith("- ") else json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(str(key))}: {scalar(each)}" for key, each in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(scalar, value)) + "]"
    return scalar(str(value))


def block(tree: Mapping[str, Any], indent: int = 0) -> str:
    """A document: maps in lines of their own."""
    text = ""
    for key, value in tree.items():
        name = " " * indent + scalar(key) + ":"
        text += f"{name}\n{block(value, indent + 2)}" if isinstance(value, Mapping) and value else f"{name} {scalar(value)}\n"
    return text
