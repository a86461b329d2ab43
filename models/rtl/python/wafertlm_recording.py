# SPDX-License-Identifier: Apache-2.0
"""What a switch saw in a run (`record:` of wafer.fabric.rtl), for benches in Python. models/rtl/recording.h has the format.

    with Recording("chip.rec") as recording:
        for event in recording:
            if isinstance(event, Arrive): ...

Times are picoseconds. Needs Python alone.
"""
import dataclasses
import typing

VERSION = 2
IN_NETWORK = None  # as the destination of an Origin


class RecordingError(ValueError):
    """FILE:LINE and why."""


@dataclasses.dataclass(frozen=True)
class Head:
    switch: str
    ports: int
    channels: int
    flit_bytes: int
    clock_hz: int
    tolerance: typing.Optional[int]  # cycles; None: times are not judged
    model: dict  # what decides on times in the model, by name
    rooms: list  # flits behind each output and channel, 0: no limit

    def cycle_of(self, time_ps):
        """The first edge of the clock at a time or later; edge k is at k / clock_hz."""
        return -(-time_ps * self.clock_hz // 10**12)


@dataclasses.dataclass(frozen=True)
class Open:
    """A branch of an in-network flow: from `inputs` to `outputs`, added in `order`: (into, from) of places in `inputs`."""
    now_ps: int
    entry: int
    channel: int
    priority: int
    data_type: str
    first: int
    packets: int
    from_above: int
    inputs: list
    outputs: list
    order: list


@dataclasses.dataclass(frozen=True)
class Origin:
    source: int
    destination: typing.Optional[int]
    collective: int
    step: int
    packet: int


@dataclasses.dataclass(frozen=True)
class Arrive:
    now_ps: int
    port: int
    channel: int
    flow: int
    sequence: int
    payload_bytes: int
    flits: int
    head_ps: int
    tail_ps: int
    flit_ps: typing.Optional[list]  # of a packet whose flits came one by one
    origin: typing.Optional[Origin]
    data: bytes  # empty: a run without values

    def header(self):
        """The 64 bits beside the head."""
        return (self.flow & 0xffff) | (self.sequence & 0xffffff) << 16 | (self.payload_bytes & 0xffffff) << 40

    def words(self, flit_bytes, data=None):
        """tdata or in_data of each flit; `data` in place of the recorded values."""
        whole = (self.data if data is None else data).ljust(self.flits * flit_bytes, b"\0")
        return [int.from_bytes(whole[i * flit_bytes:(i + 1) * flit_bytes], "little") for i in range(self.flits)]


@dataclasses.dataclass(frozen=True)
class Credit:
    now_ps: int
    port: int
    channel: int
    flits: int
    at_ps: int


@dataclasses.dataclass(frozen=True)
class Leave:
    now_ps: int
    port: int
    channel: int
    flow: int
    sequence: int
    payload_bytes: int
    head_ps: int
    tail_ps: typing.Optional[int]
    data: bytes


class _Words:
    def __init__(self, line):
        self._words = line.split()
        self._next = 0

    def more(self):
        return self._next < len(self._words)

    def peek(self):
        return self._words[self._next] if self.more() else ""

    def word(self):
        if not self.more():
            raise ValueError("the line ends")
        self._next += 1
        return self._words[self._next - 1]

    def number(self):
        return int(self.word())

    def numbers(self, count):
        return [self.number() for _ in range(count)]

    def named(self, name):
        if self.word() != name:
            raise ValueError(f"expected '{name}'")

    def list_of(self, name):
        self.named(name)
        return self.numbers(self.number())

    def maybe(self):
        """None for "-"."""
        word = self.word()
        return None if word == "-" else int(word)


def _open(words):
    facts = [*words.numbers(4), words.word(), *words.numbers(3)]
    inputs, outputs = words.list_of("inputs"), words.list_of("outputs")
    words.named("order")
    return Open(*facts, inputs, outputs, [tuple(words.numbers(2)) for _ in range(words.number())])


def _arrive(words):
    facts = words.numbers(9)
    flit_ps = words.list_of("flits") if words.peek() == "flits" else None
    origin = None
    if words.peek() == "from":
        words.named("from")
        origin = Origin(words.number(), words.maybe(), *words.numbers(3))
    return Arrive(*facts, flit_ps, origin, _data(words))


def _leave(words):
    return Leave(*words.numbers(7), words.maybe(), _data(words))


def _data(words):
    return bytes.fromhex(words.word()) if words.more() else b""


_KINDS = {"open": _open, "arrive": _arrive, "credit": lambda words: Credit(*words.numbers(5)), "leave": _leave}


class Recording:
    """Its head, and then its events, once, in the order of the file. Raises RecordingError."""

    def __init__(self, path):
        self._path = path
        self._line = 0
        self._file = open(path, encoding="utf-8")  # pylint: disable=consider-using-with
        try:
            self.head = self._read_head()
        except RecordingError:
            self._file.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def __iter__(self):
        for line in self._file:
            self._line += 1
            words = _Words(line)
            kind = words.word() if words.more() else ""
            if kind not in _KINDS:
                self._fail(f"unknown event '{kind}'; known: {', '.join(_KINDS)}")
            yield self._parsed(_KINDS[kind], words)

    def _fail(self, why):
        raise RecordingError(f"{self._path}:{self._line}: {why}")

    def _parsed(self, parse, words):
        try:
            made = parse(words)
            if words.more():
                raise ValueError(f"what is '{words.peek()}'?")
            return made
        except ValueError as why:
            return self._fail(why)

    def _words_of_head(self):
        self._line += 1
        line = self._file.readline()
        if not line:
            self._fail("the file ends")
        return _Words(line)

    def _read_head(self):
        self._line += 1
        magic = f"wafertlm-rtl-recording {VERSION}"
        if self._file.readline().rstrip("\n") != magic:
            self._fail(f"expected '{magic}'")

        def switch(words):
            words.named("switch")
            name = words.word()
            facts = []
            for key in ("ports", "channels", "flit_bytes", "clock_hz"):
                words.named(key)
                facts.append(words.number())
            words.named("tolerance")
            return [name, *facts, words.maybe()]

        def model(words):
            words.named("model")
            facts = {}
            while words.more():
                key, value = words.word(), words.word()
                facts[key] = int(value) if value.isdigit() else value
            return facts

        def rooms(words):
            words.named("rooms")
            made = []
            while words.more():
                made.append(words.number())
            return made
        return Head(*self._parsed(switch, self._words_of_head()), self._parsed(model, self._words_of_head()),
                    self._parsed(rooms, self._words_of_head()))
