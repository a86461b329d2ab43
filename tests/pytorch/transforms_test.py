#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`trace stats`, `edit`, `export` and `obfuscate` on small traces whose answers are counted by hand.

    transforms_test.py WAFERTLM
"""
import json
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

TOOL = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def tool(*arguments, code=0):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def comp(number, micros, parents=(), **more):
    return {"Id": number, "Name": f"n{number}", "NodeType": 4, "data_deps": list(parents), "runtime": micros, "is_cpu_op": False} | more


def collective(number, size, parents=(), **more):
    return {"Id": number, "Name": f"c{number}", "NodeType": 7, "data_deps": list(parents), "runtime": 7, "is_cpu_op": False,
            "comm_type": 0, "comm_size": size} | more


def write(folder, nodes, ranks=2, name="job"):
    for rank in range(ranks):
        (folder / f"{name}.{rank}.json").write_text(json.dumps({"workload_graph": nodes}))
    return folder / name


def read(prefix, rank=0):
    return json.loads(pathlib.Path(f"{prefix}.{rank}.json").read_text())["workload_graph"]


# Two gradients behind a chain of computations; the last computation needs both sums.
CHAIN = [comp(1, 10, num_ops=600, tensor_size=100), collective(2, 1000, [1]), comp(3, 20, [1]), collective(4, 501, [3]),
         comp(5, 5, [2, 4])]


def stats(folder):
    job = write(folder, CHAIN)
    found = json.loads(tool("trace", "stats", job, "--json"))
    assert (found["ranks"], found["nodes"], found["dependencies"]) == (2, 10, 10)
    assert found["depth"] == 4  # 1, 3, 4, 5
    assert found["critical_path_ps"] == (10 + 20 + 7 + 5) * 10**6
    # One unit computes: 10, 20; then behind the second sum 5.
    assert found["scheduled_ps"] == (10 + 20 + 7 + 5) * 10**6
    assert found["work_ps"] == 2 * 35 * 10**6
    assert found["duration_ps"]["kernel"] == {"count": 6, "least": 5e6, "q10": 5e6, "median": 10e6, "q90": 20e6, "most": 20e6,
                                              "mean": 35e6 / 3, "sum": 70e6}
    assert found["operations_per_byte"]["mean"] == 6
    assert {(each["bytes"], each["count"]) for each in found["collectives"]} == {(1000, 2), (501, 2)}
    assert found["sizes"]["dp"] == [{"from_bytes": 256, "messages": 2, "bytes": 1002}, {"from_bytes": 512, "messages": 2, "bytes": 2000}]
    # Another trace: of three kernels one takes 20 us longer. A third of the distribution is moved by that.
    changed = [dict(node, runtime=40) if node["Id"] == 3 else node for node in CHAIN]
    both = json.loads(tool("trace", "stats", job, "--against", write(folder, changed, name="other"), "--json"))
    kernel = next(each for each in both["differences"] if each["what"] == "duration of kernel")
    assert abs(kernel["kolmogorov_smirnov"] - 1 / 3) < 1e-12 and abs(kernel["earth_movers"] - 20e6 / 3) < 1e-3, kernel
    same = [each for each in both["differences"] if each["what"] != "duration of kernel"]
    assert all(each["kolmogorov_smirnov"] == 0 and each["earth_movers"] == 0 for each in same), same


def edits(folder):
    job, out = write(folder, CHAIN), folder / "out" / "job"

    def edited(*arguments):
        tool("trace", "edit", job, "--out", out, "--form", "json", *arguments)
        assert read(out, 0) == read(out, 1)
        return {node["Id"]: node for node in read(out)}

    nodes = edited("--scale", "kernel=0.5")
    assert [nodes[i]["runtime"] for i in (1, 2, 3, 4)] == [5, 7, 10, 7] and nodes[5]["wafertlm_duration_ps"] == 2_500_000
    nodes = edited("--precision", "16:8")
    assert (nodes[2]["comm_size"], nodes[4]["comm_size"], nodes[1]["tensor_size"], nodes[1]["runtime"]) == (500, 251, 50, 10)
    nodes = edited("--split", "400")
    parts = [node for node in nodes.values() if "comm_size" in node]
    assert sorted(node["comm_size"] for node in parts) == [250, 251, 333, 333, 334]
    assert set(nodes[5]["data_deps"]) == {node["Id"] for node in parts}
    assert all(node["data_deps"] in ([1], [3]) for node in parts)
    nodes = edited("--fuse", "1501")
    assert set(nodes) == {1, 3, 4, 5} and nodes[4]["comm_size"] == 1501 and sorted(nodes[4]["data_deps"]) == [1, 3]
    assert nodes[5]["data_deps"] == [4]
    # Together they would be larger; and a collective never joins one that it needs by way of a computation.
    assert "changes nothing" in tool("trace", "edit", job, "--out", out, "--fuse", "1500", code=2)
    chained = [comp(1, 1), collective(2, 10, [1]), comp(3, 1, [2]), collective(4, 10, [3])]
    assert "changes nothing" in tool("trace", "edit", write(folder, chained, name="chained"), "--out", out, "--fuse", "100", code=2)
    nodes = edited("--slice", "2:5")
    assert set(nodes) == {3, 4, 5} and nodes[3]["data_deps"] == [] and nodes[5]["data_deps"] == [4]
    nodes = edited("--repeat", "3")
    assert len(nodes) == 3 * 5 + 2
    roots = [node for node in nodes.values() if not node["data_deps"]]
    assert [node["Id"] for node in roots] == [1]
    assert tool("trace", "stats", out).splitlines()[1].split(",")[0] == "  depth 14"  # 3 × 4, and two borders
    messages = [[{"Id": 1, "Name": "s", "NodeType": 5, "comm_size": 8, "comm_src": 0, "comm_dst": 1}],
                [{"Id": 1, "Name": "r", "NodeType": 6, "comm_size": 8, "comm_src": 0, "comm_dst": 1}]]
    for rank, nodes in enumerate(messages):
        (folder / f"p2p.{rank}.json").write_text(json.dumps({"workload_graph": nodes}))
    tool("trace", "edit", folder / "p2p", "--out", out, "--form", "json", "--renumber", "1,0")
    assert read(out, 0)[0]["NodeType"] == 6 and read(out, 1)[0]["comm_dst"] == 0
    before = sorted(path.read_bytes() for path in out.parent.iterdir())
    for arguments in (["--ranks", "0,0"], ["--scale", "kernel"], ["--scale", "none=2"], ["--precision", "16"], ["--slice", "9:9"], []):
        tool("trace", "edit", job, "--out", out, *arguments, code=2)
    assert "over the traces themselves" in tool("trace", "edit", job, "--out", job, "--repeat", "2", code=2)
    assert before == sorted(path.read_bytes() for path in out.parent.iterdir())


def export(folder):
    """The Kineto trace of a run has its times to the picosecond, and imports again."""
    nodes = [comp(1, 10), comp(2, 3, [1], is_cpu_op=True), collective(3, 1 << 20, [1]), comp(4, 4, [3, 2])]
    job = write(folder, nodes, ranks=20)
    experiment = folder / "e.yaml"
    platform = ROOT / "configs" / "platforms" / "wafer_mesh_5x4.yaml"
    experiment.write_text(f"experiment: e\nplatform: {platform}\nworkload: {{workload: w, chakra: {job}}}\niterations: 1\n")
    tool("run", experiment, "--out", folder / "run")
    tool("trace", "export", folder / "run", "--out", folder / "kineto")
    time = json.loads((folder / "run" / "results.json").read_text())["iterations"][0]["time_ps"]
    text = (folder / "kineto" / "rank3.json").read_text()
    events = {event["name"]: event for event in json.loads(text)["traceEvents"] if event["ph"] == "X"}
    assert set(events) == {"n1", "n2", "c3", "n4"}
    assert (events["n1"]["ts"], events["n1"]["dur"], events["n2"]["ts"], events["n2"]["cat"]) == (0, 10, 10, "cpu_op")
    assert events["c3"]["ts"] == 10 and events["c3"]["args"]["Collective name"] == "ALL_REDUCE"
    ends = [round((event["ts"] + event["dur"]) * 10**6) for event in events.values()]
    assert max(ends) <= time and time - max(ends) < 10**6, (ends, time)
    assert len(list((folder / "kineto").glob("rank*.json"))) == 20
    assert "resolved.yaml" in tool("trace", "export", folder, "--out", folder / "none", code=2)
    assert not (folder / "none").exists()


def obfuscation(folder):
    """Nothing of the names is left, everything is within the bound, and ranks still agree."""
    kernels = [comp(10 + i, 100 + 37 * (i % 7), [9 + i] if i else [], Name=f"secret{i % 7}", tensor_size=4096 * (1 + i % 3))
               for i in range(200)]
    nodes = kernels + [collective(500 + i, 1 << (10 + i % 4), [209 - i]) for i in range(20)]
    job, out = write(folder, nodes), folder / "public"
    text = tool("trace", "obfuscate", job, "--out", out, "--form", "json", "--bound", "10")
    assert "longest run of nodes that are as in the source: 0" in text, text
    both = [read(out, rank) for rank in (0, 1)]
    assert [node.get("comm_size") for node in both[0]] == [node.get("comm_size") for node in both[1]]
    assert "secret" not in json.dumps(both)
    moved = []
    for old, new in zip(nodes, both[0]):
        time, was = new.get("wafertlm_duration_ps", new["runtime"] * 10**6), old["runtime"] * 10**6
        assert 10**6 / 2 < abs(time - was) <= max(0.1 * was, 2 * 10**6)  # the source counts in us: rounding gives nothing back
        if was >= 10**8:
            moved.append(time / was - 1)
        for key in ("comm_size", "tensor_size"):
            if key in old:
                assert abs(new[key] / old[key] - 1) <= 0.1 and new[key] != old[key], (key, old, new)
        assert new["Id"] == nodes.index(old) + 1 and len(new["data_deps"]) == len(old["data_deps"])
    assert len(moved) == 200 and 0.04 < sum(map(abs, moved)) / len(moved) < 0.06
    assert abs(sum(moved) / len(moved)) < 0.02  # no common direction
    assert tool("trace", "obfuscate", job, "--out", folder / "again", "--form", "json", "--bound", "10") != ""
    assert read(folder / "again") == both[0]
    tool("trace", "obfuscate", job, "--out", folder / "other", "--form", "json", "--bound", "10", "--seed", "2")
    assert read(folder / "other") != both[0]
    # With a wide bound an attack knows less than with a narrow one.
    guessed = {}
    for bound in ("0.1", "40"):
        text = tool("trace", "obfuscate", job, "--out", folder / "attacked", "--form", "json", "--bound", bound)
        guessed[bound] = float(text.split("attack: ")[1].split(" %")[0])
    # All kernels; of the collectives, whose names differ more than their sizes do, only some.
    assert 100 * 200 / 220 < guessed["0.1"] < 100 and guessed["40"] < 60, guessed


def no_disk():
    """A limit of no bytes, which is an error and not a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def earlier_ranks(folder):
    job, out, three = write(folder, CHAIN), folder / "new", write(folder, CHAIN, ranks=3, name="three")
    for what in (("edit", "--scale", "kernel=0.5"), ("obfuscate",)):
        command = ["trace", what[0], job, "--out", out, "--form", "json", *what[1:]]
        tool("trace", "edit", three, "--renumber", "0,1,2", "--out", out, "--form", "json")
        before = read(out, 2)
        assert "new.2.json" in tool(*command, code=2)
        done = subprocess.run([TOOL, *map(str, command), "--force"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              preexec_fn=no_disk, check=False)
        assert done.returncode != 0
        assert read(out, 2) == before  # nothing is removed before there is something new
        assert "removed 1 trace" in tool(*command, "--force")
        assert sorted(path.name for path in folder.glob("new.*")) == ["new.0.json", "new.1.json"]


for case in (stats, edits, export, obfuscation, earlier_ranks):
    with tempfile.TemporaryDirectory() as place:
        case(pathlib.Path(place))
print("stats, edit, export and obfuscate do what they say, and lose nothing")
