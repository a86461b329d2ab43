#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random jobs on several wafers in one process and in several: is results.json equal, byte for byte, but for `host`?

    random_jobs.py WAFERTLM [--jobs 20] [--first 0] [--keep DIR]

A job is a transformer with a parallelism, layers with data parallelism, or traces with computations, messages between any
two ranks and collectives of any groups (all-to-all and barriers among them), on two to five wafers joined by a ring, by
switches or directly, also over Ethernet: meshes, or in a third of the jobs FRED with two or three levels; or on a graph of
several wafers; with jitter, slow NPUs, small buffers, values or barriers now and then, and wafers without ranks. It runs in one
process and in up to four, with wafers dealt by load or at random. Job N is the same on every machine.
--keep: folder for the experiments of the jobs that differ or fail.
Prints a line for each such job and one for all. Exit code 1: a difference, or a run that failed.
"""
import argparse
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

PLATFORMS = pathlib.Path(__file__).parents[2] / "configs" / "platforms"


def mesh(draw):
    """Its preset, its keys, those of its fabric, and the NPUs of a wafer."""
    width, height = draw.randint(2, 4), draw.randint(2, 4)
    return "wafers_4_mesh_5x4", [f"    width: {width}", f"    height: {height}"], [], width * height


def fred(draw):
    """As mesh(): a tree of two or three levels, with controllers on all L1 switches or on some."""
    l2 = draw.choice([1, 1, 2, 3])
    l1, each = l2 * draw.randint(1 if l2 > 1 else 2, 3), draw.randint(1, 3)
    rates = ["200 GB/s", "1.5 TB/s", "3 TB/s", "12 TB/s"]
    fabric = [f"      l1_switches: {l1}", f"      l2_switches: {l2}", f"      npus_per_l1: {each}",
              f"      npu_bandwidth: {draw.choice(rates)}", f"      l1_uplink: {draw.choice(rates)}",
              f"      stage_latency: {draw.choice([0, 0, 1, 3])} ns"]
    if l2 > 1:
        fabric.append(f"      l2_uplink: {draw.choice(rates)}")
    return "wafers_4_fred_a", [f"    io: {{controllers: {draw.randint(1, 2 * l1)}}}"], fabric, l1 * each


def graph(draw, wafers):
    """Its keys in one line, and the NPUs of a wafer: wafers of a switch or two, as a line, a star or each joined to each."""
    each, switches, links, parts = draw.randint(2, 5), [], [], []
    for wafer in range(wafers):
        names = [f"s{wafer}_{k}" for k in range(draw.randint(1, 2))]
        switches += [f"{{name: {name}, pipeline: {draw.choice([0, 5, 30])} ns}}" for name in names]
        links += [(names[0], name, draw.choice([50, 400]), draw.choice([10, 100])) for name in names[1:]]
        npus = [f"npu{wafer * each + n}" for n in range(each)]
        links += [(npu, draw.choice(names), draw.choice([100, 400]), 10) for npu in npus]
        parts.append(f"[{', '.join(names + npus)}]")
    kind = draw.choice(["line", "star", "full"])
    for a in range(wafers):
        links += [(f"s{a}_0", f"s{b}_0", draw.choice([10, 50, 100]), draw.choice([37, 200, 1000]))
                  for b in range(a) if kind == "full" or b == (a - 1 if kind == "line" else 0)]
    listed = ", ".join(f"{{from: {a}, to: {b}, bandwidth: {rate} GB/s, latency: {latency} ns}}" for a, b, rate, latency in links)
    return (f"{{graph: random, npus: {wafers * each}, switches: [{', '.join(switches)}], links: [{listed}], "
            f"wafers: [{', '.join(parts)}]}}"), each


def graph_platform(draw):
    """As platform(), of a graph that says which wafer has what."""
    wafers = draw.randint(2, 5)
    keys, each = graph(draw, wafers)
    lines = ["  platform: random graph", "  wafer:", "    fabric:", "      kind: graph", f"      file: {keys}"]
    if draw.random() < 0.3:
        lines.append(f"      input_buffer: {draw.choice([10, 16, 32])} KiB")
    lines += ["  npu:", f"    injection: {{order: {draw.choice(['message', 'packet'])}}}"]
    if draw.random() < 0.5:
        lines.append(f"    compute: {{jitter: uniform, jitter_percent: {draw.randint(1, 30)}}}")
    return "\n".join([*lines, "  run:", f"    seed: {draw.randint(1, 99)}"]), wafers, each


def platform(draw):
    """Its YAML, its wafers, and the NPUs of each."""
    if draw.random() < 0.15:
        return graph_platform(draw)
    wafers = draw.randint(2, 5)
    preset, wafer, fabric, npus = draw.choice([mesh, mesh, fred])(draw)
    topology = draw.choice(["ring", "switch", "direct"])
    lines = [f"  extends: {PLATFORMS / preset}.yaml", "  platform: random wafers", "  npu:",
             f"    injection: {{order: {draw.choice(['message', 'packet'])}}}"]
    if draw.random() < 0.5:
        lines += ["    compute:", f"      jitter: {draw.choice(['uniform', 'normal'])}",
                  f"      jitter_percent: {draw.randint(1, 30)}"]
    lines += ["  wafer:", *wafer, "    outer:", f"      wafers: {wafers}",
              f"      topology: {topology}", f"      latency: {draw.choice([37, 200, 500, 2000])} ns",
              f"      bandwidth: {draw.choice([10, 50, 128, 300])} GB/s"]
    ethernet = draw.random() < 0.4
    if ethernet:
        lines += [f"      ethernet: {{mtu: {draw.choice([1, 4])} KiB, switch_latency: 300 ns}}" if topology == "switch" else
                  "      ethernet: {mtu: 4 KiB}"]
    if draw.random() < 0.3 and not ethernet:  # it needs room for what comes until a pause takes effect
        fabric.append(f"      input_buffer: {draw.choice([8, 12, 32])} KiB")
    if fabric:
        lines += ["    fabric:", *fabric]
    if draw.random() < 0.3:
        slow = draw.randrange(wafers * npus)
        lines += ["    defects:", f"      slow_npus: [{{npu: {slow}, speed_percent: {draw.randint(20, 90)}}}]"]
    lines += ["  run:", f"    seed: {draw.randint(1, 99)}"]
    if draw.random() < 0.2:
        lines += ["    functional: true"]
    return "\n".join(lines), wafers, npus


COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7  # of Chakra's node types
ALL_REDUCE, ALL_GATHER, ALL_TO_ALL, REDUCE_SCATTER, BARRIER = 0, 2, 6, 7, 9  # of its collectives


def traces(draw, npus, folder):
    """Ranks that go through one list of steps in the same order, each as far as it takes part, so that nothing is stuck."""
    ranks = [[] for _ in range(draw.randint(2, npus))]
    groups = {f"g{n}": sorted(draw.sample(range(len(ranks)), draw.randint(2, len(ranks)))) for n in range(3)}

    def add(rank, kind, **attributes):
        number = len(ranks[rank]) + 1
        # Most wait for the one before, the others only for one further back; collectives also for the last one.
        parents = set() if number == 1 else {number - 1 if draw.random() < 0.8 else draw.randint(1, number - 1)}
        if kind == COLLECTIVE:
            parents |= {max((node["Id"] for node in ranks[rank] if node["NodeType"] == COLLECTIVE), default=number - 1)} - {0}
        ranks[rank].append({"Id": number, "Name": f"n{number}", "NodeType": kind, "data_deps": sorted(parents), **attributes})

    for tag in range(draw.randint(5, 40)):
        kind = draw.choice([COMPUTE, SEND, SEND, COLLECTIVE])
        if kind == COMPUTE:
            add(draw.randrange(len(ranks)), COMPUTE, runtime=draw.randint(1, 20))
        elif kind == SEND:
            source, destination = draw.sample(range(len(ranks)), 2)
            size = draw.choice([1, 64, 5000, 200000])
            add(source, SEND, comm_dst=destination, comm_tag=tag, comm_size=size)
            add(destination, RECEIVE, comm_src=source, comm_tag=tag, comm_size=size)
        else:
            group = draw.choice(list(groups))
            collective = draw.choice([ALL_REDUCE, ALL_GATHER, ALL_TO_ALL, REDUCE_SCATTER, BARRIER])
            size = 0 if collective == BARRIER else len(groups[group]) * 4 * draw.choice([1, 16, 1000, 10000])
            for rank in groups[group]:
                add(rank, COLLECTIVE, comm_type=collective, comm_size=size, pg_name=group)
    for rank, nodes in enumerate(ranks):
        nodes = nodes or [{"Id": 1, "Name": "n1", "NodeType": COMPUTE, "runtime": 1}]
        (folder / f"job.{rank}.json").write_text(json.dumps({"workload_graph": nodes}))
    if not any("pg_name" in node for nodes in ranks for node in nodes):
        return f"  chakra: {folder}/job"
    (folder / "groups.json").write_text(json.dumps(groups))
    return f"  chakra: {folder}/job\n  comm_groups: {folder}/groups.json"


def workload(draw, npus, folder):
    kind = draw.random()
    if kind < 0.35:
        return traces(draw, npus, folder)
    if kind < 0.6:
        layers = "\n".join(f"      - {{name: l{n}, parameters: {draw.randint(1, 60) * 1000}, "
                           f"forward_operations: {draw.randint(1, 400) * 1000000}}}" for n in range(draw.randint(1, 5)))
        return f"""  workload: random layers
  layers:
    model: random
    layers:
{layers}
  data_parallel: {draw.randint(2, npus)}
  batch_per_npu: 1
  bytes_per_element: 4
  bucket_bytes: {draw.choice([16, 64, 1024])} KiB
  effective_rate: 400 TFLOPS
  overlap: {draw.choice(['true', 'false'])}"""
    pp = draw.randint(1, 4)
    mp = draw.choice([m for m in (1, 1, 2, 2, 3, 4, 5, 8) if m * pp <= npus])
    dp = draw.randint(1, min(npus // (mp * pp), 10))
    if mp * dp * pp == 1:
        dp = 2
    heads = mp * draw.choice([2, 4])
    hidden = heads * draw.choice([16, 32])
    microbatches = draw.randint(1, 4)
    return f"""  workload: random transformer
  model:
    model: random
    transformer:
      {{layers: {max(pp, draw.randint(1, 5))}, hidden: {hidden}, heads: {heads}, sequence: {draw.choice([64, 128])},
       vocabulary: 1000}}
  parallelism: MP({mp})-DP({dp})-PP({pp})
  element_bytes: 4
  placement: {draw.choice(['paper', 'row_major', 'random', 'contiguous'])}
  samples_per_replica: {microbatches * draw.randint(1, 2)}
  microbatches: {microbatches}
  uneven: fractional
  zero_stage: {draw.randint(0, 3)}
  schedule: {draw.choice(['gpipe', '1f1b']) if pp > 1 else '1f1b'}
  stage_transfer: {draw.choice(['peer', 'multicast']) if mp > 1 and pp > 1 else 'peer'}
  effective_flops: {draw.choice([20, 50, 200])} TFLOPS"""


def results(tool, experiment, folder, more):
    done = subprocess.run([tool, "run", str(experiment), "--out", str(folder), *more], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(more)}: {(done.stderr.strip() or done.stdout.strip())[:400]}")
    found = json.loads((folder / "results.json").read_text())
    found.pop("host")
    return json.dumps(found)


def difference(one, other):
    at = next((k for k, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"{one[max(at - 120, 0):at + 40]!r} and {other[max(at - 120, 0):at + 40]!r}"


def outcome(tool, number, folder):
    """What is wrong with a job; None: nothing."""
    draw = random.Random(number)
    text, wafers, npus = platform(draw)
    experiment = folder / "experiment.yaml"
    experiment.write_text(f"experiment: random job {number}\nplatform:\n{text}\nworkload:\n{workload(draw, wafers * npus, folder)}\n"
                          f"iterations: {draw.randint(1, 3)}\nbarrier: {draw.choice(['true', 'false'])}\n")
    try:
        alone = results(tool, experiment, folder / "one", [])
        for processes in range(2, min(wafers, 4) + 1):
            more = ["--processes", str(processes)]
            if draw.random() < 0.5:
                dealing = list(range(processes)) + [draw.randrange(processes) for _ in range(wafers - processes)]
                draw.shuffle(dealing)
                (folder / "dealing.txt").write_text("\n".join(map(str, dealing)))
                more += ["--deal", str(folder / "dealing.txt")]
            together = results(tool, experiment, folder / "several", more)
            if together != alone:
                return f"{' '.join(more)}: {difference(alone, together)}"
    except RuntimeError as error:  # uneven parts of a transformer cannot carry values
        return None if "functional mode carries int32 values" in str(error) else str(error)
    return None


def main(outcome, description):
    """Of the jobs that the command line asks for, those of which outcome(tool, number, folder) says something is wrong."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve())
    wrong = 0
    for number in range(arguments.first, arguments.first + arguments.jobs):
        with tempfile.TemporaryDirectory() as name:
            problem = outcome(tool, number, pathlib.Path(name))
            if problem:
                wrong += 1
                print(f"job {number}: {problem}", flush=True)
                if arguments.keep:
                    shutil.copytree(name, arguments.keep / str(number), dirs_exist_ok=True)
    print(f"{arguments.jobs} jobs, {wrong} different or failed")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main(outcome, __doc__)
