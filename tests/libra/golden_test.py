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
import re
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


PUBLISHED = {"GPT_3": ("GPT_3_3d", "GPT_3_4d"), "MSFT_1T": ("MSFT_1T_3d", "MSFT_1T_4d"),
             "Turing_NLG": ("Turing_NLG_3D", "Turing_NLG_4D"), "ResNet_50": ("ResNet_50_3d", "ResNet_50_4d")}


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


def terms_of(workload, groups):
    """(ns of computation, bytes by dimension of each collective), from LIBRA's files."""
    compute, terms = 0, []
    for line in (INPUTS / f"workload/{workload}.txt").read_text().splitlines():
        fields = line.split()
        for number, group in enumerate(groups):
            nanoseconds, kind, size = fields[2 + 3 * number:5 + 3 * number]
            compute += int(nanoseconds)
            sent = solver.traffic(kind, int(size), group)
            if any(sent):
                terms.append(sent)
    return compute, terms


def groups_of(communicator):
    lines = (INPUTS / f"communicator/{communicator}.yml").read_text().splitlines()
    found = dict(re.match(r"(\w+): \[(.*)\]", line).groups() for line in lines if line[:1].isalpha())
    return [[int(size) for size in found[name].split(",")] for name in ("Forward", "InputGrad", "WeightGrad")]


def all_published(budget=1000):
    """Each workload of LIBRA on both networks: the bracket of the solver here; closed forms where there are some. In
    GPT-3's four dimensions model and data parallelism share the fully connected one, for which there is none."""
    for workload, communicators in PUBLISHED.items():
        for dimensions, communicator in zip(("3d", "4d"), communicators):
            compute, terms = terms_of(workload, groups_of(communicator))
            best = libra(*files(workload, communicator, dimensions), "--budget", budget)["optimum"]
            caps = [float("inf")] * len(terms[0])
            value, bound, bandwidths = solver.minimise(compute, terms, budget, caps)
            what = f"{workload} in {dimensions}"
            assert bound * (1 - 1e-6) <= best["time_s"] * 1e9 <= value * (1 + 1e-6), (what, bound, best["time_s"], value)
            near(what, best["time_s"] * 1e9, value, 1e-6)
            for found, expected in zip(best["bandwidth_bytes_per_s"], bandwidths):
                near(f"{what}, bandwidth", found / 1e9, expected, 0.02)
            classes = {}
            for term in terms:
                used = tuple(d for d, amount in enumerate(term) if amount)
                classes[used] = classes.get(used, 0) + sum(term)
            if sum(map(len, classes)) == len(set().union(*classes)):  # on dimensions of their own
                roots = sum(amount**0.5 for amount in classes.values())
                near(f"{what}, closed form", best["time_s"] * 1e9, compute + roots**2 / budget, 1e-9)
            elif (workload, dimensions) != ("GPT_3", "4d"):
                sys.exit(f"{what}: expected a closed form")
    tensor, data, gathered = 805306368, 452984832, 50331648  # by hand
    first, last = terms_of("GPT_3", groups_of("GPT_3_4d"))[1][0], [0, data, data * 3 / 4, data / 4 * 31 / 32]
    assert sorted(terms_of("GPT_3", groups_of("GPT_3_4d"))[1]) == sorted(
        8 * [[1.5 * tensor, 0.375 * tensor, 0, 0]] + 2 * [[12 * gathered, 3 * gathered, 0, 0]] + [last]), first


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
    value, bound, _ = solver.minimise(compute, terms, budget, caps)
    # The solver here brackets the optimum; what the tool found must lie in the bracket.
    time = answer["optimum"]["time_s"] * 1e9
    assert bound * (1 - 1e-6) <= time <= value * (1 + 1e-6), (seed, bound, time, value)
    assert answer["certificate"]["gap"] <= 1e-6, (seed, answer["certificate"])
    return True


def main():
    if INPUTS.is_dir():
        golden()
        all_published()
    elif os.environ.get("CI") == "true":
        sys.exit(f"no inputs of LIBRA at {INPUTS}")
    else:
        print(f"left out, no inputs of LIBRA at {INPUTS}; set WAFERTLM_SHARED")
    cases = 10 * int(os.environ.get("WAFERTLM_CASES", "1"))
    with tempfile.TemporaryDirectory() as folder:
        done = sum(random_case(seed, pathlib.Path(folder)) for seed in range(cases))
    print(f"{len(GOLDEN)} golden rows, {2 * len(PUBLISHED)} published cases, {done} random networks and workloads")


if __name__ == "__main__":
    main()
