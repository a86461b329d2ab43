#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random traces of any library, category, damage, groups and split vectors import to what they were made of, or end in the error
that names what is wrong. In all of them every event is accounted for.

    account_test.py WAFERTLM [--cases N] [--seed N]
"""
import collections
import json
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_cases
from small_trace import SmallTrace, arguments

RANKS = 4
CATEGORIES = [("cuda_runtime", "kernel"), ("hip_runtime", "kernel"), ("xpu_runtime", "kernel"), ("cuda_driver", "concurrent_kernel"),
              ("mtia_runtime", "mtia_ccp_events"), ("privateuse1_runtime", "kernel"), ("coming_runtime", "coming_work")]
KERNELS = ["ncclDevKernel_Generic(void*)", "ncclSymDevKernel_X", "rcclKernel_X", "oneccl_reduce_base<float>", "hcom_alltoallv_",
           "void mscclpp::f<1>()", "multimem_all_reduce_kernel", "deep_ep::intranode::combine", "nvshmem_x", "of_no_known_library"]
COLLECTIVES = {"allreduce": 0, "reduce": 1, "broadcast": 5, "reduce_scatter": 7, "all_to_allv": 6}
TYPES = {"Float": 4, "BFloat16": 2, "Long": 8, "Float8_e4m3fn": 1}
OTHERS = [("X", "python_function", "Python function"), ("X", "gpu_user_annotation", "annotation repeated on a device"),
          ("X", "cuda_profiler_range", "range of performance counters"), ("X", "overhead", "overhead of the profiler"),
          ("M", None, "name of a process or thread"), ("s", "ac2g", "flow arrow"), ("i", None, "instant"),
          ("X", "coming_annotation", "category coming_annotation, not known"), ("Q", None, "phase Q, not known")]
DAMAGE = ['"ts": 9223372036854775.807, "dur": 1', '"ts": 1, "dur": -1', '"ts": 1, "dur": NaN', '"ts": nan, "dur": 1',
          '"ts": 1, "dur": 1, "args": {"a": "\x02"}', '"ts": 1, "dur": 1, "args": {"a": "C:\\x"}', '"args": {"a": "C:\\"}, "ts": 1']
# What the groups of a case are, and what the error says; None: there is none.
GROUPS = {"all": None, "ranks": None, "declared": None, "pairs": None, "0.0": None, "size": "nothing says which", "undefined": "not defined",
          "members": "its size is", "twice": "different ranks in", "stranger": "does not hold rank"}


class Case:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.groups = self.random.choice(list(GROUPS))
        self.error = GROUPS[self.groups]
        self.kernel = self.random.choice(KERNELS)
        self.is_said = self.error is not None or self.random.random() < 0.85
        if not self.is_said and self.kernel == KERNELS[-1]:
            self.kernel = KERNELS[0]
        runtime, kernel = self.random.choice(CATEGORIES)
        self.traces = [SmallTrace(rank, RANKS, runtime, kernel) for rank in range(RANKS)]
        self.calls = [self.collective() for _ in range(self.random.randint(1, 3))]
        self.left_out = [collections.Counter() for _ in range(RANKS)]
        self.damaged, self.given = [0] * RANKS, []

    def collective(self):
        """(name, type of elements, how many each rank gives to each, how it is said)"""
        name = self.random.choice(list(COLLECTIVES))
        parts = [[self.random.choice([0, 1, 7, 1000]) for _ in range(RANKS)] for _ in range(RANKS)]
        if name != "all_to_allv":
            parts = [[self.random.choice([1, 300, 2**20])] * RANKS] * RANKS
        return name, self.random.choice(list(TYPES)), parts, self.random.choice(["arguments", "kernel", "annotation"])

    def members(self, rank):
        if self.groups in ("ranks", "declared", "pairs", "stranger"):
            return [0, 1] if rank < 2 else [2, 3]
        return list(range(RANKS))

    def said(self, rank, name, dtype, parts):
        """The arguments of a rank's collective, and the bytes of its parts: in, out."""
        members = self.members(rank)
        if name == "all_to_allv":
            split = [parts[rank][peer] for peer in members], [parts[peer][rank] for peer in members]
            more = {"In split size": str(split[0]), "Out split size": str(split[1])}
        else:
            split, more = ([parts[0][0]], [parts[0][0]]), {}
        args = arguments(name, sum(split[0]), dtype, size=len(members)) | {"Out msg nelems": sum(split[1])} | more
        mine = "1" if rank < 2 else "2"
        if self.groups == "ranks":
            args |= {"Process Group Name": mine, "Process Group Ranks": str(members)}
        elif self.groups in ("declared", "pairs"):
            args["Process Group Name"] = mine if self.groups == "declared" else mine + ".0"
        elif self.groups == "0.0":
            args["Process Group Name"] = "0.0"
        elif self.groups == "size":
            args |= {"Process Group Name": "", "Group size": 2}
        elif self.groups == "undefined":
            args["Process Group Name"] = "tp"
            del args["Group size"]
        elif self.groups == "members":
            args |= {"Process Group Ranks": "[0, 1, 2, 3]", "Group size": 3}
        elif self.groups == "twice":
            args["Process Group Name"] = "1"
        elif self.groups == "stranger":
            args |= {"Process Group Name": "1", "Process Group Ranks": "[0, 1]", "Group size": 2}
        return args, *[[part * TYPES[dtype] for part in parts] for parts in split]

    def declare(self, trace, rank):
        config = {"declared": {"1": [0, 1], "2": [2, 3]}, "pairs": {"1": [0, 1], "2": [2, 3]},
                  "twice": {"1": [0, 1, 2, 3] if rank < 2 else [3, 2, 1, 0]}}.get(self.groups)
        if config:
            trace.distributed["pg_config"] = [{"pg_name": name, "ranks": ranks} for name, ranks in config.items()]

    def build(self, folder):
        """@return by rank what is known: [(type, parts in, parts out)]"""
        known = []
        for rank, trace in enumerate(self.traces):
            self.declare(trace, rank)
            known.append([])
            for call in self.calls:
                for _ in range(6):
                    trace.compute()
                known[-1].append(self.communicate(trace, rank, *call))
            trace.compute()
            self.strange_events(trace, self.left_out[rank])
            trace.write(folder / f"k{rank}.json")
            self.damage(folder / f"k{rank}.json", rank)
        return known

    def communicate(self, trace, rank, name, dtype, parts, how):
        args, sent, received = self.said(rank, name, dtype, parts)
        if not self.is_said:
            trace.communicate([("cpu_op", "record_param_comms", {})], [self.kernel])
            return None
        if how == "annotation" and self.groups == "all" and name != "all_to_allv" and dtype != "Float8_e4m3fn":
            dims = {"Input Dims": [[sum(sent) // TYPES[dtype]]], "Input type": [{"Float": "float", "Long": "long int"}.get(dtype, "c10::" + dtype)]}
            trace.communicate([("user_annotation", "nccl:" + name, dims)], [self.kernel])
        elif how == "kernel":
            trace.communicate([], [self.kernel], args)
        else:
            trace.communicate([("cpu_op", "c10d::" + name + "_", {}), ("cpu_op", "record_param_comms", args)], [self.kernel])
        return COLLECTIVES[name], sent, received

    def strange_events(self, trace, left_out):
        for _ in range(self.random.randint(0, 6)):
            phase, category, rule = self.random.choice(OTHERS)
            event = trace.event(category, "strange", self.random.randint(1000, trace.at), 3, tid=99)
            event["ph"] = phase
            left_out[rule] += 1
        self.random.shuffle(trace.events)

    def damage(self, path, rank):
        head = json.loads(path.read_text())
        texts = [json.dumps(event) for event in head.pop("traceEvents")]
        for _ in range(self.random.choice([0, 0, 1, 2])):
            if self.damaged[rank] + 1 > 0.05 * (len(texts) + 1):
                break
            bad = '{"ph": "X", "cat": "cpu_op", "name": "damaged", "pid": 100, "tid": 1, ' + self.random.choice(DAMAGE) + "}"
            texts.insert(self.random.randint(0, len(texts)), bad)
            self.damaged[rank] += 1
        path.write_text(json.dumps(head)[:-1] + ', "traceEvents": [\n' + ",\n".join(texts) + '\n], "traceName": "t"}\n')
        self.given.append(len(texts))

    def check(self, tool, folder):
        known = self.build(folder)
        files = [folder / f"k{rank}.json" for rank in range(RANKS)]
        command = [tool, "trace", "import", "--kineto", *files, "--out", folder / "job", "--form", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        error = self.error if self.is_said else "what they move"
        if error:
            assert done.returncode == 2 and error in done.stderr, (error, done.stderr)
            assert done.stderr.count("\n") == 1 and (not self.is_said or "--comm-groups" in done.stderr), done.stderr
            if self.is_said:
                return
            done = subprocess.run([*command, "--missing-at-most", "100"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        report = json.loads((folder / "job.import.json").read_text())
        for rank, said in enumerate(report["ranks"]):
            self.check_account(rank, said)
            nodes = json.loads((folder / f"job.{rank}.json").read_text())["workload_graph"]
            self.check_communications(rank, said, known, report["groups"], [node for node in nodes if node["NodeType"] == 7])
            kernels = [node for node in nodes if not node["is_cpu_op"]]
            assert sum(node["NodeType"] == 4 for node in kernels) == 6 * len(self.calls) + 1
            assert sum(node["NodeType"] == 7 for node in kernels) == (len(self.calls) if self.is_said else 0)

    def check_account(self, rank, said):
        for what, tally in said["account"].items():
            assert tally["given"] == tally["used"] + sum(tally["left_out"].values()) + sum(tally["errors"].values()), (what, tally)
        events = said["account"]["events"]
        left_out = dict(self.left_out[rank])
        if not self.is_said:
            left_out["kernel of a communication whose size is not told"] = len(self.calls)
        assert events["given"] == self.given[rank], (events, self.given[rank])
        assert events["left_out"] == left_out, (events["left_out"], left_out)
        assert events["errors"] == ({"damaged": self.damaged[rank]} if self.damaged[rank] else {}), events
        launches = said["account"]["launches"]
        assert launches["given"] == launches["used"] == 7 * len(self.calls) + 1, launches

    def check_communications(self, rank, said, known, groups, nodes):
        found = said["communications"]
        if not self.is_said:
            assert found == [] and sum(said["unknown_communication_kernels"].values()) == len(self.calls)
            return
        assert len(found) == len(known[rank])
        types = {"ALL_REDUCE": 0, "REDUCE": 1, "BROADCAST": 5, "REDUCE_SCATTER": 7, "ALL_TO_ALL": 6}
        for number, (each, (kind, sent, received)) in enumerate(zip(found, known[rank])):
            members = self.members(rank)
            assert types[each["type"]] == kind and each["bytes"] == each["input_bytes"] == sum(sent), (each, sent)
            assert each["output_bytes"] == sum(received), (each, received)
            assert groups.get(each["group"], list(range(RANKS))) == members, (each, groups)
            uneven = kind == 6 and any(len(set(parts)) > 1 for member in members for parts in known[member][number][1:])
            run = [nodes[number].get(f"wafertlm_{way}_bytes") for way in ("send", "receive")]
            assert run == ([sent, received] if uneven else [None, None]), (run, sent, received)


if __name__ == "__main__":
    random_cases.run(30, lambda tool, seed, folder: Case(seed).check(tool, folder), "traces are accounted for")
