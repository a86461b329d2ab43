# SPDX-License-Identifier: Apache-2.0
"""Platforms, workloads and experiments as objects that print the YAML which the program reads."""
from __future__ import annotations

import copy
import os
import pathlib
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from . import presets
from .yaml_text import block

Base = str | os.PathLike[str]


def _own(value: Any) -> Any:
    """A copy, with the whole paths of files."""
    if isinstance(value, os.PathLike):
        return str(pathlib.Path(value).resolve())
    if isinstance(value, Mapping):
        return {str(key): _own(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_own(each) for each in value]
    return value


class Spec:
    """A description: all of another one (a preset by its name, or a file) but for the keys that it sets; or keys alone.

    A value that is a file is given as a pathlib.Path, from the current folder; text stays as it is, and a relative path in it would be
    sought beside the file that is written. Objects do not change: set() returns another one.
    """

    kind: ClassVar[str]  # the key that names it
    inner: ClassVar[dict[str, type[Spec]]] = {}  # keys whose values are such objects

    def __init__(self, base: Base | None = None, *, name: str | None = None, keys: Mapping[str, Any] | None = None) -> None:
        """base: whose keys it has but for its own. name: what results call it. keys: as in YAML, maps below maps.

        @throws BadInput: there is no such preset
        """
        self.base = None if base is None else presets.file_of(self.kind + "s", base)
        if name is None and base is None:
            name = self.kind
        self._tree: dict[str, Any] = {} if name is None else {self.kind: name}
        for key, value in (keys or {}).items():
            self._tree[key] = _own(value)

    def set(self, key: str, value: Any) -> Self:
        """Another one with the key changed, a path as after --set: "wafer.fabric.link_bandwidth". Units as in YAML: "375 GB/s".

        Maps replace maps. @throws ValueError: an item of a list (lists are set as a whole), or a key below a value
        """
        *path, last = key.split(".")
        if not all(re.fullmatch(r"\w+", each) for each in (*path, last)):
            raise ValueError(f"{key}: expected keys such as wafer.fabric.link_bandwidth; a list is set as a whole")
        changed = copy.copy(self)
        if path and path[0] in self.inner:
            changed._tree = dict(self._tree)
            changed._tree[path[0]] = self._inner(path[0]).set(".".join((*path[1:], last)), value)
            return changed
        changed._tree = copy.deepcopy(self._tree)
        level = changed._tree
        for each in path:
            level = level.setdefault(each, {})
            if not isinstance(level, dict):
                raise ValueError(f"{key}: '{each}' is {level!r} here, which has no keys below it")
        level[last] = _own(value)
        return changed

    def _inner(self, key: str) -> Spec:
        """The object at `key`: as it was given, or what the base names there."""
        value = self._tree.get(key)
        if value is None and self.base is not None:
            named = re.search(rf"^{key}: *(?P<file>[^\s{{#].*?) *(#.*)?$", self.base.read_text(encoding="utf-8"), re.MULTILINE)
            value = None if named is None else presets.named_in(self.base, named["file"])
        if value is None:
            raise ValueError(f"{key}: {self.base or 'this'} names no file there; give {key}={self.inner[key].__name__}(…)")
        return value if isinstance(value, Spec) else self.inner[key](value)

    def tree(self) -> dict[str, Any]:
        """Its keys as maps, lists and values; `extends` names the base."""
        own = {key: value.tree() if isinstance(value, Spec) else value for key, value in self._tree.items()}
        return own if self.base is None else {"extends": presets.written(self.kind + "s", self.base), **own}

    def yaml(self) -> str:
        """As a file that the program reads."""
        return block(self.tree())

    def write(self, path: Base) -> pathlib.Path:
        """Writes yaml() there. @return the path"""
        file = pathlib.Path(path)
        file.write_text(self.yaml(), encoding="utf-8")
        return file

    def __str__(self) -> str:
        """A short name: its own, or that of its base."""
        name = self._tree.get(self.kind)
        return str(name) if name is not None or self.base is None else self.base.stem

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>\n{self.yaml()}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and type(other) is type(self) and other.tree() == self.tree()

    def __hash__(self) -> int:
        return hash(self.yaml())


class Platform(Spec):
    """A wafer: Platform("fred_d"), Platform("my_wafer.yaml"), or Platform(name="my wafer", keys={"wafer": {"width": 6, …}})."""

    kind = "platform"


class Workload(Spec):
    """What is trained: Workload("resnet50_dp20"), or keys as in configs/workloads."""

    kind = "workload"


class Experiment(Spec):
    """A platform, a workload and how many iterations. set() reaches into both: set("platform.npu.peak", "500 TFLOPS")."""

    kind = "experiment"
    inner = {"platform": Platform, "workload": Workload}

    def __init__(self, base: Base | None = None, *, name: str | None = None, platform: Platform | Base | None = None,
                 workload: Workload | Base | None = None, iterations: int | None = None, keys: Mapping[str, Any] | None = None) -> None:
        """What is not given is the base's; without a base both platform and workload are needed."""
        super().__init__(base, name=name, keys=keys)
        for key, value in (("platform", platform), ("workload", workload)):
            if value is not None:
                self._tree[key] = value if isinstance(value, Spec) else self.inner[key](value)
        if iterations is not None:
            self._tree["iterations"] = iterations
