# SPDX-License-Identifier: Apache-2.0
"""WaferTLM from Python: simulations of training on wafers, their results as objects and tables.

    import wafertlm

    wafer = wafertlm.Platform("wafer_mesh_5x4").set("wafer.fabric.link_bandwidth", "1 TB/s")
    result = wafertlm.run(wafertlm.Experiment("resnet50_dp20_mesh_5x4", platform=wafer))
    print(result.iteration_time_s, result.iterations[-1].breakdown_s)

    sweep = wafertlm.sweep("resnet50_dp20_mesh_5x4", {"wafer.fabric.link_bandwidth": ["375 GB/s", "750 GB/s"]})
    sweep.frame()                                     # a pandas.DataFrame, a row for each point

Every simulation is a process of the program `wafertlm`, which says the same on the command line; results have the names of its
JSON. A name's end is its unit: `_s` seconds, `_ps` whole picoseconds, `_bytes`, `_bytes_per_s`, `_j` joules, `_w` watts,
`_fraction` 0 to 1. What can go wrong is a WaferTLMError: BadInput names the place in the file.
"""
from .collectives import CollectiveResults, CollectiveRow, collective
from .comparison import Comparison, compare
from .errors import (BadInput, BuiltWithout, EndedBySignal, ProgramNotFound, RunFailed, UnexpectedResults, WaferTLMError,
                     WaferTLMWarning)
from .program import find_program, tool, tool_json, version
from .results import RunResults
from .rows import Row, Rows
from .runs import read_run, run
from .specs import Experiment, Platform, Spec, Workload
from .studies import StudyResults, study
from .sweeps import Point, Sweep, sweep, sweep_collective

__all__ = [
    "BadInput", "BuiltWithout", "CollectiveResults", "CollectiveRow", "Comparison", "EndedBySignal", "Experiment", "Platform", "Point",
    "ProgramNotFound", "Row", "Rows", "RunFailed", "RunResults", "Spec", "StudyResults", "Sweep", "UnexpectedResults", "WaferTLMError",
    "WaferTLMWarning", "Workload", "collective", "compare", "find_program", "read_run", "run", "study", "sweep", "sweep_collective",
    "tool", "tool_json", "version",
]
