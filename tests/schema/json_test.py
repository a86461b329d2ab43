#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What commands write with --json against `wafertlm schema COMMAND`, and that it sees an unknown field:  json_test.py WAFERTLM

Exit code 77: Debian's python3-jsonschema is not there (./setup.sh --tests).
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(77)

TOOL = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STUDIES, PLATFORMS, RUN = ROOT / "configs/studies", ROOT / "configs/platforms", "resnet50_dp20_mesh_5x4"
# Of each command with --json, some of what it writes. {out} is a folder of the test.
EXAMPLES = {
    "precision": ["precision_inference", "precision_training"],
    "yield": ["wafer_20x20 --set wafers=100", "die_68x170 --set wafers=100"],
    "goodput": ["llama3_405b --set seeds=2"],
    "comet": [f"{STUDIES}/comet_transformer_1t.yaml", f"{STUDIES}/comet_transformer_1t.yaml --point MP8_DP128",
              f"{STUDIES}/comet_dlrm.yaml --point N64"],
    "pipeline": [f"{STUDIES}/pipeline_small.yaml"],
    "partition": [f"{STUDIES}/partition_small.yaml"],
    "tune": [f"{STUDIES}/tune_moe.yaml"],
    "collective": [f"{PLATFORMS}/wafer_mesh_5x4.yaml --type all_reduce --size 64KiB,1MiB",
                   f"{PLATFORMS}/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB --choices",
                   f"{PLATFORMS}/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB --explain-bound"],
    "traffic": [f"{PLATFORMS}/wafer_mesh_5x4.yaml --load 0.05:0.1:0.05 --measure 2000 --set wafer.fabric.link_bandwidth=1TB/s"],
    "synthesize": [f"{PLATFORMS}/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB --out {{out}}/made.xml"],
    "workload show": [str(ROOT / "configs/workloads/dlrm_dp20.yaml"), str(ROOT / "configs/workloads/resnet50_dp20.yaml")],
    "trace stats": ["{out}/job/resnet50_dp20", "{out}/job/resnet50_dp20 --against {out}/job/resnet50_dp20"],
    "run": [f"{RUN} --set workload.batch_per_npu=1 --out {{out}}/a"],
    "compare": ["{out}/a {out}/a --out {out}/compare.html"],
    "explain": ["{out}/a --quick"],
    "model cores collective": ["wse2 --cores 12x5 --wavelets 8", "wse2 --cores 6x1 --type broadcast"],
    "model cores product": ["wse2 --cores 8x8 --shape 64x64x64"],
    "model cores decoder": ["wse2 --cores 8x8 --d-model 64 --d-ff 96 --n-layers 2 --tokens 32"],
    "validate": ["clusters --only hw059,hw136", "{out}/rows.csv"],
}
# Not yet described.
WITHOUT = {"astra-sim", "libra", "model fred counts", "model fred routes", "model memory compare", "model memory stream",
           "model memory-engine", "rtl replay", "rtl stress", "study status",
           # What they say is small, or a list of files.
           "check", "completion", "help", "keys", "man", "model memory table", "new", "optimize", "presets", "rtl designs", "rtl export", "schema", "study",
           "study resume", "trace check", "trace classify", "trace convert", "trace diff", "trace edit", "trace export", "trace import", "trace info",
           "trace obfuscate", "trace synthesize", "workload generate"}


def output(*words, **more):
    return subprocess.run([TOOL, *words], check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def planted(value):
    """The value with an unknown field in each of its objects in turn."""
    if isinstance(value, dict):
        yield {**value, "planted_key": 1}
        for key, below in value.items():
            for changed in planted(below):
                yield {**value, key: changed}
    elif isinstance(value, list) and value:
        for changed in planted(value[0]):
            yield [changed, *value[1:]]


with tempfile.TemporaryDirectory() as out:
    # Every page that has --json is of a command above.
    output("man", "--out", f"{out}/man")
    with_json = {page.stem.removeprefix("wafertlm-").replace("-", " ")
                 for page in pathlib.Path(out, "man").glob("wafertlm-*.1") if "\n\\fB\\-\\-json\\fR" in page.read_text()}
    known = {name.replace("-", " ") for name in (*EXAMPLES, *WITHOUT)}
    assert not with_json - known, f"no example of {sorted(with_json - known)}"

    output("workload", "generate", str(ROOT / "configs/workloads/resnet50_dp20.yaml"), "--out", f"{out}/job")
    pathlib.Path(out, "rows.csv").write_text("id,system,ranks,topology facts,operation,size or model+parallelism,measured,unit,source\n"
                                             "r1,A100,1,,GEMM FP16,m=n=k=8192,253.7,TFLOP/s,a table\n"
                                             "r2,Abacus,1,,sums,-,1,s,a table\n")
    written = 0
    for name, examples in EXAMPLES.items():
        schema = json.loads(output("schema", *name.split()))
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        for words in examples:
            made = json.loads(output(*name.split(), *words.format(out=out).split(), "--json", "-"))
            errors = list(validator.iter_errors(made))
            assert not errors, f"{name} {words}: {errors[0].message[:300]} at {list(errors[0].absolute_path)}"
            seen = sum(not validator.is_valid(changed) for changed in planted(made))
            assert seen, f"{name} {words}: an unknown field is not seen"
            written += 1
    wrong = subprocess.run([TOOL, "schema", "man"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "has no --json-schema" in wrong.stderr, wrong
print(f"{written} documents of {len(EXAMPLES)} commands follow their schema")
