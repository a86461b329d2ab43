# SPDX-License-Identifier: Apache-2.0
"""results.json of `wafertlm run`. Field by field as `wafertlm schema --results` has it; what is None there is null or absent."""
from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Any

from .frames import frame
from .rows import NOT_JSON, Row, Rows

Breakdown = dict[str, float]  # seconds by part: compute, exposed_dp, …, bubble, cpu, idle; they sum to the iteration's time
BreakdownPs = dict[str, int]  # the same in whole picoseconds; parts that are 0 may be missing


@dataclass(frozen=True, kw_only=True)
class Rank(Row):
    """A rank in an iteration: time_s from the iteration's start to its end, done_s to the rank's own end."""

    rank: int
    time_s: float
    done_s: float
    breakdown_s: Breakdown
    breakdown_ps: BreakdownPs


@dataclass(frozen=True, kw_only=True)
class Iteration(Row):
    """An iteration. rank finishes last, breakdown_s is its; _min, _mean, _max over all ranks.

    mfu: operations of the model / (time x declared peak), 0 to 1; tokens_per_s and samples_per_s of the whole job; None where the
    workload does not tell. number: from 0, where not all iterations are listed. Half-widths (at 95 %) of sampled runs.
    """

    number: int | None = None
    time_s: float
    time_ps: int
    time_half_width_s: float | None = None
    breakdown_half_width_s: Breakdown | None = None
    mfu: float | None = None
    tokens_per_s: float | None = None
    samples_per_s: float | None = None
    start_s: float
    end_s: float
    rank: int
    breakdown_s: Breakdown
    breakdown_ps: BreakdownPs
    breakdown_min_s: Breakdown
    breakdown_mean_s: Breakdown
    breakdown_max_s: Breakdown
    ranks: Rows[Rank]


@dataclass(frozen=True, kw_only=True)
class IterationTimes(Row):
    """Of all iterations, where not all are listed; by nearest rank."""

    count: int
    min_s: float
    median_s: float
    p90_s: float
    p99_s: float
    max_s: float
    mean_s: float


@dataclass(frozen=True, kw_only=True)
class Training(Row):
    """Of a workload that the program generates. Rates in operations/s of an NPU; the rest only of models with a parallelism."""

    minibatch: int
    effective_rate_operations_per_s: float | None
    peak_operations_per_s: float
    effective_to_peak: float | None = None
    memory_needed_bytes: int | None = None
    memory_capacity_bytes: int | None = None
    memory_fits: bool | None = None
    chunks_per_stage: int | None = None
    simulated_chunks: int | None = None
    weight_loads_per_pass: int | None = None
    simulated_rounds: int | None = None


@dataclass(frozen=True, kw_only=True)
class MemoryCheck(Row):
    """Whether the job fits: of the rank that needs most. fits: None if it was not checked, see reason."""

    checked: bool
    fits: bool | None
    needed_bytes: int
    rank: int
    capacity_bytes: int
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class ComputeUse(Row):
    """What a compute model told: so many durations, time_s in all."""

    computations: int
    time_s: float


@dataclass(frozen=True, kw_only=True)
class Compute(Row):
    """model: "roofline", "systolic" or "tiled"; told_by: by the model that gave a duration."""

    model: str
    told_by: dict[str, ComputeUse]


@dataclass(frozen=True, kw_only=True)
class PathStep(Row):
    """A node of the traces on the critical path."""

    rank: int
    node: int
    name: str
    category: str
    start_s: float
    end_s: float


@dataclass(frozen=True, kw_only=True)
class CriticalPath(Row):
    """What the last iteration's end waited for."""

    length: int
    beginning_not_kept: bool
    breakdown_ps: BreakdownPs
    steps: Rows[PathStep]


@dataclass(frozen=True, kw_only=True)
class Collective(Row):
    """A collective. bytes: the full vector; predicted_s: alone on an idle fabric; bound_s: no algorithm can beat it;
    skew_s: the last rank enters so long after the first; time_s from the first entry to the last exit."""

    id: int
    name: str
    type: str
    algorithm: str
    class_: str
    group: str
    sequence: int
    group_size: int
    bytes: int
    start_s: float
    end_s: float
    skew_s: float
    time_s: float
    time_ps: int
    time_half_width_s: float | None = None
    predicted_s: float
    bound_s: float
    bus_bandwidth_bytes_per_s: float


@dataclass(frozen=True, kw_only=True)
class PacketWait(Row):
    """Seconds over all packets, by cause; contention by the class that was served instead."""

    queue: float
    credit: float
    contention: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Link(Row):
    """A link. bytes: payload; fractions 0 to 1 of the whole run; longest_wait_s: seconds by class; energy_j: None if not modelled."""

    name: str
    bytes: int
    wire_bytes: int
    packets: int
    busy_fraction: float
    blocked_fraction: dict[str, float]
    packet_wait_s: PacketWait
    longest_wait_s: dict[str, float]
    energy_j: float | None


@dataclass(frozen=True, kw_only=True)
class Memory(Row):
    """The memory of an NPU. lost: seconds in which data could have moved, by cause. From bandwidth_bytes_per_s on: of memories with a
    generation; from channels on: at level burst and command."""

    name: str
    bytes_read: int
    bytes_written: int
    busy_fraction: float
    lost: dict[str, float]
    bandwidth_bytes_per_s: float | None = None
    channels: int | None = None
    channel_time_fs: int | None = None
    time_of_all_channels_fs: dict[str, int] | None = None
    row_visits: int | None = None
    row_hits: int | None = None
    activates: int | None = None
    turnarounds: int | None = None
    refreshes: int | None = None


