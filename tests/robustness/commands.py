# SPDX-License-Identifier: Apache-2.0
"""Small inputs, every command that writes, and how to look at what it wrote."""
import hashlib
import json
import os
import pathlib
import stat
import subprocess
import sys

for other in ("pytorch", "support"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / other))
import small_trace  # pylint: disable=wrong-import-position
from documents import without_host  # pylint: disable=wrong-import-position

EXPERIMENT = ("experiment: e\nplatform: {platform: p, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s, link_latency: 20 ns}}}\n"
              "workload: {layers: resnet50, data_parallel: 2, batch_per_npu: 1, effective_rate: 400 TFLOPS}\n")
PLATFORM = ("platform: p\nwafer: {width: 4, height: 1, fabric: {link_bandwidth: 100 GB/s, link_latency: 20 ns}}\n")
STUDY = ("study: s\nfile: e.yaml\naxes:\n  - {axis: latency, values: [20 ns, 40 ns], set: \"wafer.fabric.link_latency={}\"}\n"
         "columns:\n  - {column: iteration, read: iteration_time_s, as: time}\n")
WORKLOAD = "workload: w\nlayers: resnet50\ndata_parallel: 4\nbatch_per_npu: 1\neffective_rate: 400 TFLOPS\n"

FILE, FOLDER, PREFIX = "file", "folder", "prefix"

# Command, option, what it names, words; {} is the output. The option's last word may be joined to it.
OUTPUTS = [
    ("run", FOLDER, ["run", "in/e.yaml", "--out", "{}"]),
    ("run_json", FILE, ["run", "in/e.yaml", "--out", "other", "--json={}"]),
    ("run_vcd", FILE, ["run", "in/e.yaml", "--out", "other", "--vcd", "{}"]),
    ("run_trace_file", FILE, ["run", "in/e.yaml", "--out", "other", "--trace", "npu0", "--trace-file", "{}"]),
    ("study", FOLDER, ["study", "in/s.yaml", "--out", "{}", "--jobs", "1"]),
    ("optimize", FOLDER, ["optimize", "in/e.yaml", "--vary", "wafer.fabric.link_bandwidth=50..100:50 GB/s", "--out", "{}", "--jobs", "1"]),
    ("explain", FILE, ["explain", "in/done", "--quick", "--json={}"]),
    ("compare", FILE, ["compare", "in/done", "in/done", "--out", "{}"]),
    ("schema", FILE, ["schema", "--out", "{}"]),
    ("man", FOLDER, ["man", "--out", "{}"]),
    ("new", FILE, ["new", "platform", "p", "--force", "--out", "{}"]),
    ("generate", FOLDER, ["workload", "generate", "in/w.yaml", "--out", "{}"]),
    ("workload_show", FILE, ["workload", "show", "in/w.yaml", "--json={}"]),
    ("convert", FOLDER, ["trace", "convert", "in/traces/w", "--to", "et.gz", "--out", "{}"]),
    ("edit", PREFIX, ["trace", "edit", "in/traces/w", "--repeat", "2", "--out", "{}"]),
    ("obfuscate", PREFIX, ["trace", "obfuscate", "in/traces/w", "--out", "{}"]),
    ("synthesize", PREFIX, ["trace", "synthesize", "in/traces/w", "--identical", "1000000", "--out", "{}"]),
    ("learn", FILE, ["trace", "synthesize", "in/traces/w", "--learn", "{}"]),
    ("import", PREFIX, ["trace", "import", "--kineto", "in/kineto0.json", "in/kineto1.json", "--missing-at-most", "100", "--out", "{}"]),
    ("import_report", FILE, ["trace", "import", "--kineto", "in/kineto0.json", "in/kineto1.json", "--missing-at-most", "100", "--out", "imported",
                             "--timeline", "{}"]),
    ("export", FOLDER, ["trace", "export", "in/done", "--out", "{}"]),
    ("collective_json", FILE, ["collective", "in/p.yaml", "--type", "all_reduce", "--size", "64KiB", "--json={}"]),
    ("algorithm", PREFIX, ["synthesize", "in/p.yaml", "--type", "all_reduce", "--size", "64KiB", "--out", "{}"]),
    ("algorithm_xml", FILE, ["synthesize", "in/p.yaml", "--type", "all_reduce", "--size", "64KiB", "--out", "{}.xml"]),
]


class Tool:
    def __init__(self, path):
        self.path = path
        self.environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}

    def start(self, words, folder, **more):
        return subprocess.Popen([self.path, *words], cwd=folder, env=self.environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, **more)

    def run(self, words, folder, seconds=100, **more):
        process = self.start(words, folder, **more)
        try:
            errors = process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired as late:
            process.kill()
            raise AssertionError(f"{words} hangs") from late
        return process.returncode, errors

    def must(self, words, folder):
        code, errors = self.run(words, folder)
        assert code == 0, (words, code, errors)

    def make_inputs(self, folder):
        """in/ below the folder."""
        inputs = folder / "in"
        inputs.mkdir()
        for name, text in [("e", EXPERIMENT), ("p", PLATFORM), ("s", STUDY), ("w", WORKLOAD)]:
            (inputs / f"{name}.yaml").write_text(text)
        for rank in range(2):
            for name, computations in [("kineto", 20), ("longer", 30)]:
                trace = small_trace.SmallTrace(rank, 2)
                for _ in range(computations):
                    trace.compute()
                trace.write(inputs / f"{name}{rank}.json")
        self.must(["workload", "generate", "in/w.yaml", "--out", "in/traces"], folder)
        self.must(["run", "in/e.yaml", "--out", "in/done"], folder)


def filled(words, output):
    return [word.replace("{}", str(output)) for word in words]


def written_by(kind, words, output):
    """The path that a thing in the way must have."""
    if kind == PREFIX:
        return pathlib.Path(f"{output}.0.et")
    return pathlib.Path(next(word for word in filled(words, output) if str(output) in word).split("=")[-1])


def look(path):
    """All about a file but its times."""
    status = path.lstat()
    about = (stat.S_IFMT(status.st_mode), stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid)
    if stat.S_ISREG(status.st_mode):
        return about + (hashlib.sha256(path.read_bytes()).hexdigest(),)
    if stat.S_ISLNK(status.st_mode):
        return about + (os.readlink(path),)
    return about


def tree(folder):
    """Of all below, and of the folder."""
    return {".": look(folder)} | {str(each.relative_to(folder)): look(each) for each in sorted(folder.rglob("*"))}


def hidden(name):
    return any(part.startswith(".wafertlm-") for part in pathlib.Path(name).parts)


def content(folder):
    """Of a set of results or traces: names, and what does not differ between two runs of one command."""
    found = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if hidden(path.name) or path.is_dir():
            continue
        if path.suffix in (".html", ".sqlite"):
            found[path.name] = ""
        elif path.suffix == ".json":
            found[path.name] = json.dumps(without_host(json.loads(path.read_text())))
        else:
            found[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found
