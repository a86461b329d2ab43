# SPDX-License-Identifier: Apache-2.0
"""Writes a KnownRun as PyTorch does: an execution trace and a Kineto trace.

    write_kineto(run, path, ...) ; write_execution_trace(run, path, schema="1.0.1", ...)
"""
import json

PID = 4711


def write_kineto(run, path, function_ids=False, syncs=True, communication_arguments=False, rank=0, world_size=1,
                 ranks=None, fraction=True, drop=(), no_correlation=(), stale=(), shift=0):
    """`drop`: numbers of operators that are left out; `no_correlation`: kernels (names) without their launch; `stale`: calls
    that are written once more, earlier, with the same correlation; `shift`: of the clock, ns."""
    def micros(ns):
        return f"{ns // 1000}.{ns % 1000:03d}" if fraction else str(ns // 1000)

    lines = []

    def event(category, name, tid, start, end, args, pid=PID):
        head = json.dumps({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid})[:-1]
        lines.append(f'{head}, "ts": {micros(start + shift)}, "dur": {micros(end - start)}, "args": {json.dumps(args)}}}')

    for number, op in enumerate(run.operators):
        if number in drop:
            continue
        args = {"External id": number + 1, "Ev Idx": number}
        if function_ids:
            args["Record function id"] = number + 1
        if op.communication and communication_arguments:
            args.update(arguments(op.communication, ranks))
        event("user_annotation" if op.annotation else "cpu_op", op.name, 1000 + op.thread, op.start, op.end, args)
    for call in run.calls:
        event("cuda_runtime", call.name, 1000 + call.thread, call.start, call.end, {"cbid": 1, "correlation": call.correlation})
        if call.correlation in stale:
            first = run.operators[0].start
            event("cuda_runtime", call.name, 1000 + call.thread, first, first, {"cbid": 1, "correlation": call.correlation})
        if call.sync and syncs:
            args = {"device": 0, "correlation": call.correlation, **call.sync}
            event("cuda_sync", args.pop("name"), args.get("stream", -1), call.start, call.start + 1000, args, 0)
    for kernel in run.kernels:
        args = {"device": 0, "context": 1, "stream": kernel.stream}
        if kernel.name not in no_correlation:
            args["correlation"] = kernel.correlation
        event("kernel", kernel.name, kernel.stream, kernel.start, kernel.end, args, 0)
    run.random.shuffle(lines)
    with open(path, "w", encoding="utf-8") as file:
        distributed = {"backend": "nccl", "rank": rank, "world_size": world_size}
        file.write(f'{{"schemaVersion": 1, "distributedInfo": {json.dumps(distributed)}, "traceEvents": [\n')
        file.write(",\n".join(lines) + "\n]}\n")


def arguments(communication, ranks):
    args = {"Collective name": communication["name"], "In msg nelems": communication["in"],
            "Out msg nelems": communication["out"], "dtype": communication["dtype"], "Process Group Name": "0"}
    if ranks:
        args |= {"Group size": len(ranks), "Process Group Ranks": str(ranks)}
    return args


def write_execution_trace(run, path, schema="1.0.1", drop=(), duplicates=()):
    """`drop`: numbers of operators that are left out, so that others miss their caller; `duplicates`: that get the id of the one
    before."""
    flat = schema.startswith("1.0.")
    ids, nodes, roots = {}, [], {}

    def node(name, number, function_id, parent, thread, inputs, outputs):
        if flat:
            nodes.append({"name": name, "id": number, "rf_id": function_id, "parent": parent, "fw_parent": 0, "seq_id": -1,
                          "scope": 0, "tid": thread, "fw_tid": 0, "op_schema": "", "inputs": inputs, "input_shapes": [],
                          "input_types": [], "outputs": outputs, "output_shapes": [], "output_types": []})
            return
        attrs = [("rf_id", "uint64", function_id), ("tid", "uint64", thread), ("op_schema", "string", "")]
        nodes.append({"id": number, "name": name, "ctrl_deps": parent,
                      "inputs": {"values": inputs, "shapes": [], "types": []},
                      "outputs": {"values": outputs, "shapes": [], "types": []},
                      "attrs": [{"name": n, "type": t, "value": v} for n, t, v in attrs]})

    node("[pytorch|profiler|execution_trace|process]", 1, 0, 1, 0, [], [])
    number = 1
    for index, op in enumerate(run.operators):
        if op.thread not in roots:
            number += 1
            roots[op.thread] = number
            node("[pytorch|profiler|execution_trace|thread]", number, 0, 1, op.thread + 1, [], [])
        if index in duplicates:
            ids[id(op)] = number
        else:
            number += 1
            ids[id(op)] = number
        if index in drop:
            continue
        said, inputs, outputs = op.communication, [[5, 6, 0, 16, 4, "cuda:0"], [1, 2], "text", True, None], []
        if said:
            group = 94594108284448 if schema == "1.0.1" else ["0", "default_pg"]
            inputs = [[7, 8, 0, said["in"], 4, "cuda:0"], said["sequence"], group, 0, said["name"], [], []]
            outputs = [[9, 10, 0, said["out"], 4, "cuda:0"]]
        parent = ids[id(op.parent)] if op.parent else roots[op.thread]
        node(op.name, ids[id(op)], index + 1, parent, op.thread + 1, inputs, outputs)
    run.random.shuffle(nodes)
    if duplicates:  # of equal ids the one that began first comes first in the file
        nodes.sort(key=lambda n: n["id"])
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": schema, "pid": PID, "time": "2026-01-01", "start_ts": 1, "nodes": nodes, "finish_ts": 2}, file)
