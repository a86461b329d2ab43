#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A communication is what the host calls one, with the size that the host says; kernels' names come after that.

    communication_test.py WAFERTLM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from small_trace import SmallTrace, arguments

TOOL = sys.argv[1]
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
ALL_REDUCE = ("cpu_op", "record_param_comms", arguments("allreduce", 1000))


def imported(around, kernels, *options, on_kernel=None, code=0):
    """What came of a communication between two computations: (nodes by name, report), or the error."""
    trace = SmallTrace()
    trace.compute()
    trace.communicate(around, kernels, on_kernel)
    trace.compute()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace.write(folder / "k.json")
        command = [TOOL, "trace", "import", "--kineto", folder / "k.json", "--out", folder / "job", "--form", "json", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        if code:
            return done.stderr
        nodes = json.loads((folder / "job.0.json").read_text())["workload_graph"]
        return nodes, json.loads((folder / "job.import.json").read_text())["ranks"][0]


def only(nodes):
    """(type, bytes) of the only communication."""
    (node,) = [node for node in nodes if node["NodeType"] == 7]
    return node["comm_type"], node["comm_size"]


def annotation(name, dims, types):
    return "user_annotation", name, {"Input Dims": dims, "Input type": types}


def said_by_the_host():
    """Bytes: elements × bytes of an element, counted by hand."""
    op = ("cpu_op", "c10d::op", {})
    for around, kernel, answer in [
            ([op, ("cpu_op", "record_param_comms", {}), annotation("nccl:all_to_all", [[1048576]], ["float"])],
             "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", (6, 4194304)),
            ([annotation("nccl:all_reduce", [[366336]], ["c10::Half"])], NCCL, (0, 732672)),
            ([annotation("nccl:all_reduce", [[10, 3], [7], []], ["float", "float", "float"])], NCCL, (0, 4 * 38)),
            ([annotation("nccl:reduce_scatter", [[64]], ["BFloat16"])], NCCL, (7, 128)),
            ([("cpu_op", "c10d::_allgather_base_", {"Input Dims": [[256], [64], []], "Input type": ["float", "float", ""]})],
             "ncclDevKernel_AllGather_RING_LL", (2, 256)),
            ([("cpu_op", "_c10d_functional::all_reduce", {"Input Dims": [[5]], "Input type": ["double"]})], "any_kernel", (0, 40)),
            # Arguments say more than an annotation within them or an operator around them.
            ([("cpu_op", "c10d::allreduce_", {}), ALL_REDUCE, annotation("nccl:all_reduce", [[9]], ["float"])], NCCL, (0, 4000)),
            # Any library: the host says it.
            ([ALL_REDUCE], "oneccl_reduce_base<float, 2, 16, 1, 1, 2>", (0, 4000)),
            ([ALL_REDUCE], "some_kernel_of_a_new_library", (0, 4000)),
    ]:
        nodes, _ = imported(around, [kernel])
        assert only(nodes) == answer, (around, kernel, only(nodes))
    # The kernel's own arguments, with nothing around it.
    nodes, _ = imported([], [NCCL], on_kernel=ALL_REDUCE[2])
    assert only(nodes) == (0, 4000)


def several_kernels():
    """Of one communication they are one node; the one that is known by name counts, others are computation."""
    nodes, report = imported([ALL_REDUCE], [NCCL, NCCL])
    assert only(nodes) == (0, 4000)
    (node,) = [node for node in nodes if node["NodeType"] == 7]
    assert report["further_kernels"] == 1 and node["runtime"] == 4 + 5, node  # from the first one's start to the last one's end
    nodes, _ = imported([ALL_REDUCE], ["scale", NCCL])
    assert {node["Name"]: node["NodeType"] for node in nodes if not node["is_cpu_op"]} == {"gemm": 4, "scale": 4, NCCL: 7}
    # What an operator within it launches is that operator's.
    nodes, _ = imported([ALL_REDUCE, ("cpu_op", "aten::copy_", {})], ["copy"])
    assert not [node for node in nodes if node["NodeType"] == 7]


def without_size():
    """It is never computation, whatever the limit."""
    kernels = [NCCL, "rcclKernel_AllReduce", "ncclSymDevKernel_AllReduce_RSxLD_AGxST", "void mscclKernel_Sum_half<1>()",
               "mscclpp::allreduce", "oneccl_reduce_base<float>", "hcom_allReduce__210_0_1", "HcclAllreduce",
               "void c10d::symmetric_memory::multimem_all_reduce_kernel<16>(char*)", "one_shot_all_reduce_kernel",
               "void deep_ep::internode_ll::dispatch<true>(void*)", "nvshmemi_put", "vllm::cross_device_reduce_1stage<float, 8>"]
    for kernel in kernels:
        assert "what they move" in imported([], [kernel], code=2)
        nodes, report = imported([], [kernel], "--missing-at-most", "100")
        assert report["unknown_communication_kernels"] == {kernel: 1}, report
        assert kernel not in {node["Name"] for node in nodes}
    around = [("cpu_op", "c10d::allreduce_", {"Input Dims": [[]], "Input type": ["TensorList"]})]
    nodes, report = imported(around, ["unknown"], "--missing-at-most", "100")
    assert report["unknown_communication_kernels"] == {"unknown": 1}
    assert "more than 2^64" in imported([annotation("nccl:all_reduce", [[2**62, 2]], ["float"])], [NCCL], code=2)


def groups_of_chakra():
    """Process groups in the inputs of a METADATA node, in the forms in which converters write them."""
    groups = [{"pg_name": "0", "ranks": []}, {"pg_name": "1", "ranks": [0, 1]}, {"pg_name": "2.0", "ranks": [2, 3]}]
    text = json.dumps(groups)

    def checked(inputs, code=0, names=("1", "1", "2", "2.0")):
        with tempfile.TemporaryDirectory() as name:
            for rank, each in enumerate(inputs if isinstance(inputs, list) else [inputs] * 4):
                nodes = [{"Id": 1, "Name": "## process_group:init ##", "NodeType": 1, "inputs": {"values": each, "shapes": "", "types": ""}},
                         {"Id": 2, "Name": "AR", "NodeType": 7, "is_cpu_op": False, "comm_type": 0, "comm_size": 8, "pg_name": names[rank]}]
                (pathlib.Path(name) / f"job.{rank}.json").write_text(json.dumps({"workload_graph": nodes}))
            done = subprocess.run([TOOL, "trace", "check", f"{name}/job"], capture_output=True, text=True, check=False)
            assert done.returncode == code, (inputs, done.returncode, done.stdout, done.stderr)
            return done.stderr

    for inputs in (f"['{text}']", f"[[{text}]]", json.dumps([text]), text):
        checked(inputs)
    checked(text, names=(1, 1, 2.0, "2"))  # numbers
    checked(text, names=("0", "", "0.0", 0))
    assert "not defined" in checked("[]", 2)
    assert "other ranks" in checked([text, text, text, text.replace("[0, 1]", "[1, 0]")], 2)
    assert "not defined" in checked(text.replace("[2, 3]", "[2, 9]"), 2)  # a rank that is not in the job


said_by_the_host()
groups_of_chakra()
several_kernels()
without_size()
print("communications are what the host says")