@dataclass(frozen=True, kw_only=True)
class RemoteMemory(Row):
    """The remote memory: bytes that its servers moved, seconds in their queues. engines: of secure memory engines, as it is."""

    bytes_read: int
    bytes_written: int
    busiest_server_fraction: float
    request_wait_s: float
    longest_wait_s: float
    engines: dict[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Energy(Row):
    """Joules: of links (None: not modelled, see not_modelled), per_bit_j of a bit on a link, drawn by all parts with `costs`."""

    links: float | None
    per_bit_j: float | None
    drawn: float | None = None
    not_modelled: str | None = None


@dataclass(frozen=True, kw_only=True)
class CostPart(Row):
    """amount: NPUs, GB or GB/s; price in $, power_w in watts."""

    part: str
    amount: float
    price: float
    power_w: float


@dataclass(frozen=True, kw_only=True)
class Cost(Row):
    """By the experiment's table of costs; None without one. Prices in $, power in watts."""

    table: str | None
    price: float | None
    power_w: float | None
    price_per_npu: float | None
    power_per_npu_w: float | None
    price_per_hour: float | None = None
    price_per_sample: float | None = None
    price_per_token: float | None = None
    time_per_token_s: float | None = None
    parts: Rows[CostPart]


@dataclass(frozen=True, kw_only=True)
class Traces(Row):
    """What was read. unknown_attributes: of how many nodes, by name; they change nothing."""

    ranks: int
    missing_dependencies: int
    control_dependencies_left_out: int
    unknown_attributes: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Endpoints(Row):
    """early_bytes_high_water: most bytes of messages that an endpoint held because their receive was not posted yet."""

    early_bytes_high_water: int


@dataclass(frozen=True, kw_only=True)
class Simulation(Row):
    """end_s: simulated time."""

    end_s: float
    packet_hops: int
    seed: int
    version: str


@dataclass(frozen=True, kw_only=True)
class HostProcess(Row):
    """One of the processes of a run. windows_wall_s: in windows and between them; work_s: processor time in windows, around_s: before
    and after them."""

    wafers: tuple[int, ...]
    windows_wall_s: float
    work_s: float
    around_s: float
    bytes_sent: int
    peak_rss_bytes: int


@dataclass(frozen=True, kw_only=True)
class HostProcesses(Row):
    """Several processes have simulated the wafers together. critical_work_s: of each window the work of the process that worked longest."""

    windows: int
    bytes_exchanged: int
    work_s: float
    critical_work_s: float
    each: Rows[HostProcess]


@dataclass(frozen=True, kw_only=True)
class Host(Row):
    """Of this run on this machine; the only part that may differ between two runs, and so is not compared.

    accelerated: what was not simulated because it repeats, or why nothing was skipped. processes: if there were several.
    """

    wall_s: float
    packet_hops_per_s: float
    peak_rss_bytes: int
    processes: HostProcesses | None = None
    packets_held_most: int
    nodes_held_most: int
    scheduler_events: int
    accelerated: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class RunResults(Row):
    """A run. iteration_time_s is of the last iteration, `iterations` and `collectives` of those that are listed; notes: what to bear in
    mind. Two runs are equal if all but `host` and `folder` is.

    folder: with results.json, resolved.yaml and what was asked for (report.html); without `out` it goes with this object.
    """

    experiment: str
    platform: str
    workload: str
    iteration_time_s: float
    iteration_time_half_width_s: float | None = None
    iterations: Rows[Iteration]
    iteration_times: IterationTimes | None = None
    training: Training | None
    memory_check: MemoryCheck
    compute: Compute
    critical_path: CriticalPath
    collectives_total: int
    collectives: Rows[Collective]
    links: Rows[Link]
    ethernet: dict[str, Any] | None = None
    memories: Rows[Memory]
    remote_memory: RemoteMemory | None = None
    notes: tuple[str, ...]
    energy_j: Energy
    cost: Cost
    traces: Traces
    values_proven: bool
    rtl: tuple[dict[str, Any], ...] | None = None
    memory_rtl: tuple[dict[str, Any], ...] | None = None
    faults: tuple[dict[str, Any], ...] | None = None
    reliability: dict[str, float] | None = None
    endpoints: Endpoints
    simulation: Simulation
    host: Host = field(compare=False)
    folder: pathlib.Path = field(compare=False, metadata=NOT_JSON)
    kept: object = field(default=None, compare=False, repr=False, metadata=NOT_JSON)

    def records(self) -> list[dict[str, Any]]:
        """One: what the run is of, and its last iteration."""
        last = self.iterations[-1].record()
        return [{"experiment": self.experiment, "platform": self.platform, "workload": self.workload,
                 "iteration_time_s": self.iteration_time_s,
                 **{key: last[key] for key in last if key.startswith("breakdown_s.") or key in ("mfu", "tokens_per_s", "samples_per_s")}}]

    def frame(self) -> Any:
        """A pandas.DataFrame of one row; `iterations`, `collectives`, `links` and `memories` have a frame() each.
        @throws ImportError: pandas is not installed"""
        return frame(self.records())
