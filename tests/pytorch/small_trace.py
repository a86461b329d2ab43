# SPDX-License-Identifier: Apache-2.0
"""Kineto traces of a few events, whose import is known."""
import json

PID, HOST_THREAD, COMPUTE, COMMUNICATE = 100, 1, 7, 20


class SmallTrace:
    """Events at 100 us from each other, so that each is over before the next begins."""

    def __init__(self, rank=0, world_size=4, runtime="cuda_runtime", kernel="kernel"):
        self.events, self.distributed = [], {"backend": "nccl", "rank": rank, "world_size": world_size}
        self.runtime, self.kernel = runtime, kernel
        self.at, self.correlation = 1000, 0

    def event(self, category, name, start, duration, pid=PID, tid=HOST_THREAD, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args})
        return self.events[-1]

    def launched(self, name, start, duration=30, stream=COMPUTE, category=None, **args):
        """A call at `start` and what it launches."""
        self.correlation += 1
        self.event(self.runtime, "cudaLaunchKernel", start, 2, correlation=self.correlation)
        return self.event(category or self.kernel, name, start + 10, duration, 0, stream, device=0, stream=stream,
                          correlation=self.correlation, **args)

    def compute(self, name="gemm"):
        self.event("cpu_op", "aten::mm", self.at, 20)
        self.launched(name, self.at + 5)
        self.at += 100

    def communicate(self, around, kernels, on_kernel=None):
        """`around`: (category, name, arguments) of the events around the launches, the outermost first."""
        for depth, (category, name, args) in enumerate(around):
            self.event(category, name, self.at + depth, 40 - 2 * depth, **args)
        for number, name in enumerate(kernels):
            self.launched(name, self.at + 10 + 5 * number, 4, COMMUNICATE, **(on_kernel or {}))
        self.at += 100

    def write(self, path):
        path.write_text(json.dumps({"schemaVersion": 1, "distributedInfo": self.distributed, "traceEvents": self.events}, indent=1))


def arguments(name, elements, dtype="Float", group="0", size=4, ranks=None, **more):
    """Of record_param_comms."""
    args = {"Collective name": name, "In msg nelems": elements, "Out msg nelems": elements, "dtype": dtype,
            "Process Group Name": group, "Group size": size}
    return args | ({"Process Group Ranks": str(ranks)} if ranks else {}) | more
