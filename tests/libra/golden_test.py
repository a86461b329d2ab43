#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wafertlm libra` against numbers computed independently from LIBRA's own files (codesign.md, section 1), and random
networks and workloads against a convex solver of its own (solver.py).

    golden_test.py WAFERTLM [LIBRA_FOLDER]
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import solver

TOOL = sys.argv[1]
SHARED = pathlib.Path(os.environ.get("WAFERTLM_SHARED", pathlib.Path(__file__).resolve().parents[3] / "shared"))
INPUTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else SHARED / "inputs" / "libra"


def libra(*arguments):
    done = subprocess.run([TOOL, "libra", "--json", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"libra {' '.join(map(str, arguments))}: {done.stderr}")
    return json.loads(done.stdout)


def near(what, value, expected, tolerance):
    if abs(value / expected - 1) > tolerance:
        sys.exit(f"{what}: {value}, expected {expected} within {tolerance:g}")


def files(workload, communicator, dimensions="3d"):
    return ["--network", INPUTS / f"network/{dimensions}_network.yml", "--workload", INPUTS / f"workload/{workload}.txt",
            "--communicator", INPUTS / f"communicator/{communicator}.yml",
            "--cost-model", INPUTS / f"cost_model/{dimensions}_cost_model.yml"]


# workload, communicator, budget, objective, equal ms, optimum ms, GB/s, $ per NPU
GOLDEN = [("GPT_3", "GPT_3_3d", 1000, "time", 727.5950, 705.9441, (795.1, 180.0, 24.9), 5330),
          ("GPT_3", "GPT_3_3d", 100, "time", 1115.9163, 899.4069, (79.5, 18.0, 2.49), 533),
          ("Turing_NLG", "Turing_NLG_3D", 1000, "time", 332.0393, 328.8871, (937.7, 54.7, 7.57), 4404),
          ("GPT_3", "GPT_3_3d", 1000, "time-cost", 727.5950, 730.6242, (972.0, 24.6, 3.41), 4182)]


def golden():
    for workload, communicator, budget, objective, equal, optimum, bandwidths, cost in GOLDEN:
        answer = libra(*files(workload, communicator), "--budget", budget, "--objective", objective)
        best = answer["optimum"]
        near("equal", answer["equal"]["time_s"] * 1e3, equal, 1e-4)
        near("optimum", best["time_s"] * 1e3, optimum, 1e-4)
        near("cost", best["cost_per_npu"], cost, 1e-2)
        for found, expected in zip(best["bandwidth_bytes_per_s"], bandwidths):
            near("bandwidth", found / 1e9, expected, 0.02)
        assert 0 <= answer["certificate"]["gap"] <= 1e-6, answer["certificate"]
    product = lambda design: design["time_s"] * design["cost_per_npu"]
    near("T·C", product(answer["equal"]) / product(best), 5.19, 1e-3)
    both = libra(*files("GPT_3", "GPT_3_3d"), "--budget", 1000, "--workload", INPUTS / "workload/Turing_NLG.txt",
                 "--communicator", INPUTS / "communicator/Turing_NLG_3D.yml")
    near("GPT-3 on the network of Turing-NLG", (1 + both["regret"]["by_own"][1][0]) * 705.9441, 713.43, 1e-4)
    four = libra(*files("GPT_3", "GPT_3_4d", "4d"), "--constraint", "sum = 1000", "--constraint", "B0 = 500",
                 "--constraint", "B0 >= B1", "--constraint", "B1 >= B2", "--constraint", "B2 + B3 = 200")
    found = [each / 1e9 for each in four["optimum"]["bandwidth_bytes_per_s"]]
    near("B0", found[0], 500, 1e-6), near("B2 + B3", found[2] + found[3], 200, 1e-6), near("sum", sum(found), 1000, 1e-6)


def random_case(seed, folder):
    rng = random.Random(seed)
    count = rng.randint(1, 5)
    sizes = [rng.choice([2, 4, 8, 16, 32]) for _ in range(count)]
    groups = [[rng.choice([-1, size]) for size in sizes] for _ in range(3)]
    rows, terms, compute = [], [], 0
    for layer in range(rng.randint(1, 6)):
        fields = [f"layer{layer}", "-1"]
        for group in groups:
            kind = rng.choice(["NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL"])
            size = 0 if kind == "NONE" else int(10 ** rng.uniform(5, 9))
            nanoseconds = rng.randint(0, 10**7)
            compute += nanoseconds
            fields += [str(nanoseconds), kind, str(size)]
            sent = solver.traffic(kind, size, group)
            if any(sent):
                terms.append(sent)
        rows.append(" ".join([*fields, "10"]))
    if not terms:
        return False
    (folder / "workload.txt").write_text("\n".join(rows) + "\n")
    shapes = [rng.choice(["Ring", "FullyConnected", "Switch"]) for _ in sizes]
    (folder / "network.yml").write_text(f"Topology: {shapes}\nNpusCount: {sizes}\nCostDimension: {['Any'] * count}\n".replace("'", ""))
    names = ["Forward", "InputGrad", "WeightGrad"]
    (folder / "communicator.yml").write_text("".join(f"{name}: {group}\n" for name, group in zip(names, groups)))
    budget = rng.uniform(50, 2000)
    inputs = ["--network", folder / "network.yml", "--workload", folder / "workload.txt",
              "--communicator", folder / "communicator.yml", "--budget", budget]
    caps = [float("inf")] * count
    if count > 1 and rng.random() < 0.5:
        caps[0] = rng.uniform(0.05, 0.6) * budget
        inputs += ["--constraint", f"B0 <= {caps[0]!r}"]
    answer = libra(*inputs, "--budget-is", "<=")
    value, bound = solver.minimise(compute, terms, budget, caps)
    # The solver here brackets the optimum; what the tool found must lie in the bracket.
    time = answer["optimum"]["time_s"] * 1e9
    assert bound * (1 - 1e-6) <= time <= value * (1 + 1e-6), (seed, bound, time, value)
    assert answer["certificate"]["gap"] <= 1e-6, (seed, answer["certificate"])
    return True


def main():
    if INPUTS.is_dir():
        golden()
    elif os.environ.get("CI") == "true":
        sys.exit(f"no inputs of LIBRA at {INPUTS}")
    else:
        print(f"left out, no inputs of LIBRA at {INPUTS}; set WAFERTLM_SHARED")
    cases = 10 * int(os.environ.get("WAFERTLM_CASES", "1"))
    with tempfile.TemporaryDirectory() as folder:
        done = sum(random_case(seed, pathlib.Path(folder)) for seed in range(cases))
    print(f"{len(GOLDEN)} golden rows, {done} random networks and workloads")


if __name__ == "__main__":
    main()
