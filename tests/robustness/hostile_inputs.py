#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every place where a command reads a user's file, given what is no such file.

    tests/robustness/hostile_inputs.py TOOL [--slots REGEX] [--things REGEX] [--list]

Each must end with exit code 2 and one line that names the file, within 2 s of processor time (10 s of the clock) and 500 MB.
"""
import argparse
import gzip
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGS = ROOT / "configs"
MOST_SECONDS, MOST_BYTES, MOST_CLOCK = 2.0, 500e6, 10.0
PLATFORM = CONFIGS / "platforms/wafer_mesh_5x4.yaml"
GRAPH = CONFIGS / "graphs/fat_tree_16.yaml"


def things(folder):
    """Name of what is no input: how to make it, given its path. What is large is made once."""
    def large(name, write):
        kept = folder / f"large_{name}"
        if not kept.exists():
            write(kept)
        return kept

    def fifo(path):
        os.mkfifo(path)

    def device(path):
        path.symlink_to("/dev/zero")

    def directory(path):
        path.mkdir()

    def sparse(path):
        with open(path, "wb") as file:
            file.truncate(8 << 30)

    def bomb(path):
        def write(kept):
            with gzip.open(kept, "wb", compresslevel=9) as file:
                for _ in range(512):
                    file.write(b"\0" * (1 << 20))
        path.hardlink_to(large("bomb", write))

    def not_text(path):
        path.write_bytes(b"\xff\xfe\xc3\x28 \x80\x81: [\n" * 20)

    def line(path):
        path.hardlink_to(large("line", lambda kept: kept.write_bytes(b"[" * (50 << 20))))

    def words(path):
        path.hardlink_to(large("words", lambda kept: kept.write_bytes(b"1 2 " * (12 << 20))))

    def missing(path):
        assert not path.exists()

    return {f.__name__: f for f in (fifo, device, directory, sparse, bomb, not_text, line, words, missing)}


def experiment(folder, **keys):
    """An experiment in which some keys name files."""
    text = {"experiment": "hostile", "platform": PLATFORM, "workload": "{layers: resnet50, data_parallel: 20, effective_rate: 1 PFLOPS}"}
    text.update(keys)
    file = folder / "experiment.yaml"
    file.write_text("".join(f"{key}: {value}\n" for key, value in text.items()))
    return file


def platform(folder, text):
    file = folder / "platform.yaml"
    file.write_text(f"extends: {PLATFORM}\n" + text)
    return file


def slots():
    """Name: (suffix of the file, words of the command; FILE stands for it, DIR for a folder to write in)."""
    shown = ["--type", "all_reduce", "--size", "64KiB"]
    wafer, graph_platform = str(PLATFORM), str(CONFIGS / "platforms/graph_fat_tree_16.yaml")
    table = {
        "run": (".yaml", ["run", "FILE", "--out", "DIR/out"]),
        "run.platform": (".yaml", ["run", "EXPERIMENT platform=FILE", "--out", "DIR/out"]),
        "run.workload": (".yaml", ["run", "EXPERIMENT workload=FILE", "--out", "DIR/out"]),
        "run.chakra": (".0.et", ["run", "EXPERIMENT workload={chakra: PREFIX}", "--out", "DIR/out"]),
        "run.groups": (".json", ["run", "EXPERIMENT workload={chakra: TRACE, comm_groups: FILE}", "--out", "DIR/out"]),
        "run.placement": (".txt", ["run", str(CONFIGS / "experiments/transformer_17b_mesh.yaml"), "--set", "workload.placement=file:FILE", "--out", "DIR/out"]),
        "run.costs": (".yaml", ["check", wafer, "--costs", "FILE"]),
        "collective": (".yaml", ["collective", "FILE", *shown]),
        "collective.extends": (".yaml", ["collective", "PLATFORM extends: FILE", *shown]),
        "collective.msccl": (".xml", ["collective", wafer, *shown, "--algorithm", "FILE"]),
        "collective.tuned": (".yaml", ["collective", wafer, *shown, "--algorithm", "FILE"]),
        "collective.traces": (".0.et", ["collective", wafer, *shown, "--algorithm", "PREFIX"]),
        "collective.placement": (".txt", ["collective", wafer, *shown, "--parallelism", "MP(2)-DP(5)-PP(2)", "--placement", "file:FILE", "--class", "mp"]),
        "collective.graph": (".yaml", ["collective", graph_platform, *shown, "--set", "wafer.fabric.file=FILE"]),
        "collective.ns3_topology": (".txt", ["collective", str(CONFIGS / "platforms/ethernet_plain_32.yaml"), *shown, "--set", "wafer.fabric.network={topology: ns3, file: FILE}"]),
        "collective.efficiency": (".yaml", ["collective", str(CONFIGS / "platforms/wafer_mesh_5x4_hbm3.yaml"), *shown, "--set", "npu.hbm.efficiency=FILE"]),
        "check": (".yaml", ["check", "FILE"]),
        "traffic": (".yaml", ["traffic", "FILE"]),
        "traffic.permutation": (".txt", ["traffic", str(CONFIGS / "platforms/mesh_8x8_flit.yaml"), "--pattern", "permutation", "--permutation", "FILE", "--load", "0.1"]),
        "traffic.pairs": (".txt", ["traffic", str(CONFIGS / "platforms/mesh_8x8_flit.yaml"), "--pattern", "pairs", "--pairs", "FILE", "--load", "0.1"]),
        "compare": (".json", ["compare", "FILE", "FILE", "--out", "DIR/compare.html"]),
        "explain": (".json", ["explain", "FILE"]),
        "study": (".yaml", ["study", "FILE", "--out", "DIR/out"]),
        "study.resume": ("", ["study", "resume", "FILE"]),
        "optimize": (".yaml", ["optimize", "FILE", "--out", "DIR/out"]),
        "optimize.costs": (".yaml", ["optimize", str(CONFIGS / "studies/optimize_link_and_packet.yaml"), "--costs", "FILE", "--out", "DIR/out"]),
        "tune": (".yaml", ["tune", "FILE"]),
        "comet": (".yaml", ["comet", "FILE"]),
        "pipeline": (".yaml", ["pipeline", "FILE"]),
        "partition": (".yaml", ["partition", "FILE"]),
        "precision": (".yaml", ["precision", "FILE"]),
        "yield": (".yaml", ["yield", "FILE"]),
        "goodput": (".yaml", ["goodput", "FILE"]),
        "synthesize": (".yaml", ["synthesize", "FILE", "--type", "all_reduce", "--out", "DIR/x.xml"]),
        "libra.network": (".yml", ["libra", "--network", "FILE", "--workload", "FILE", "--communicator", "FILE", "--budget", "100"]),
        "libra.workload": (".txt", ["libra", "--network", "LIBRA/network/3d_network.yml", "--workload", "FILE", "--communicator", "LIBRA/communicator/GPT_3_3d.yml", "--budget", "100"]),
        "astra.system": (".json", ["astra-sim", "--workload-configuration", "TRACE", "--system-configuration", "FILE", "--network-configuration", "NETWORK", "--out", "DIR/out"]),
        "astra.network": (".yml", ["astra-sim", "--workload-configuration", "TRACE", "--system-configuration", "SYSTEM", "--network-configuration", "FILE", "--out", "DIR/out"]),
        "astra.memory": (".json", ["astra-sim", "--workload-configuration", "TRACE", "--system-configuration", "SYSTEM", "--network-configuration", "NETWORK", "--remote-memory-configuration", "FILE", "--out", "DIR/out"]),
        "astra.groups": (".json", ["astra-sim", "--workload-configuration", "TRACE", "--system-configuration", "SYSTEM", "--network-configuration", "NETWORK", "--comm-group-configuration", "FILE", "--out", "DIR/out"]),
        "astra.workload": (".0.et", ["astra-sim", "--workload-configuration", "PREFIX", "--system-configuration", "SYSTEM", "--network-configuration", "NETWORK", "--out", "DIR/out"]),
        "trace.info": (".0.et", ["trace", "info", "FILE"]),
        "trace.check": (".0.et", ["trace", "check", "FILE"]),
        "trace.check.json": (".json", ["trace", "check", "FILE"]),
        "trace.check.groups": (".json", ["trace", "check", "TRACE", "--comm-groups", "FILE"]),
        "trace.convert": (".et.gz", ["trace", "convert", "FILE", "--to", "json", "--out", "DIR/out"]),
        "trace.import": (".json", ["trace", "import", "--kineto", "FILE", "--out", "DIR/out/job"]),
        "trace.import.packed": (".json.gz", ["trace", "import", "--kineto", "FILE", "--out", "DIR/out/job"]),
        "trace.import.host": (".json", ["trace", "import", "--kineto", "KINETO", "--et", "FILE", "--out", "DIR/out/job"]),
        "trace.import.groups": (".json", ["trace", "import", "--kineto", "KINETO", "--comm-groups", "FILE", "--out", "DIR/out/job"]),
        "trace.synthesize": (".0.et", ["trace", "synthesize", "PREFIX", "--out", "DIR/out/job"]),
        "trace.synthesize.model": (".json", ["trace", "synthesize", "--model", "FILE", "--out", "DIR/out/job"]),
        "trace.stats": (".0.et", ["trace", "stats", "FILE"]),
        "trace.edit": (".0.et", ["trace", "edit", "PREFIX", "--out", "DIR/out/job", "--scale", "kernel=0.5"]),
        "trace.obfuscate": (".0.et", ["trace", "obfuscate", "PREFIX", "--out", "DIR/out/job"]),
        "trace.export": (".yaml", ["trace", "export", "FILE", "--out", "DIR/out"]),
        "workload.generate": (".yaml", ["workload", "generate", "FILE", "--out", "DIR/out"]),
        "workload.show": (".yaml", ["workload", "show", "FILE"]),
        "rtl.replay": (".rec", ["rtl", "replay", "FILE", "--design", "mesh_router"]),
    }
    return table


def made_inputs(tool, folder):
    """Good inputs that other slots need."""
    trace = folder / "good"
    subprocess.run([tool, "workload", "generate", str(CONFIGS / "workloads/resnet50_dp20.yaml"), "--out", str(trace)], check=True,
                   capture_output=True)
    prefix = next(trace.glob("*.0.et"))
    (folder / "system.json").write_text('{"scheduling-policy": "LIFO", "active-chunks-per-dimension": 1, '
                                        '"preferred-dataset-splits": 4, "all-reduce-implementation": ["ring"], '
                                        '"all-gather-implementation": ["ring"], "reduce-scatter-implementation": ["ring"], '
                                        '"all-to-all-implementation": ["ring"]}')
    (folder / "network.yml").write_text("topology: [ Ring ]\nnpus_count: [ 20 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n")
    (folder / "kineto.json").write_text(
        '{"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": ['
        '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5, "args": {"External id": 1}}, '
        '{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 2, "dur": 1, '
        '"args": {"External id": 1, "correlation": 7}}, '
        '{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 4, "dur": 9, '
        '"args": {"External id": 1, "correlation": 7, "stream": 7}}]}')
    return {"TRACE": str(prefix)[:-len(".0.et")], "SYSTEM": str(folder / "system.json"), "NETWORK": str(folder / "network.yml"),
            "KINETO": str(folder / "kineto.json")}


def words_of(words, file, folder, made):
    prefix = re.sub(r"[.]0[.]et$", "", str(file))
    texts = {**made, "FILE": str(file), "PREFIX": prefix, "DIR": str(folder), "LIBRA": str(ROOT / "../shared/inputs/libra")}

    def filled(text):
        return re.sub("|".join(texts), lambda found: texts[found[0]], text)

    out = []
    for word in words:
        if word.startswith("EXPERIMENT "):
            key, _, value = word[len("EXPERIMENT "):].partition("=")
            out.append(str(experiment(folder, **{key: filled(value)})))
        elif word.startswith("PLATFORM "):
            file_of = folder / "platform.yaml"
            file_of.write_text(filled(word[len("PLATFORM "):]) + "\n")
            out.append(str(file_of))
        else:
            out.append(filled(word))
    return out


def run(tool, words, folder):
    """(exit code, error text, processor seconds, bytes at most, seconds of the clock)."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))

    start = time.monotonic()
    with open(folder / "errors", "wb") as errors:
        child = subprocess.Popen([tool, *words], stdout=subprocess.DEVNULL, stderr=errors, stdin=subprocess.DEVNULL, cwd=folder,
                                 preexec_fn=limits)
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() - start > 15:
                child.kill()
                _, status, usage = os.wait4(child.pid, 0)
                break
            time.sleep(0.005)
    child.returncode = os.waitstatus_to_exitcode(status)
    return (child.returncode, (folder / "errors").read_text(errors="replace"), usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss * 1024, time.monotonic() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--slots", default="")
    parser.add_argument("--things", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        made = made_inputs(tool, scratch)
        tried, failed = 0, []
        for slot, (suffix, words) in slots().items():
            for name, make in things(scratch).items():
                if not re.search(options.slots, slot) or not re.search(options.things, name):
                    continue
                folder = scratch / f"{slot}-{name}"
                folder.mkdir()
                file = folder / ("input" + suffix)
                make(file)
                code, text, seconds, most, clock = run(tool, words_of(words, file, folder, made), folder)
                tried += 1
                wrong = []
                if code != 2:
                    wrong.append(f"exit code {code}")
                if "input" not in text:
                    wrong.append("the file is not named")
                if len(text.encode()) > 4000:
                    wrong.append(f"a message of {len(text)} characters")
                if re.search(r"json[.]exception|bad_alloc|Success|std::", text):
                    wrong.append("words of a library")
                if seconds > MOST_SECONDS or clock > 30:
                    wrong.append(f"{seconds:.1f} s of processor, {clock:.1f} s")
                if most > MOST_BYTES:
                    wrong.append(f"{most / 1e6:.0f} MB")
                if wrong:
                    failed.append(f"{slot} given {name}: {', '.join(wrong)}: {text[:200].strip()!r}")
                if options.list:
                    print(f"{slot:24} {name:10} {seconds:5.2f} s {most / 1e6:5.0f} MB  {text.strip()[:150]}")
                file.unlink() if file.is_symlink() or not file.is_dir() and file.exists() else None
        for each in failed:
            print(each)
        print(f"{tried} hostile inputs, {len(failed)} not refused as they should")
        return 1 if failed or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
