#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wafertlm partition` against an independent model, and its bad input:  partition_test.py WAFERTLM"""
import io
import itertools
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

TOOL = sys.argv.pop(1)
CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "configs"
MESH = CONFIGS / "platforms" / "wafer_mesh_5x4.yaml"
TYPES = {"<f8": "d", "<f4": "f", "<f2": "e", "|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q"}


def npy(rows, descr="<f8", fortran=False, shape=None, version=1):
    """The bytes of an array: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html"""
    shape = shape or (len(rows), len(rows[0]))
    values = [value for row in (zip(*rows) if fortran else rows) for value in row]
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + struct.pack(f"<{len(values)}{TYPES[descr]}", *values)


def npz(arrays, compression=zipfile.ZIP_STORED):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", compression) as archive:
        for name, data in arrays.items():
            archive.writestr(name + ".npy", data)
    return whole.getvalue()


def blocks(neurons, workers):
    return [(2 * i + 1) * workers // (2 * neurons) for i in range(neurons)]


def pruned(rows, inputs, outputs, lam, mu):
    """Cost, error, kept, crossing, values sent: weight by weight."""
    cost = error = kept = crossing = 0
    sent = set()
    for i, row in enumerate(rows):
        for j, weight in enumerate(row):
            foreign = inputs[j] != outputs[i]
            price = lam + (mu if foreign else 0)
            cost += min(weight * weight, price)
            if weight * weight <= price:
                error += weight * weight
                continue
            kept += 1
            crossing += foreign
            if foreign:
                sent.add((j, outputs[i]))
    return cost, error, kept, crossing, len(sent)


def pruned_shared(rows, inputs, outputs, lam, mu, workers):
    """The same where a value is sent to a worker if that is worth mu."""
    cost = error = kept = crossing = values = 0
    for j, owner in enumerate(inputs):
        for p in range(workers):
            weights = [row[j] for row, output in zip(rows, outputs) if output == p]
            squares = sum(weight * weight for weight in weights)
            own = sum(min(weight * weight, lam) for weight in weights)
            sent = p != owner and squares - own > mu
            stay = [weight for weight in weights if weight * weight > lam] if sent or p == owner else []
            kept += len(stay)
            crossing += len(stay) if sent else 0
            values += sent
            error += squares - sum(weight * weight for weight in stay)
    return error + lam * kept + mu * values, error, kept, crossing, values


def run(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)


class Partition(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, data):
        path = pathlib.Path(self.folder.name, name)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def rows(self, text, *arguments):
        done = run("partition", self.write("p.yaml", text), "--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)["rows"]

    def bad(self, words, text, *arguments):
        done = run("partition", self.write("p.yaml", text), *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stdout + done.stderr)
        for word in words if isinstance(words, tuple) else (words,):
            self.assertIn(word, done.stderr)

    def test_the_golden_layer(self):
        file = CONFIGS / "studies" / "partition_small.yaml"
        rows = {(row["mu"], row["method"]): row for row in json.loads(run("partition", file, "--json").stdout)["rows"]}
        best, given = rows[8, "assignment"], rows[8, "given order"]
        self.assertEqual((best["cost"], best["error"], best["crossing_weights"], best["bytes"]), (17, 9, 0, 0))
        self.assertEqual(best["layers"][0]["owners"], [0, 1, 0, 1])
        self.assertEqual((given["cost"], given["crossing_weights"]), (41, 3))
        self.assertEqual({rows[0, method]["cost"] for method in ("assignment", "given order", "random")}, {14})
        text = run("partition", file).stdout
        self.assertIn("given order", text)
        self.assertIn("Nothing is simulated", text)
        self.assertIn("ok", run("check", file).stdout)

    def test_random_chains_against_the_model(self):
        rng = random.Random(1)
        for case in range(10):
            workers = rng.choice((2, 3))
            widths = [6, 6, rng.choice((5, 6))]
            lam, mu, batch = rng.randint(0, 5), rng.randint(0, 12), rng.randint(1, 9)
            layers = [[[rng.randint(-5, 5) for _ in range(widths[k])] for _ in range(widths[k + 1])] for k in (0, 1)]
            self.write("w.npz", npz({f"l{k}": npy(rows) for k, rows in enumerate(layers)}))
            rows = self.rows(f"partition: p\nweights: w.npz\nworkers: {workers}\nlambda: {lam}\nmu: [{mu}]\n"
                             f"batch: {batch}\nbytes_per_value: 4\n")
            self.assertEqual(len(rows), 5)
            for row in rows:
                with self.subTest(case=case, method=row["method"]):
                    inputs, sums = blocks(6, workers), [0] * 5
                    for k, layer in enumerate(row["layers"]):
                        told = pruned(layers[k], inputs, layer["owners"], lam, mu)
                        if row["method"] == "assignment, shared values":
                            told = pruned_shared(layers[k], inputs, layer["owners"], lam, mu, workers)
                        sums = [a + b for a, b in zip(sums, told)]
                        self.assertEqual(told, (layer["cost"], layer["error"], layer["kept_weights"],
                                                layer["crossing_weights"], layer["values_sent"]))
                        self.assertEqual(layer["bytes_forward"], told[4] * batch * 4)
                        if row["method"] == "assignment":
                            self.assertEqual(told[0], self.least(layers[k], inputs, workers, lam, mu))
                        if row["method"] == "given order":
                            self.assertEqual(layer["owners"], blocks(len(layers[k]), workers))
                        inputs = layer["owners"]
                    self.assertEqual(sums, [row["cost"], row["error"], row["kept_weights"], row["crossing_weights"],
                                            row["bytes"] // (batch * 4)])

    def least(self, rows, inputs, workers, lam, mu):
        count = len(rows)
        fits = lambda owners: all(count // workers <= owners.count(p) <= -(-count // workers) for p in range(workers))
        return min(pruned(rows, inputs, owners, lam, mu)[0]
                   for owners in itertools.product(range(workers), repeat=count) if fits(owners))

    def test_arrays_of_every_type_and_order(self):
        rows = [[1, -2, 3], [4, 5, -6], [7, 8, 9]]
        want = None
        variants = [({"descr": descr}, "outputs") for descr in TYPES]
        variants += [({"fortran": True}, "outputs"), ({"version": 2}, "outputs"), ({"version": 3}, "outputs")]
        for options, orientation in variants + [({}, "inputs")]:
            with self.subTest(**options, orientation=orientation):
                data = list(zip(*rows)) if orientation == "inputs" else rows
                # A bias is left out; the second layer is compressed.
                self.write("w.npz", npz({"a": npy(data, **options), "b": npy([[1, 2, 3]], shape=(3,))},
                                        zipfile.ZIP_DEFLATED))
                got = self.rows(f"partition: p\nweights: w.npz\nrows: {orientation}\nworkers: 3\nlambda: 2\nmu: [30]\n")
                got = [row["layers"] for row in got]
                self.assertEqual(len(got[0]), 1)
                want = want or got
                self.assertEqual(got, want)

    def test_arrays_are_taken_as_listed(self):
        self.write("w.npz", npz({"second": npy([[1, 2], [3, 4]]), "first": npy([[1, 2, 3], [4, 5, 6]])}))
        rows = self.rows("partition: p\nweights: w.npz\narrays: [first, second]\nworkers: 2\nmu: [1]\n")
        self.assertEqual([layer["layer"] for layer in rows[0]["layers"]], ["first", "second"])
        self.bad("there is no array 'third'; there are: second, first",
                 "partition: p\nweights: w.npz\narrays: [third]\nworkers: 2\nmu: [1]\n")

    def simulated(self, rest, layers, *arguments, mu=0):
        text = "partition: p\nlayers:\n" + "".join(f"  - {{name: l{k}, weights: {rows}}}\n" for k, rows in enumerate(layers))
        rows = self.rows(text + f"workers: 2\nmu: [{mu}]\nplatform: {MESH}\nspeed: 1.0e+6\n" + rest, *arguments)
        return next(row for row in rows if row["method"] == "given order")

    def test_simulated_time_is_that_of_the_slowest_worker(self):
        # Two operations per weight and sample at 10^6 per second; nothing crosses.
        layers = [[[1, 0], [0, 1]], [[2, 0], [0, 2]]]
        row = self.simulated("batch: 3\n", layers)
        self.assertAlmostEqual(row["time_s"], 2 * 3 * 2 * 1e-6, delta=1e-11)
        # Backward: weights and inputs of the second layer, weights of the first.
        row = self.simulated("batch: 3\npass: training\n", layers)
        self.assertAlmostEqual(row["time_s"], (2 * 3 * 2 + 2 * 2 * 3 + 2 * 3) * 1e-6, delta=1e-11)
        uneven = self.simulated("", [[[1, 1], [0, 1]], [[2, 0], [0, 2]]], mu=0)
        self.assertEqual((uneven["crossing_weights"], uneven["bytes"]), (1, 2))
        self.assertAlmostEqual(uneven["time_s"], 6e-6, delta=0.2e-6)

    def test_what_crosses_takes_time_and_energy(self):
        layers = [[[1, 1], [1, 1]], [[1, 1], [1, 1]]]
        link = ("--set", "wafer.fabric.energy_per_bit=1 pJ/bit")
        near = self.simulated("batch: 1000000\nnpus: [0, 1]\nenergy_per_operation: 1.0e-12\n", layers, *link)
        self.assertEqual(near["bytes"], 4 * 2 * 1000000)
        self.assertAlmostEqual(near["compute_energy_j"], 8 * 2 * 1e6 * 1e-12)
        far = self.simulated("batch: 1000000\nnpus: [0, 2]\n", layers, *link)
        self.assertIsNone(far["compute_energy_j"])
        one_hop = near["bytes"] * 8e-12
        self.assertAlmostEqual(far["link_energy_j"] - near["link_energy_j"], one_hop, delta=1e-6 * one_hop)
        training = self.simulated("batch: 1000000\nnpus: [0, 1]\npass: training\n", layers, *link)
        self.assertEqual(training["bytes"], near["bytes"] * 3 // 2)
        self.assertAlmostEqual(training["link_energy_j"], near["link_energy_j"] * 1.5, delta=1e-12)
        self.assertIsNone(self.simulated("", layers)["link_energy_j"])
        # 2 MB each way and layer at 10 GB/s take 0.2 ms; computing 4 s each.
        slow = self.simulated("batch: 1000000\n", layers, "--set", "wafer.fabric.link_bandwidth=10GB/s")
        fast = self.simulated("batch: 1000000\n", layers)
        self.assertAlmostEqual(slow["time_s"] - fast["time_s"], 2 * (2e6 / 10e9 - 2e6 / 750e9), delta=2e-6)

    def test_crossing_falls_with_mu(self):
        done = run("partition", CONFIGS / "studies" / "partition_mlp_wafer.yaml", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        for method in ("given order", "assignment", "METIS"):
            crossing = [row["crossing_weights"] for row in rows if row["method"] == method]
            self.assertEqual(crossing, sorted(crossing, reverse=True))
        last = {row["method"]: row for row in rows if row["mu"] == rows[-1]["mu"]}
        self.assertLess(last["assignment"]["cost"], last["given order"]["cost"])
        self.assertLess(last["assignment"]["bytes"], last["given order"]["bytes"])
        self.assertLess(last["assignment"]["time_s"], last["given order"]["time_s"])

    def test_bad_archives(self):
        rest = "workers: 2\nmu: [1]\n"
        text = "partition: p\nweights: w.npz\n" + rest
        whole = npz({"a": npy([[1.0, 2.0], [3.0, 4.0]])})
        array = npy([[1.0, 2.0], [3.0, 4.0]])
        for name, data, words in (
                ("not an archive", b"x" * 100, (":2:", "not a whole NumPy archive")),
                ("an archive cut short", whole[:-30], "not a whole NumPy archive"),
                ("an array cut short", npz({"a": array[:-8]}), ("array 'a'", "3 of 4 values")),
                ("a header cut short", npz({"a": array[:20]}), "header is cut short"),
                ("no magic string", npz({"a": b"y" * 40}), "not a NumPy array"),
                ("a type", npz({"a": array.replace(b"<f8", b">f8")}), "'>f8' are not read"),
                ("one dimension", npz({"a": npy([[1, 2]], shape=(2,))}), "no matrix"),
                ("three dimensions", npz({"a": npy([[1, 2, 3, 4]], shape=(1, 2, 2))}), "1 × 2 × 2"),
                ("huge", npz({"a": npy([[1, 2]], shape=(9999999999, 2))}), "too large"),
                ("empty", npz({"a": npy([[]], shape=(0, 2))}), "0 × 2"),
                ("NaN", npz({"a": npy([[1.0, float("nan")], [3.0, 4.0]])}), ("output 0 and input 1", "finite")),
                ("infinite", npz({"a": npy([[1.0, 2], [float("inf"), 4.0]])}), "output 1 and input 0"),
                ("widths", npz({"a": array, "b": npy([[1, 2, 3]] * 2)}), "'b' has 3 inputs, and layer 'a' before it 2"),
                ("damaged", whole.replace(struct.pack("<d", 4.0), struct.pack("<d", 5.0)), "array 'a'")):
            with self.subTest(name):
                self.write("w.npz", data)
                self.bad(words, text)
        self.write("w.npz", whole)
        self.bad("fewer than the 3 workers", text.replace("workers: 2", "workers: 3"))
        self.bad("w2.npz", text.replace("w.npz", "w2.npz"))

    def test_bad_files(self):
        good = "partition: p\ngenerate: {widths: [4, 4]}\nworkers: 2\nmu: [1]\n"
        self.assertEqual(len(self.rows(good)), 5)
        platform = f"platform: {MESH}\n"
        for words, text in (
                ((":5:", "did you mean 'lambda'"), good + "lamda: 1\n"),
                ((":4:", "mu"), good.replace("mu: [1]", "mu: [-1]")),
                ("mu", good.replace("mu: [1]", "mu: []")),
                ("give either 'weights' or 'generate' or 'layers'", good + "weights: w.npz\n"),
                ("give either", good.replace("generate: {widths: [4, 4]}\n", "")),
                ("'weights'", good + "arrays: [a]\n"),
                ("'weights'", good + "rows: inputs\n"),
                ("'platform'", good + "speed: 1.0e+9\n"),
                ("'platform'", good + "pass: training\n"),
                ("needs the 'speed'", good + platform),
                ("one for each", good + platform + "speed: 1.0e+9\nnpus: [1]\n"),
                ("two workers on one NPU", good + platform + "speed: 1.0e+9\nnpus: [1, 1]\n"),
                ("NPU 20 is not on", good + platform + "speed: 1.0e+9\nnpus: [1, 20]\n"),
                ("fewer than the 5 workers", good.replace("workers: 2", "workers: 5")),
                ("as many weights as the first, 2",
                 "partition: p\nlayers: [{name: a, weights: [[1, 2], [3]]}]\nworkers: 1\nmu: [1]\n"),
                ("group", good.replace("[4, 4]", "[4, 4], groups: 5"))):
            with self.subTest(words):
                self.bad(words, text)
        self.bad("--set has no effect", good, "--set", "wafer.width=4")
        self.bad("link_bandwith", good + platform + "speed: 1.0e+9\n", "--set", "wafer.fabric.link_bandwith=1GB/s")


if __name__ == "__main__":
    unittest.main()
