# SPDX-License-Identifier: Apache-2.0
"""A training run whose graph is known: threads, streams, events and collectives on a machine of a few rules.

    run = KnownRun(random.Random(seed))     a run of one rank; times in nanoseconds

An operator runs on a thread and may call others. A call of the runtime launches a kernel, makes a stream wait for an event, or
waits itself. A kernel starts when its launch has begun, the stream's kernel before is done and what the stream waits for, and
then some latency later. The second thread works while the first waits for it (backward).
"""
from dataclasses import dataclass, field

MAIN, BACKWARD = 0, 1
COMPUTE, COPY, COMM = 7, 22, 40  # streams


@dataclass
class Operator:
    name: str
    thread: int
    start: int
    parent: "Operator" = None
    end: int = 0
    annotation: bool = False
    communication: dict = None


@dataclass
class Call:
    """Of the runtime."""
    name: str
    thread: int
    start: int
    end: int
    correlation: int
    sync: dict = None  # what cuda_sync says of it


@dataclass
class Kernel:
    name: str
    stream: int
    start: int
    end: int
    correlation: int
    communication: dict = None


@dataclass
class Thread:
    now: int
    last: int = None  # the step that it did last


@dataclass
class Stream:
    free: int = 0
    last: int = None                              # step of the last kernel
    waits: list = field(default_factory=list)     # steps that the next kernel waits for


