#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`trace synthesize`: what is made of a model of traces behaves as they do, and says little of them.

    synthesize_test.py WAFERTLM

Of a GPT, a mixture of experts and a DLRM, generated, and of the public sample traces of 64 ranks where they are at hand:
 - with a bound of 0 the simulated time is the same to the picosecond: nothing of the structure is lost;
 - with 5 % the iteration takes as long within 5 %, and exposed communication is the same within 10 %, on three platforms
   (learning sees none); sizes are within the bound; no connected part of more than 3 nodes is as in the source;
 - more layers and more ranks, made of the model, take as long as the workload that is generated so;
 - attacks: how many layers are recognised, and whether families of models are told apart.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOOL = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared" / "traces"
MESH = ROOT / "configs/platforms/wafer_mesh_5x4.yaml"
FRED = ROOT / "configs/platforms/fred_d.yaml"
BIG_PACKETS = "wafer.fabric.packet_bytes=64KiB"
SLOW = "wafer.fabric.link_bandwidth=50GB/s"
PLATFORMS = [(MESH, [BIG_PACKETS]), (MESH, [BIG_PACKETS, SLOW]), (FRED, [BIG_PACKETS])]
MESH_64 = ROOT / "configs/platforms/wafer_mesh_8x8.yaml"
HUGE = "wafer.fabric.packet_bytes=1MiB"
PLATFORMS_64 = [(MESH_64, [HUGE, SLOW]), (MESH_64, [HUGE, "wafer.fabric.link_bandwidth=2GB/s"]),
                (MESH_64, [HUGE, "wafer.fabric.link_latency=2us", SLOW])]

GPT = """
workload: small GPT
model: {{model: small, transformer: {{layers: {layers}, hidden: {hidden}, heads: 8, sequence: 512, vocabulary: 8192}}}}
parallelism: {parallelism}
samples_per_replica: 4
microbatches: {microbatches}
zero_stage: 1
effective_flops: 400 TFLOPS
"""
MOE = """
workload: small mixture of experts
model: {{model: small, transformer: {{layers: {layers}, hidden: {hidden}, heads: 8, sequence: 512, vocabulary: 8192, experts: 4,
  experts_per_token: 2}}}}
parallelism: MP(2)-DP(4)
expert_parallel: 4
samples_per_replica: 4
microbatches: 2
effective_flops: 400 TFLOPS
"""
DLRM = """
workload: small DLRM
model: {{model: small, dlrm: {{bottom: [13, 512, 256, {width}], top: [1024, 1024, 512, 256, 1], tables: 16, rows_per_table: 1000}}}}
parallelism: DP(8)
expert_parallel: 8
samples_per_replica: {samples}
effective_flops: 100 TFLOPS
"""
RESNET = """
workload: small ResNet
model: {{model: small, resnet: {blocks}}}
parallelism: DP(8)
samples_per_replica: {samples}
effective_flops: 400 TFLOPS
"""


def tool(*arguments, code=0):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


class Job:
    """Traces with their groups."""

    def __init__(self, prefix, groups=None):
        self.prefix = pathlib.Path(prefix)
        groups = groups or pathlib.Path(f"{prefix}.comm_groups.json")
        self.groups = groups if groups.exists() else None

    def group_options(self):
        return ["--comm-groups", self.groups] if self.groups else []

    def run(self, folder, platform):
        """Iteration time in ps, and the mean exposed communication of its ranks in s."""
        file, settings = platform
        workload = {"workload": "traces", "chakra": str(self.prefix.resolve())}
        if self.groups:
            workload["comm_groups"] = str(self.groups.resolve())
        experiment = folder / "experiment.yaml"
        experiment.write_text(json.dumps({"experiment": "traces", "platform": str(file), "workload": workload, "iterations": 1}))
        tool("run", experiment, "--out", folder / "run", "--force", *[part for each in settings for part in ("--set", each)])
        iteration = json.loads((folder / "run/results.json").read_text())["iterations"][0]
        exposed = sum(time for name, time in iteration["breakdown_mean_s"].items() if name.startswith("exposed"))
        return iteration["time_ps"], exposed


