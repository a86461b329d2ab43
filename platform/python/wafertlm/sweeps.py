# SPDX-License-Identifier: Apache-2.0
"""Many runs, several at a time: every combination of the values of some keys."""
from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from .collectives import CollectiveResults, Sizes, collective_call
from .errors import WaferTLMError
from .frames import frame
from .inputs import Settings
from .process import Call, Progress, execute_all
from .results import RunResults
from .runs import run_call
from .specs import Base, Experiment, Platform, Spec

Axes = Mapping[str, Sequence[Any]]
OnError = Literal["raise", "keep"]


class _HasRecords(Protocol):
    def records(self) -> list[dict[str, Any]]: ...


T = TypeVar("T", bound=_HasRecords)


@dataclass(frozen=True)
class Point(Generic[T]):
    """at: value by key. outcome: results, or the error with on_error="keep"."""

    at: Mapping[str, Any]
    outcome: T | WaferTLMError

    @property
    def error(self) -> WaferTLMError | None:
        """None: it went well."""
        return self.outcome if isinstance(self.outcome, WaferTLMError) else None

    @property
    def result(self) -> T:
        """@throws WaferTLMError: that with which it failed"""
        if isinstance(self.outcome, WaferTLMError):
            raise self.outcome
        return self.outcome


class Sweep(tuple[Point[T], ...]):
    """Points in the order of the axes, the last one runs fastest."""

    @property
    def results(self) -> list[T]:
        """Of all points. @throws WaferTLMError: that of the first one that failed"""
        return [point.result for point in self]

    def records(self) -> list[dict[str, Any]]:
        """The records of each point's results behind its axes; of one that failed `error`."""
        records: list[dict[str, Any]] = []
        for point in self:
            at = {key: str(value) if isinstance(value, Spec) else value for key, value in point.at.items()}
            found = [{"error": str(point.error)}] if point.error else point.result.records()
            records += [{**at, **{key: value for key, value in each.items() if key not in at}} for each in found]
        return records

    def frame(self) -> Any:
        """A pandas.DataFrame: the axes, then the columns of the results' frame(). @throws ImportError: pandas is not installed"""
        return frame(self.records())


def _points(axes: Axes) -> list[dict[str, Any]]:
    return [dict(zip(axes, values)) for values in itertools.product(*axes.values())]


def _sweep(points: Sequence[Mapping[str, Any]], calls: Sequence[Call[T]], jobs: int | None, on_error: OnError, progress: Progress | None) -> Sweep[T]:
    outcomes = execute_all(calls, jobs=jobs, keep_going=on_error == "keep", progress=progress)
    return Sweep(Point(at, outcome) for at, outcome in zip(points, outcomes))


def sweep(experiment: Experiment | Base, axes: Axes, *, set: Settings | None = None, jobs: int | None = None, on_error: OnError = "raise",
          progress: Progress | None = None) -> Sweep[RunResults]:
    """run() for every combination of values: {"wafer.fabric.link_bandwidth": ["375 GB/s", "750 GB/s"], "platform": ["fred_d", …]}.

    An axis is a key as after --set, or "experiment", whose values are experiments. set: in every point. jobs: at a time, None: one for
    each processor, and each takes the memory of a run; results do not depend on it. on_error: "raise" ends the others and raises the
    first error in the order of the points, "keep" leaves it in its point. progress: called with what the programs say and after each
    point. @throws as run()
    """
    points = _points(axes)
    calls = []
    for at in points:
        settings = {**(set or {}), **at}
        calls.append(run_call(settings.pop("experiment", experiment), set=settings))
    return _sweep(points, calls, jobs, on_error, progress)


_PARAMETERS = ("type", "size", "npus", "algorithm", "root", "class", "parallelism", "placement", "seed", "late", "force")


def sweep_collective(platform: Platform | Base, type: str, axes: Axes, *, size: Sizes = "1MiB", set: Settings | None = None,
                     jobs: int | None = None, on_error: OnError = "raise", progress: Progress | None = None) -> Sweep[CollectiveResults]:
    """collective() for every combination of values. An axis is a key of the platform as after --set, "platform", whose values are
    platforms, or an option of the command: "type", "size", "algorithm", "npus", "class", "parallelism", "placement" … The rest as sweep().
    """
    points = _points(axes)
    calls = []
    for at in points:
        given: dict[str, Any] = {"platform": platform, "type": type, "size": size, **at}
        settings = {**(set or {}), **{key: value for key, value in at.items() if key not in (*_PARAMETERS, "platform")}}
        calls.append(collective_call(given["platform"], set=settings, **{key: given[key] for key in _PARAMETERS if key in given}))
    return _sweep(points, calls, jobs, on_error, progress)
