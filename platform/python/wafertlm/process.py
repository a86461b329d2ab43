# SPDX-License-Identifier: Apache-2.0
"""Runs commands of the program, several at a time: a SystemC kernel serves one simulation per process."""
from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .errors import WaferTLMError, WaferTLMWarning, error_of
from .program import find_program

T = TypeVar("T")
Progress = Callable[[str], None]
_PATIENCE_S = 10  # what a process has to put its files in order


@dataclass(frozen=True)
class Call(Generic[T]):
    """A command to run. words: without the program. read: makes the results of what it printed; of a command that failed, too, if
    `reads_failures` (None: there are none). documents: files that were written for it, see error_of(). keep: lives until it is read."""

    words: Sequence[str]
    read: Callable[[str], T]
    reads_failures: Callable[[], object] | None = None
    documents: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    keep: object = None

    def outcome(self, exit_code: int, printed: str, said: str) -> T | WaferTLMError:
        if exit_code == 0:
            for line in said.splitlines():
                if line.startswith("warning: "):
                    warnings.warn(line.removeprefix("warning: "), WaferTLMWarning, stacklevel=2)
            return self.read(printed)
        error = error_of(["wafertlm", *self.words], exit_code, said, self.documents)
        if self.reads_failures is not None:
            error.results = self.reads_failures()
        return error


@contextlib.contextmanager
def _interrupts_wait() -> Iterator[None]:
    """What happens here is not torn apart by an interrupt, which comes at its end; only the main thread gets any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler if before is None else before)
    if noted:
        signal.raise_signal(signal.SIGINT)


class _Process:
    """A command that runs, and what it has said so far."""

    def __init__(self, program: str, index: int, words: Sequence[str], is_verbose: bool) -> None:
        self.index = index
        self.process = subprocess.Popen([program, *words, *(["--verbose"] if is_verbose else [])], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert self.process.stdout is not None and self.process.stderr is not None
        self.streams = {self.process.stdout.fileno(): bytearray(), self.process.stderr.fileno(): bytearray()}
        self.said_at = self.process.stderr.fileno()
        self.open = set(self.streams)
        self.shown = 0  # bytes of `said` that were handed on as lines

    def text(self, stream: int) -> str:
        return self.streams[stream].decode(errors="replace")

    def new_lines(self) -> list[str]:
        said = self.streams[self.said_at]
        end = said.rfind(b"\n") + 1
        lines = said[self.shown:end].decode(errors="replace").splitlines()
        self.shown = max(self.shown, end)
        return lines

    def finish(self) -> tuple[int, str, str]:
        """Exit code, what it printed and what it said; its pipes are at their end."""
        exit_code = self.process.wait()
        printed, said = (self.text(stream) for stream in self.streams)
        self.close()
        return exit_code, printed, said

    def close(self) -> None:
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def wait_for_end(self) -> None:
        """After terminate(): the program removes what it has begun to write."""
        try:
            self.process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.close()


class _Running:
    """The processes that run now; all of them are ended when this is left early, by an interrupt too."""

    def __init__(self) -> None:
        self.selector = selectors.DefaultSelector()
        self.processes: list[_Process] = []

    def __enter__(self) -> _Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(list(self.processes))
        self.selector.close()

    def start(self, program: str, index: int, words: Sequence[str], is_verbose: bool) -> None:
        with _interrupts_wait():
            process = _Process(program, index, words, is_verbose)
            self.processes.append(process)
        for stream in process.streams:
            self.selector.register(stream, selectors.EVENT_READ, process)

    def stop(self, processes: Sequence[_Process]) -> None:
        for process in processes:
            process.process.terminate()
        for process in processes:
            for stream in process.open & set(self.selector.get_map()):
                self.selector.unregister(stream)
            process.wait_for_end()
            self.processes.remove(process)

    def wait(self, on_lines: Callable[[_Process], None]) -> list[_Process]:
        """Reads what there is. @return those that have ended"""
        ended = []
        for key, _ in self.selector.select():
            process: _Process = key.data
            read = os.read(key.fd, 1 << 16)
            process.streams[key.fd] += read
            if read:
                on_lines(process)
                continue
            self.selector.unregister(key.fd)
            process.open.remove(key.fd)
            if not process.open:
                self.processes.remove(process)
                ended.append(process)
        return ended


def default_jobs() -> int:
    """As many processes as this one may use processors."""
    return len(os.sched_getaffinity(0))


def execute_all(calls: Sequence[Call[T]], *, jobs: int | None = None, keep_going: bool = False,
                progress: Progress | None = None) -> list[T | WaferTLMError]:
    """Runs all of them, `jobs` at a time (None: one for each processor). @return in the order of the calls results or errors.

    Without keep_going the first call that fails, in this order, ends the others and is raised, however many run at a time.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs: at least 1, not {jobs}")
    program = find_program()
    outcomes: dict[int, T | WaferTLMError] = {}
    end = len(calls)  # calls from here on are not wanted any more
    started = 0

    def show(process: _Process) -> None:
        if progress is not None:
            name = "" if len(calls) == 1 else f"{process.index + 1} of {len(calls)}: "
            for line in process.new_lines():
                progress(name + line)

    with _Running() as running:
        while started < end or running.processes:
            while started < end and len(running.processes) < (jobs or default_jobs()):
                running.start(program, started, calls[started].words, progress is not None)
                started += 1
            for process in running.wait(show):
                outcome = calls[process.index].outcome(*process.finish())
                outcomes[process.index] = outcome
                if isinstance(outcome, WaferTLMError) and not keep_going:
                    end = min(end, process.index)
                    running.stop([each for each in running.processes if each.index > end])
                if progress is not None and len(calls) > 1:
                    progress(f"{len(outcomes)} of {len(calls)} done")
    if end < len(calls):
        error = outcomes[end]
        assert isinstance(error, WaferTLMError)
        raise error
    return [outcomes[index] for index in range(len(calls))]


def execute(call: Call[T], progress: Progress | None = None) -> T:
    """Runs one. @throws WaferTLMError"""
    outcome = execute_all([call], jobs=1, progress=progress)[0]
    assert not isinstance(outcome, WaferTLMError)
    return outcome
