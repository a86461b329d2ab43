# SPDX-License-Identifier: Apache-2.0
"""Tables: a record per row, its keys the columns."""
from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any


def frame(records: Iterable[Mapping[str, Any]]) -> Any:
    """A pandas.DataFrame. @throws ImportError: pandas is not installed"""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError as error:
        raise ImportError("tables need pandas (Debian: python3-pandas); records() gives the same as a list of dicts") from error
    return pandas.DataFrame.from_records([dict(record) for record in records])


def flat(value: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Maps below become columns "above.key"; lists of rows, which are tables of their own, are left out."""
    record: dict[str, Any] = {}
    for key, each in value.items():
        if isinstance(each, Mapping):
            record.update(flat(each, f"{above}{key}."))
        elif not (isinstance(each, (list, tuple)) and any(isinstance(item, Mapping) for item in each)):
            record[above + key] = each
    return record
