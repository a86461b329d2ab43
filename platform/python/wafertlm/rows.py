# SPDX-License-Identifier: Apache-2.0
"""JSON as dataclasses whose fields have the names of its keys, and tables of them."""
from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

from .errors import UnexpectedResults
from .frames import flat, frame

R = TypeVar("R", bound="Row")
NOT_JSON = {"json": False}  # metadata of fields that no key fills


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """An object of the results. other: keys that this version of the package does not know, as they are."""

    other: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, metadata=NOT_JSON)

    @classmethod
    def keys(cls) -> dict[str, str]:
        """The keys of the JSON, and the field of each: `class` is class_, for Python has a word of that name."""
        return {each.name.rstrip("_"): each.name for each in dataclasses.fields(cls) if each.metadata.get("json", True)}

    def as_dict(self) -> dict[str, Any]:
        """As it is in JSON; a field that is None is left out."""
        values = {key: getattr(self, name) for key, name in self.keys().items()}
        return {**{key: _plain(value) for key, value in values.items() if value is not None}, **self.other}

    def record(self) -> dict[str, Any]:
        """As a row of a table: what is below is a column "above.key"; lists of rows are left out."""
        return flat(self.as_dict())


class Rows(tuple[R, ...]):
    """Rows of one kind, as a tuple."""

    def records(self) -> list[dict[str, Any]]:
        """A dict for each row, see Row.record()."""
        return [row.record() for row in self]

    def frame(self) -> Any:
        """A pandas.DataFrame, a row for each. @throws ImportError: pandas is not installed"""
        return frame(self.records())


def _plain(value: object) -> Any:
    if isinstance(value, Row):
        return value.as_dict()
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


@functools.cache
def field_types(of: Any) -> dict[str, Any]:
    """Of a dataclass, by field."""
    return typing.get_type_hints(of)


def decode_row(of: type[R], value: object, where: str, **more: Any) -> R:
    """An object of JSON. more: fields that no key fills. @throws UnexpectedResults: a key is missing, or of another type"""
    if not isinstance(value, Mapping):
        raise UnexpectedResults(f"{where}: expected an object, got {value!r:.60}")
    cls: Any = of
    known, types_ = of.keys(), field_types(cls)
    fields = {known[key]: _decode(types_[known[key]], each, f"{where}.{key}") for key, each in value.items() if key in known}
    try:
        return of(**fields, **more, other={key: each for key, each in value.items() if key not in known})
    except TypeError as error:  # names the fields
        raise UnexpectedResults(f"{where}: {error}; is the program of another version than the package?") from error


def _decode(of: Any, value: Any, where: str) -> Any:
    origin, parts = typing.get_origin(of), typing.get_args(of)
    if of is Any:
        return value
    if origin in (types.UnionType, typing.Union):
        others = [part for part in parts if part is not types.NoneType]
        return None if value is None and len(others) < len(parts) else _decode(others[0], value, where)
    if origin is Rows and isinstance(value, list):
        return Rows(decode_row(parts[0], each, f"{where}[{i}]") for i, each in enumerate(value))
    if origin is tuple and isinstance(value, list):
        return tuple(_decode(parts[0], each, f"{where}[{i}]") for i, each in enumerate(value))
    if origin in (dict, Mapping) and isinstance(value, dict):
        return {key: _decode(parts[1], each, f"{where}.{key}") for key, each in value.items()}
    if isinstance(of, type) and issubclass(of, Row):
        return decode_row(of, value, where)
    if of is float and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if isinstance(of, type) and isinstance(value, of) and (of is bool or not isinstance(value, bool)):
        return value
    raise UnexpectedResults(f"{where}: expected {getattr(of, '__name__', of)}, got {value!r:.60}")