def generated(folder, name, text, **values):
    (folder / f"{name}.yaml").write_text(text.format(**values))
    tool("workload", "generate", folder / f"{name}.yaml", "--out", folder / name)
    return Job(folder / name / name)


def synthesized(job, out, *options):
    text = tool("trace", "synthesize", job.prefix, *job.group_options(), "--out", out, *options)
    return Job(out), text


def size_change(text):
    return float(text.split("place in the source: ")[1].split(" %")[0])


def check_likeness(folder, name, job, platforms):
    _, text = made = synthesized(job, folder / "made" / name)
    assert 0 < size_change(text) <= 5, text
    assert "that is as in the source has more than 0 nodes" in text, text
    for platform in platforms:
        (time, exposed), (made_time, made_exposed) = job.run(folder, platform), made[0].run(folder, platform)
        off, off_exposed = made_time / time - 1, made_exposed / exposed - 1 if exposed else 0
        print(f"{name:10} {platform[0].stem} {' '.join(platform[1][1:])}: time {100 * off:+.2f} %, exposed communication "
              f"({100e12 * exposed / time:.1f} % of it) {100 * off_exposed:+.2f} %")
        assert abs(off) <= 0.05 and abs(off_exposed) <= 0.10, (name, platform, off, off_exposed)
    print("\n".join(line for line in text.splitlines() if "attack" in line or "size of" in line or "kernel" in line))


def likeness(folder):
    jobs = {"GPT": generated(folder, "gpt", GPT, layers=8, hidden=1024, parallelism="MP(2)-DP(2)-PP(2)", microbatches=4),
            "MoE": generated(folder, "moe", MOE, layers=4, hidden=1024),
            "DLRM": generated(folder, "dlrm", DLRM, width=128, samples=1024)}
    for name, job in jobs.items():
        exact, text = synthesized(job, folder / "exact" / name, "--bound", "0")
        assert size_change(text) == 0 and exact.run(folder, PLATFORMS[0]) == job.run(folder, PLATFORMS[0]), text
        check_likeness(folder, name, job, PLATFORMS)
    return jobs


def identical_parts(folder):
    """Nodes without time or size cannot change: five in a row are more than are allowed."""
    nodes = [{"Id": i, "Name": f"n{i}", "NodeType": 4, "data_deps": [i - 1] if i else [], "runtime": 100 if i == 5 else 0,
              "is_cpu_op": True} for i in range(8)]
    (folder / "empty.0.json").write_text(json.dumps({"workload_graph": nodes}))
    job = Job(folder / "empty")
    error = tool("trace", "synthesize", job.prefix, "--out", folder / "refused", code=2)
    assert "a connected part of up to 5 nodes is as in the source, and --identical allows 3" in error, error
    assert not list(folder.glob("refused*"))
    _, text = synthesized(job, folder / "allowed", "--identical", "5")
    assert "has more than 5 nodes" in text, text


def samples(folder):
    names = ["MLP_HybridParallel_Data_Model"]
    if int(os.environ.get("WAFERTLM_CASES", "1")) > 1:  # half a minute
        names.append("Resnet50_DataParallel")
    for name in names:
        if (SAMPLES / name).exists():
            check_likeness(folder, name[:6], Job(SAMPLES / name / name), PLATFORMS_64)
        else:
            print(f"{name} is not at hand: left out")


def what_ifs(folder, jobs):
    """Against the workload that is generated as the question says."""
    cases = [("--layers", 8, dict(layers=16, parallelism="MP(2)-DP(2)-PP(2)")),
             ("--ranks", 16, dict(layers=8, parallelism="MP(2)-DP(4)-PP(2)"))]
    for option, value, changes in cases:
        truth = generated(folder, "truth", GPT, hidden=1024, microbatches=4, **changes)
        made, text = synthesized(jobs["GPT"], folder / "what_if", "--bound", "0", option, value)
        time, made_time = (job.run(folder, PLATFORMS[0])[0] for job in (truth, made))
        print(f"GPT {option} {value}: time {100 * (made_time / time - 1):+.2f} % of the generated one's")
        assert "layers: 4 " in text and abs(made_time / time - 1) <= 0.05, (option, made_time, time, text)


