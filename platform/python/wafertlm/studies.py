# SPDX-License-Identifier: Apache-2.0
"""`wafertlm study`: a grid of runs that a file describes."""
from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass, field
from typing import Any

from .frames import frame
from .inputs import Inputs, Settings, options
from .process import Call, Progress, execute
from .rows import NOT_JSON, Row, Rows, decode_row
from .specs import Base
from .temporary import output_folder


@dataclass(frozen=True, kw_only=True)
class Cell(Row):
    """at: value by axis. values: by column, None where there is none; half_widths (at 95 %) and ranges of columns that are means.
    measured: with lines and seeds the cell's own figures. references: by column, with the difference. error: why the cell failed."""

    at: dict[str, str]
    command: str
    values: dict[str, Any]
    half_widths: dict[str, float] | None = None
    ranges: dict[str, Any] | None = None
    measured: dict[str, Any] | None = None
    references: dict[str, Any]
    error: str | None = None


@dataclass(frozen=True, kw_only=True)
class StudyResults(Row):
    """A study. folder: with results.csv, results.sqlite and report.html; without `out` it goes with this object."""

    study: str
    notes: Any
    calibrations: tuple[dict[str, Any], ...]
    cells: Rows[Cell]
    summaries: tuple[dict[str, Any], ...]
    lines: tuple[dict[str, Any], ...] | None = None
    straightness: tuple[dict[str, Any], ...] | None = None
    simulation: dict[str, Any]
    folder: pathlib.Path = field(compare=False, metadata=NOT_JSON)
    kept: object = field(default=None, compare=False, repr=False, metadata=NOT_JSON)

    def records(self) -> list[dict[str, Any]]:
        """One for each cell: its axes, its columns, and an error if one of the cells has one."""
        has_errors = any(cell.error is not None for cell in self.cells)
        return [{**cell.at, **cell.values, **({"error": cell.error} if has_errors else {})} for cell in self.cells]

    def frame(self) -> Any:
        """A pandas.DataFrame, a row for each cell. @throws ImportError: pandas is not installed"""
        return frame(self.records())


def study(study: Base, *, set: Settings | None = None, out: Base | None = None, jobs: int | None = None, fresh: bool = False,
          reports: bool = False, progress: Progress | None = None) -> StudyResults:
    """Runs a study: a preset's name or a file. set: in every cell. jobs: cells at a time (None: the program decides). fresh: also cells
    that are done. reports: a report of every cell.

    @throws RunFailed: a cell failed; its `results` are those of the study. Else as run()
    """
    inputs = Inputs()
    folder, kept = output_folder(out)

    def read() -> StudyResults:
        value = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        return decode_row(StudyResults, value, "results.json", folder=folder, kept=kept)

    words = ["study", inputs.file(study), "--out", str(folder), *options({"jobs": jobs, "fresh": fresh, "reports": reports}), *inputs.settings(set)]
    return execute(Call(words, lambda _: read(), reads_failures=lambda: read() if (folder / "results.json").exists() else None,
                        documents=inputs.documents, keep=inputs), progress)