class KnownRun:
    def __init__(self, random, operators=40, unit=1, waits_at_launch=False):
        """`unit`: nanoseconds to which all times are rounded; `waits_at_launch`: a stream is made to wait just before it gets a
        kernel, as PyTorch does."""
        self.random, self.unit, self.waits_at_launch = random, unit, waits_at_launch
        self.operators, self.calls, self.kernels = [], [], []
        self.open_operators = ([], [])  # by thread, the innermost last
        self.last_end = [0, 0]          # by thread
        self.steps = 0
        self.edges = set()      # (step, step): the second needs the first
        self.sync_edges = set()  # among them: of calls that synchronise
        self.step_of = {}       # kernel name → step
        self.correlation = 100
        start = 1_700_000_000_000_000_000 // unit * unit
        self.threads = [Thread(start), Thread(start)]
        self.streams = {number: Stream() for number in (COMPUTE, COPY, COMM)}
        self.sequence = 0
        self.run(operators)

    # ------------------------------------------------------------ time and steps
    def some(self, low, high):
        return self.random.randint(low, high) * max(1000, self.unit)

    def step(self, thread):
        """The thread does something: after what it did before."""
        self.steps += 1
        if thread.last is not None:
            self.edges.add((thread.last, self.steps))
        thread.last = self.steps
        return self.steps

    # ------------------------------------------------------------ the program
    def run(self, operators):
        left = operators
        while left > 0:
            with_backward = self.random.random() < 0.4
            phase = min(left, self.random.randint(3, 12))
            for _ in range(phase):
                self.operator(MAIN)
                self.threads[MAIN].now += self.some(0, 20)
            left -= phase
            if with_backward:
                left -= self.backward()
        self.synchronise(MAIN, device=True)

    def backward(self):
        """The first thread waits within an operator for what the second does."""
        main, other = self.threads
        call = self.enter("## backward ##", MAIN, annotation=True)
        main.now += self.some(150, 300)  # longer than gaps that are a thread's own
        self.step(main)
        other.now = main.now
        self.edges.add((main.last, self.steps + 1))
        count = self.random.randint(2, 8)
        for _ in range(count):
            self.operator(BACKWARD)
            other.now += self.some(0, 20)
        last_end = self.last_end[BACKWARD]
        other.now = last_end
        main.now = last_end + self.some(1, 20)
        self.edges.add((other.last, self.steps + 1))
        self.step(main)
        self.leave(call)
        return count

    def enter(self, name, thread, annotation=False, communication=None):
        callers = self.open_operators[thread]
        op = Operator(name, thread, self.threads[thread].now, callers[-1] if callers else None, 0, annotation, communication)
        self.operators.append(op)
        callers.append(op)
        self.step(self.threads[thread])
        self.threads[thread].now += self.some(0, 5)
        return op

    def leave(self, op):
        self.threads[op.thread].now += self.some(1, 5)
        op.end = self.last_end[op.thread] = self.threads[op.thread].now
        self.open_operators[op.thread].remove(op)

    def operator(self, thread, depth=0):
        kind = self.random.random()
        if depth == 0 and kind < 0.15:
            return self.collective(thread)
        op = self.enter(self.random.choice(["aten::mm", "aten::add_", "aten::relu", "aten::copy_", "aten::view"]), thread)
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            choice = self.random.random()
            if depth < 3 and choice < 0.4:
                self.operator(thread, depth + 1)
            elif choice < 0.8:
                self.launch(thread, COMPUTE if self.random.random() < 0.8 else COPY)
            elif choice < 0.9:
                waiting, other = self.random.sample([COMPUTE, COPY], 2)
                self.stream_wait(thread, waiting, other)
                if self.waits_at_launch:
                    self.launch(thread, waiting)
            elif choice < 0.96:
                self.synchronise(thread)
        self.leave(op)

    def collective(self, thread):
        name, inputs, outputs = self.random.choice(
            [("allreduce", 1, 1), ("all_gather", 1, 4), ("reduce_scatter", 4, 1), ("all_to_all", 1, 1), ("broadcast", 1, 1)])
        elements = self.random.randint(1, 1 << 16) * 4
        self.sequence += 1
        said = {"name": name, "in": elements * inputs, "out": elements * outputs, "dtype": "Float", "sequence": self.sequence}
        outer = self.enter(f"c10d::{name}_", thread)
        inner = self.enter("record_param_comms", thread, communication=said)
        annotation = self.enter(f"nccl:{name}", thread, annotation=True)
        self.stream_wait(thread, COMM, COMPUTE)
        self.launch(thread, COMM, said)
        for op in (annotation, inner, outer):
            self.leave(op)
        if self.random.random() < 0.6:
            self.stream_wait(thread, COMPUTE, COMM)
            op = self.enter("aten::mul", thread)
            self.launch(thread, COMPUTE)
            self.leave(op)

    # ------------------------------------------------------------ the runtime
    def call(self, name, thread, low=1, high=6):
        self.correlation += 1
        at = self.threads[thread]
        call = Call(name, thread, at.now, at.now + self.some(low, high), self.correlation)
        at.now = call.end
        self.calls.append(call)
        return call

    def launch(self, thread, number, communication=None):
        stream, before = self.streams[number], self.threads[thread].last
        call = self.call("cudaLaunchKernel", thread)
        ready = max([call.start, stream.free] + [end for _, end in stream.waits])
        start = ready + self.some(1, 8)
        name = f"ncclDevKernel_{len(self.kernels)}(args)" if communication else f"kernel_{len(self.kernels)}"
        kernel = Kernel(name, number, start, start + self.some(1, 60), call.correlation, communication)
        self.kernels.append(kernel)
        self.steps += 1
        step = self.step_of[name] = self.steps
        if start >= call.end:
            before = self.step(self.threads[thread])
        for parent in [before, stream.last] + [parent for parent, _ in stream.waits]:
            if parent is not None:
                self.edges.add((parent, step))
        if start < call.end:
            self.step(self.threads[thread])
        stream.free, stream.last, stream.waits = kernel.end, step, []

    def stream_wait(self, thread, waiting, waited_for):
        record = self.call("cudaEventRecord", thread)
        call = self.call("cudaStreamWaitEvent", thread)
        call.sync = {"name": "Stream Wait Event", "stream": waiting, "wait_on_stream": waited_for,
                     "wait_on_cuda_event_record_corr_id": record.correlation}
        other = self.streams[waited_for]
        if other.last is not None:
            self.streams[waiting].waits.append((other.last, other.free))

    def synchronise(self, thread, device=False):
        numbers = list(self.streams) if device else [self.random.choice([COMPUTE, COPY])]
        at = self.threads[thread]
        call = self.call("cudaDeviceSynchronize" if device else "cudaStreamSynchronize", thread)
        call.sync = {"name": "Context Sync"} if device else {"name": "Stream Sync", "stream": numbers[0]}
        call.end = max([call.end] + [self.streams[number].free + self.some(1, 3) for number in numbers])
        at.now = call.end
        step = self.step(at)
        for number in numbers:
            if self.streams[number].last is not None:
                self.sync_edges.add((self.streams[number].last, step))
                self.edges.add((self.streams[number].last, step))

    # ------------------------------------------------------------ the known graph
    def kernel_order(self, without=()):
        """{(a, b)}: kernel b needs kernel a, directly or not; edges in `without` do not count."""
        parents = {}
        for parent, child in self.edges - set(without):
            parents.setdefault(child, []).append(parent)
        names = {step: name for name, step in self.step_of.items()}
        return closure(range(1, self.steps + 2), parents, names)


def closure(order, parents, names):
    """{(a, b)} of names: b needs a. `order`: of the nodes, by number; each after its parents or in any order."""
    memo = {}
    for node in sorted(order):
        stack = [node]
        while stack:
            at = stack[-1]
            missing = [parent for parent in parents.get(at, ()) if parent not in memo]
            if at in memo or not missing:
                if at not in memo:
                    memo[at] = frozenset().union(*[memo[p] | ({p} if p in names else set()) for p in parents.get(at, ())])
                stack.pop()
            else:
                stack.extend(missing)
    return {(names[parent], name) for node, name in names.items() for parent in memo.get(node, ())}
