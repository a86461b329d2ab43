# SPDX-License-Identifier: Apache-2.0
"""`wafertlm collective`: collectives on an idle wafer."""
from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .frames import frame
from .inputs import Inputs, Settings, options
from .process import Call, Progress, execute
from .rows import Row, Rows, decode_row
from .specs import Base, Platform

Sizes = str | int | Sequence[str | int]


@dataclass(frozen=True, kw_only=True)
class CollectiveRow(Row):
    """A size, of each class that communicates. bytes: the full vector of a rank. bound: no algorithm can beat it; predicted: alone on
    an idle fabric. time_over_… are ratios, None where that is 0. What only some kinds of runs and fabrics have (groups, channels,
    chunks, reliability …) is in `other`."""

    bytes: int
    algorithm: str
    class_: str
    time_s: float
    time_ps: int
    predicted_s: float
    predicted_ps: int
    bound_s: float
    bound_ps: int
    skew_s: float
    time_after_last_entry_s: float
    algorithm_bandwidth_bytes_per_s: float
    bus_bandwidth_bytes_per_s: float
    time_over_bound: float | None
    time_over_predicted: float | None
    busiest_link_payload_bytes: int
    packet_hops: int
    scheduler_events: int
    simulated_npus: int
    values_proven: bool
    starved_link: dict[str, Any]
    faults: tuple[dict[str, Any], ...] | None = None
    faster: dict[str, Any] | None = None
    runner_up: str | None = None


@dataclass(frozen=True, kw_only=True)
class CollectiveResults(Row):
    """Rows by size."""

    platform: str
    type: str
    algorithm: str
    class_: str
    group_size: int
    notes: tuple[str, ...]
    rows: Rows[CollectiveRow]

    def records(self) -> list[dict[str, Any]]:
        """One for each row, with platform and type."""
        return [{"platform": self.platform, "type": self.type, **row} for row in self.rows.records()]

    def frame(self) -> Any:
        """A pandas.DataFrame, a row for each size. @throws ImportError: pandas is not installed"""
        return frame(self.records())


def _sizes(given: Sizes) -> str:
    if isinstance(given, int):
        return f"{given}B"
    return given if isinstance(given, str) else ",".join(map(_sizes, given))


def collective_call(platform: Platform | Base, type: str, size: Sizes = "1MiB", *, set: Settings | None = None,
                    **more: Any) -> Call[CollectiveResults]:
    """What collective() runs."""
    inputs = Inputs()
    words = ["collective", inputs.file(platform), "--type", type, "--size", _sizes(size), *options(more), *inputs.settings(set), "--json", "-"]
    return Call(words, lambda text: decode_row(CollectiveResults, json.loads(text), "collective"), documents=inputs.documents, keep=inputs)


def collective(platform: Platform | Base, type: str, size: Sizes = "1MiB", *, npus: str | None = None, algorithm: Base | None = None,
               root: int | None = None, traffic_class: str | None = None, parallelism: str | None = None, placement: str | None = None,
               seed: int | None = None, late: str | None = None, set: Settings | None = None, force: bool = False,
               progress: Progress | None = None) -> CollectiveResults:
    """Times a collective on an idle wafer, which is an object, a preset's name or a file.

    type: "all_reduce" and the other names of `wafertlm collective --help`. size: bytes of the full vector of a rank: "64 MiB" without a
    blank ("64MiB"), "1MiB:1GiB:2", a number of bytes, or a list. npus: "0-4,10"; algorithm: a name or a file; traffic_class: its --class;
    the rest as there.
    @throws as run()
    """
    more = {"npus": npus, "algorithm": algorithm, "root": root, "class": traffic_class, "parallelism": parallelism,
            "placement": placement, "seed": seed, "late": late, "force": force}
    return execute(collective_call(platform, type, size, set=set, **more), progress)
