# SPDX-License-Identifier: Apache-2.0
"""`wafertlm compare`: what is different between runs, and where the time went."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from .frames import frame
from .inputs import Inputs
from .process import Call, execute
from .results import RunResults
from .rows import Row, Rows, decode_row
from .specs import Base


@dataclass(frozen=True, kw_only=True)
class ComparedRun(Row):
    """speedup: time of the first run by that of this one."""

    name: str
    iteration_time_s: float
    speedup: float


@dataclass(frozen=True, kw_only=True)
class Difference(Row):
    """A run against the first: changed settings [{key, first, this}] (None: not known), how the last iteration of the first becomes its
    {first_ps, this_ps, change_ps, parts}, collectives {matched, only_first, only_this} and links, largest difference first."""

    name: str
    changed: tuple[dict[str, Any], ...] | None
    waterfall: dict[str, Any] | None
    collectives: dict[str, Any]
    links: tuple[dict[str, Any], ...]


@dataclass(frozen=True, kw_only=True)
class Comparison(Row):
    """Runs against the first."""

    runs: Rows[ComparedRun]
    differences: Rows[Difference]

    def records(self) -> list[dict[str, Any]]:
        """One for each run."""
        return self.runs.records()

    def frame(self) -> Any:
        """A pandas.DataFrame, a row for each run. @throws ImportError: pandas is not installed"""
        return frame(self.records())


def compare(*runs: RunResults | Base, out: Base | None = None) -> Comparison:
    """Compares runs, or folders of runs, with the first. out: the page to write (HTML); not given, there is none.

    @throws as run()
    """
    inputs = Inputs()
    page = os.fspath(out) if out is not None else str(inputs.folder.path / "compare.html")
    folders = [str(each.folder) if isinstance(each, RunResults) else os.fspath(each) for each in runs]
    return execute(Call(["compare", *folders, "--out", page, "--json", "-"],
                        lambda text: decode_row(Comparison, json.loads(text), "compare"), keep=(inputs, runs)))
