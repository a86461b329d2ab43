# SPDX-License-Identifier: Apache-2.0
"""`wafertlm run`: an experiment."""
from __future__ import annotations

import json
import pathlib

from .inputs import Inputs, Settings, options
from .process import Call, Progress, execute
from .results import RunResults
from .rows import decode_row
from .specs import Base, Experiment
from .temporary import output_folder


def read_run(folder: Base, *, kept: object = None) -> RunResults:
    """What a run has left in its folder. kept: lives as long as what is returned."""
    path = pathlib.Path(folder)
    value = json.loads((path / "results.json").read_text(encoding="utf-8"))
    return decode_row(RunResults, value, "results.json", folder=path, kept=kept)


def run_call(experiment: Experiment | Base, *, set: Settings | None = None, out: Base | None = None, report: bool = False,
             force: bool = False) -> Call[RunResults]:
    """What run() runs."""
    inputs = Inputs()
    folder, kept = output_folder(out)
    words = ["run", inputs.file(experiment), "--out", str(folder), *inputs.settings(set), *options({"report": report, "force": force})]
    return Call(words, lambda _: read_run(folder, kept=kept), documents=inputs.documents, keep=inputs)


def run(experiment: Experiment | Base, *, set: Settings | None = None, out: Base | None = None, report: bool = False, force: bool = False,
        progress: Progress | None = None) -> RunResults:
    """Simulates an experiment: an object, a preset's name or a file.

    set: keys to change, as --set has them: {"wafer.fabric.link_bandwidth": "375 GB/s", "iterations": 1}. out: folder for its files; not
    given, one that goes with the result. report: writes report.html there. force: also if it needs more memory than there is.
    progress: is called with each line in which the program says how far it is.
    @throws BadInput, RunFailed, BuiltWithout, EndedBySignal, ProgramNotFound; KeyboardInterrupt ends the simulation
    """
    return execute(run_call(experiment, set=set, out=out, report=report, force=force), progress)