def model_files(folder, jobs):
    """A model does what learning and making at once do; it holds no name; its mistakes are found."""
    job = jobs["MoE"]
    learned = folder / "moe.json"
    synthesized(job, folder / "direct", "--form", "json", "--learn", learned)
    tool("trace", "synthesize", "--model", learned, "--out", folder / "from_file", "--form", "json")
    for rank in range(8):
        texts = [pathlib.Path(f"{folder / name}.{rank}.json").read_text() for name in ("direct", "from_file")]
        assert texts[0] == texts[1]
    assert len(learned.read_text()) < 20000 and "attention" not in learned.read_text() + texts[0]
    good = json.loads(learned.read_text())
    for change, place in [(lambda model: model.update(layer=1), 'unknown key "layer"'),
                          (lambda model: model["kinds"][0].update(type="COMPUTE"), "kinds[0].type: no such type: COMPUTE"),
                          (lambda model: model["behaviours"][0]["ranks"].pop(), "behaviours[0]: has no ranks"),
                          (lambda model: model["behaviours"][0]["steps"][0].update(kind=99), "steps[0].kind: must be from 0 to"),
                          (lambda model: model.pop("bound"), '"bound" is missing')]:
        bad = json.loads(json.dumps(good))
        change(bad)
        (folder / "bad.json").write_text(json.dumps(bad))
        error = tool("trace", "synthesize", "--model", folder / "bad.json", "--out", folder / "none", code=2)
        assert place in error and "bad.json" in error, error
    for options, what in [(["--model", learned], "nothing to write"), (["--out", folder / "none"], "nothing to learn of"),
                          ([job.prefix, "--out", folder / "none"], "see --comm-groups"),
                          ([job.prefix, *job.group_options(), "--out", job.prefix], "would be overwritten"),
                          (["--model", learned, "--bound", "1", "--out", folder / "none"], "--bound is about learning"),
                          (["--model", learned, "--ranks", "12", "--out", folder / "none"], "multiple or a divisor"),
                          (["--model", learned, "--ranks", "4", "--out", folder / "none"], "would be cut")]:
        assert what in tool("trace", "synthesize", *options, code=2), options
    assert not list(folder.glob("none*"))


def families(folder, jobs):
    """An attacker who knows other models of each family tells which one the made traces are of."""
    known = {"gpt": generated(folder, "gpt_b", GPT, layers=6, hidden=512, parallelism="MP(2)-DP(4)", microbatches=2),
             "moe": generated(folder, "moe_b", MOE, layers=6, hidden=512),
             "dlrm": generated(folder, "dlrm_b", DLRM, width=64, samples=512),
             "resnet": generated(folder, "resnet_b", RESNET, blocks=[2, 2, 2, 2], samples=16)}
    cases = [("gpt", jobs["GPT"]), ("moe", jobs["MoE"]), ("dlrm", jobs["DLRM"]),
             ("resnet", generated(folder, "resnet", RESNET, blocks=[3, 4, 6, 3], samples=32)),
             ("gpt", generated(folder, "gpt_c", GPT, layers=12, hidden=2048, parallelism="MP(4)-DP(2)", microbatches=1))]
    right = 0
    for family, job in cases:
        _, text = synthesized(job, folder / "attacked", "--force", "--bound", "20", "--suspects",
                              *[each.prefix for each in known.values()])
        right += f"most like {known[family].prefix}, of 4 suspects" in text
    print(f"families told apart with a bound of 20 %: {right} of {len(cases)}")
    assert right >= 4  # the order of operations and the mix of collectives stay, and the README says so


with tempfile.TemporaryDirectory() as place:
    FOLDER = pathlib.Path(place)
    JOBS = likeness(FOLDER)
    identical_parts(FOLDER)
    what_ifs(FOLDER, JOBS)
    model_files(FOLDER, JOBS)
    families(FOLDER, JOBS)
    samples(FOLDER)
print("made traces behave as those that they were learned from")
