#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random data- and tensor-parallel jobs on fabrics of dimensions, with run.acceleration off, exact and verify: equal, byte for byte?

    random_places.py WAFERTLM [--jobs 20] [--first 0 | --numbers N ...] [--verify 10] [--limit 120]

A job has ResNet-50's layers or a transformer on 4 to 64 NPUs in one to three dimensions (rings, switches, full connections),
mostly with a group per dimension; bytes that divide evenly or not, one iteration or several; some with a straggler, jitter
or a link that differs. Job N is the same on every machine. Every --verify'th one also runs with verify.
Prints a line for each job that differs or fails, how many were simulated with one NPU in place of all, and why others not.
Exit code 1: a difference, a run that failed, or fewer than a third with one NPU.
"""
import collections
import pathlib
import random
import sys
import tempfile

import compare_presets


def power_of_two(number):
    return number & (number - 1) == 0


def fabric(draw):
    """Lines of the fabric, its sizes, and the algorithm of each dimension."""
    sizes, lines, ways = [], [], []
    for _ in range(draw.choice([1, 1, 2, 2, 3])):
        topology = draw.choice(["ring", "ring", "switch", "switch", "fully_connected"])
        most = 64 if not sizes else max(2, 64 // (sizes[0] * (sizes[1] if len(sizes) > 1 else 1)))
        size = min(draw.choice([2, 3, 4, 4, 5, 8, 8, 16]), most)
        sizes.append(size)
        lines.append(f"      - {{topology: {topology}, size: {size}, bandwidth: {draw.randint(1, 900)} GB/s, "
                     f"latency: {draw.randint(1, 900)} ns}}\n")
        ways.append("ring" if topology == "ring"
                    else "halving_doubling" if power_of_two(size) and draw.random() < 0.7 else "direct")
    return "".join(lines), sizes, ways


def platform(draw, sizes_lines_ways):
    lines, sizes, ways = sizes_lines_ways
    differ = draw.random()
    text = f"""platform: random places
wafer:
  fabric:
    kind: dimensional
    transport: messages
    ring_opposite: {draw.choice(['up', 'up', 'both_ways'])}
    switch_mode: {draw.choice(['cut_through', 'cut_through', 'store_and_forward'])}
    time_step: {draw.choice(['0 ps', '0 ps', '1 ns'])}
    dimensions:
{lines}"""
    if differ < 0.06:
        text += "    other_links: [{npu: 1, dimension: 0, bandwidth: 3 GB/s, latency: 7 ns}]\n"
    text += f"""npu:
  peak: {draw.choice([1, 10])} PFLOPS
  endpoint: {{step_cost: {draw.randint(0, 900)} ns, receive_cost: {draw.randint(0, 900)} ns{draw.choice(['', ', reduction_bandwidth: 1600 GB/s'])}}}
"""
    if 0.06 <= differ < 0.12:
        text += "  compute: {stragglers: [{npu: 1, slowdown_percent: 120}]}\n"
    elif 0.12 <= differ < 0.18:
        text += "  compute: {jitter: uniform, jitter_percent: 5}\n"
    text += f"""collectives:
  algorithm: dimensional
  chunks: {draw.choice([1, 2, 4])}
  dimensions: {{order: {draw.choice(['ascending', 'local_bandwidth_aware', 'themis'])}, all_reduce: [{', '.join(ways)}], all_gather: [{', '.join(ways)}],
    reduce_scatter: [{', '.join(ways)}], active_chunks: {draw.choice(['auto', '1'])}, within: {draw.choice(['fifo', 'smallest_first'])}}}
sequencer: {{order: {draw.choice(['fifo', 'lifo', 'lowest_id'])}}}
"""
    return text


def workload(draw, sizes):
    npus = 1
    for size in sizes:
        npus *= size
    if npus < 2 or draw.random() < 0.4:
        return (f"  layers: resnet50\n  data_parallel: {npus}\n  batch_per_npu: {draw.randint(1, 4)}\n"
                f"  bucket_bytes: {draw.choice(['1 MiB', '25 MiB'])}\n  effective_rate: {draw.randint(1, 400)} TFLOPS\n"
                f"  bytes_per_element: 2\n  overlap: true\n")
    mp = draw.choice([1, sizes[0], sizes[0]])
    heads = mp * draw.choice([1, 2])
    hidden = heads * draw.choice([64, 128, 60])
    return f"""  model:
    model: random
    transformer: {{layers: {draw.randint(1, 3)}, hidden: {hidden}, heads: {heads}, sequence: {draw.choice([64, 128, 100])}, vocabulary: {draw.choice([1024, 4096, 1000])}}}
  parallelism: MP({mp})-DP({npus // mp})-PP(1)
  samples_per_replica: {draw.randint(1, 2)}
  zero_stage: {draw.randint(0, 3)}
  effective_flops: {draw.choice([200, 500, 900])} TFLOPS
"""


def job(number, folder):
    draw = random.Random(number)
    of_fabric = fabric(draw)
    path = folder / "platform.yaml"
    path.write_text(platform(draw, of_fabric))
    experiment = folder / "experiment.yaml"
    experiment.write_text(f"experiment: random places {number}\nplatform: {path}\nworkload:\n  workload: random places {number}\n"
                          + workload(draw, of_fabric[1])
                          + f"iterations: {draw.randint(1, 3)}\nbarrier: {draw.choice(['true', 'false'])}\n")
    return experiment


def outcome(tool, number, arguments, folder):
    """What is wrong with a job, or None; and how it was simulated."""
    path = job(number, folder)
    try:
        _, off = compare_presets.run(tool, path, "off", [], arguments.limit, folder / "off")
    except RuntimeError as error:
        if "collectives.dimensions." in str(error) or "collectives.algorithm" in str(error):
            return None, "refused: a group is no box"
        return f"failed: {str(error).splitlines()[-1]}", None
    try:
        _, fast = compare_presets.run(tool, path, "exact", [], arguments.limit, folder / "exact")
        if arguments.verify and number % arguments.verify == 0:
            compare_presets.run(tool, path, "verify", [], arguments.limit, folder / "verify")
    except RuntimeError as error:
        return f"failed: {str(error).splitlines()[-1]}", None
    if off is None or fast is None:
        return None, f"over {arguments.limit} s"
    places = fast["host"]["accelerated"].get("equal_places", {"off_because": "the wiring differs"})
    difference = compare_presets.first_difference(compare_presets.without_what_may_differ(fast),
                                                  compare_presets.without_what_may_differ(off))
    return difference and f"differs: {difference}", "one NPU" if "npus" in places else places["off_because"].split(" in node ")[0]


def main():
    parser = compare_presets.numbered_jobs(__doc__)
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve())
    wrong, counts = 0, collections.Counter()
    numbers = compare_presets.numbers_of(arguments)
    for number in numbers:
        with tempfile.TemporaryDirectory() as name:
            problem, how = outcome(tool, number, arguments, pathlib.Path(name))
        if problem:
            wrong += 1
            print(f"job {number} {problem}", flush=True)
        counts[how] += 1
    print(f"{len(numbers)} jobs, {wrong} different or failed; {dict(counts)}")
    sys.exit(wrong != 0 or 3 * counts["one NPU"] < len(numbers))


if __name__ == "__main__":
    main()
