# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, by the exit code of the program."""
from __future__ import annotations

import re
import signal
from collections.abc import Mapping, Sequence
from typing import Any

_PLACE = re.compile(r"(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+): ")


class WaferTLMWarning(UserWarning):
    """What the program warns of while it runs."""


class WaferTLMError(Exception):
    """A command that gave no results.

    command: its words. exit_code: of the program, None if it was not started. output: all that it said on its way.
    results: what it wrote all the same (a study with a cell that failed), else None.
    """

    def __init__(self, message: str, *, command: Sequence[str] = (), exit_code: int | None = None, output: str = "") -> None:
        super().__init__(message)
        self.command = tuple(command)
        self.exit_code = exit_code
        self.output = output
        self.results: Any = None


class BadInput(WaferTLMError):
    """Exit code 2: the message says what is wrong, where, and what would be right.

    file, line, column: the place, counted from 1; None where the message names none (an option, a value that was set). `file` is
    "<experiment>" or the like for what an object printed; the message then shows that line of its yaml().
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None

    def __init__(self, message: str, *, command: Sequence[str] = (), exit_code: int | None = None, output: str = "") -> None:
        super().__init__(message, command=command, exit_code=exit_code, output=output)
        if place := _PLACE.match(message):
            self.file, self.line, self.column = place["file"], int(place["line"]), int(place["column"])


class RunFailed(WaferTLMError):
    """Exit code 1: the input was right, the run failed."""


class BuiltWithout(WaferTLMError):
    """Exit code 75: the program was built without what this needs (a design in RTL)."""


class EndedBySignal(WaferTLMError):
    """Exit code 128 + N, or killed by signal N. signal: N"""

    signal: int = 0


class ProgramNotFound(WaferTLMError):
    """There is no program `wafertlm`; the message says where it was looked for."""


class UnexpectedResults(WaferTLMError):
    """Results of another version of the program: a field is missing or of another type."""


_BY_EXIT_CODE = {1: RunFailed, 2: BadInput, 75: BuiltWithout}


def error_of(command: Sequence[str], exit_code: int, output: str, documents: Mapping[str, tuple[str, str]]) -> WaferTLMError:
    """The error of a command that ended with `exit_code` other than 0 and said `output`.

    documents: by path the name to show in its place and the text, of files that only this command knew.
    """
    at = output.rfind("\nwafertlm: ") + 1
    message = output[at:].removeprefix("wafertlm: ").strip()
    for path, (name, text) in documents.items():
        if place := _PLACE.match(message.replace(path, name)):
            if place["file"] == name:
                message += "\n  " + text.splitlines()[int(place["line"]) - 1].strip()
        message = message.replace(path, name)
    number = -exit_code if exit_code < 0 else exit_code - 128
    if exit_code < 0 or number in set(signal.Signals):
        ended = EndedBySignal(message or f"ended by {signal.Signals(number).name}", command=command, exit_code=exit_code, output=output)
        ended.signal = number
        return ended
    kind = _BY_EXIT_CODE.get(exit_code, RunFailed)
    return kind(message or f"exit code {exit_code}", command=command, exit_code=exit_code, output=output)
