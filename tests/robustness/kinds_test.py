#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every output option, and every kind of thing at its name: kinds_test.py WAFERTLM. What cannot be written is refused at
once, with exit code 2 and one line, and stays as it is; and no output is written over an input."""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

import commands
from commands import FILE, FOLDER, OUTPUTS, filled, hidden, tree, written_by

TOOL = commands.Tool(sys.argv.pop(1))


def put_file(path):
    path.write_text("mine")


def put_folder(path):
    path.mkdir()
    (path / "notes").write_text("mine")
    path.chmod(0o2750)


def put_link_to_file(path):
    (path.parent / "target").write_text("mine")
    path.symlink_to("target")


def put_link_to_folder(path):
    (path.parent / "target").mkdir()
    path.symlink_to("target")


def put_dangling_link(path):
    path.symlink_to("nowhere")


def put_loop(path):
    path.symlink_to(path.name)


def put_socket(path):
    os.mknod(path, 0o140600)


PUTS = {put_file: {FILE}, put_folder: {FOLDER}, put_link_to_file: set(), put_link_to_folder: set(), put_dangling_link: set(),
        put_loop: set(), os.mkfifo: set(), put_socket: set()}


class Kinds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        TOOL.make_inputs(self.folder)
        self.inputs = tree(self.folder / "in")

    def refuse(self, words):
        before = tree(self.folder)
        code, errors = TOOL.run(words, self.folder, 20)
        self.assertEqual((code, errors.count("\n")), (2, 1), (words, errors))
        self.assertTrue(errors.startswith("wafertlm: "), errors)
        self.assertEqual(tree(self.folder), before, words)

    def test_things_in_the_way(self):
        for name, kind, words in OUTPUTS:
            place = self.folder / "place"
            for put, accepting in PUTS.items():
                with self.subTest(name=name, put=put.__name__):
                    place.mkdir()
                    put(place / written_by(kind, words, "place/x").name)
                    before = tree(self.folder)
                    if kind not in accepting:
                        self.refuse(filled(words, "place/x"))
                    else:
                        TOOL.must(filled(words, "place/x"), self.folder)
                        if kind == FOLDER:  # keeps its mode and what was in it
                            after = tree(place)
                            self.assertEqual({key: after.get(key) for key in tree(place) if key in ("x", "x/notes")},
                                             {key: before["place/" + key] for key in ("x", "x/notes")})
                            self.assertGreater(len([key for key in after if not hidden(key)]), 3)
                    self.assertEqual(tree(self.folder / "in"), self.inputs)
                    for each in ["place", "other", "imported.import.json", "imported.0.et", "imported.1.et"]:
                        path = self.folder / each
                        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
                    for left in self.folder.glob(".wafertlm-*"):
                        left.unlink()

    def test_places_where_nothing_can_be_made(self):
        (self.folder / "file").write_text("mine")
        for name, kind, words in OUTPUTS:
            for place in ["/proc/wafertlm", "/dev/null/x", "file/x", "/"] + (["/dev/null"] if kind == FOLDER else []):
                if place == "/" and kind != FOLDER:
                    continue
                with self.subTest(name=name, place=place):
                    self.refuse(filled(words, place))

    def test_read_only_folder(self):
        if os.geteuid() == 0:  # root may write everywhere: as another, where that one can reach the tool
            for path in [self.folder, *self.folder.rglob("*")]:
                os.chown(path, 65534, 65534)
            more = {"user": 65534}
            if TOOL.run(["--version"], "/", **more)[0] != 0:
                return
        else:
            more = {}
        place = self.folder / "place"
        place.mkdir(mode=0o555)
        for name, _, words in OUTPUTS:
            with self.subTest(name=name):
                code, errors = TOOL.run(filled(words, "place/x"), self.folder, 20, **more)
                self.assertEqual((code, errors.count("\n")), (2, 1), errors)
                self.assertEqual(list(place.iterdir()), [])

    def test_devices_take_files(self):
        for name, kind, words in OUTPUTS:
            if kind == FILE and words[-1] == "{}" and name != "algorithm_xml":
                with self.subTest(name=name):
                    before = commands.look(pathlib.Path("/dev/null"))
                    TOOL.must(filled(words, "/dev/null"), self.folder)
                    self.assertEqual(commands.look(pathlib.Path("/dev/null")), before)

    def test_no_output_over_an_input(self):
        place = self.folder
        (place / "t.yaml").write_text("experiment: t\nplatform: in/p.yaml\nworkload: {workload: w, chakra: in/traces/w}\n")
        (place / "link.yaml").symlink_to("t.yaml")
        os.link(place / "in/traces/w.1.et", place / "hard.et")
        TOOL.must(["run", "t.yaml", "--out", "done"], place)
        run = ["run", "t.yaml", "--out", "done"]
        for words in [[*run, "--vcd", "in/traces/w.0.et"], [*run, "--vcd", "hard.et"], [*run, "--json=t.yaml"], [*run, "--vcd", "in/p.yaml"],
                      [*run, "--vcd", str(place / "in/../in/p.yaml")], ["run", "link.yaml", "--out", "done", "--vcd", "t.yaml"],
                      [*run, "--set", "workload.comm_groups=in/w.yaml", "--vcd", "in/w.yaml"],
                      [*run, "--trace", "npu0", "--trace-file", "t.yaml"],
                      ["explain", "done", "--quick", "--json=done/results.json"], ["explain", "done", "--out", "done/resolved.yaml"],
                      ["explain", "done/results.json", "--quick", "--json=done/results.json"],
                      ["compare", "done", "in/done", "--out", "done/results.json"], ["compare", "done", "in/done", "--json=in/done/results.json"],
                      ["run", "done/resolved.yaml", "--out", "done"], ["trace", "info", "in/traces/w", "--json=in/traces/w.2.et"],
                      ["trace", "edit", "in/traces/w", "--repeat", "2", "--out", "in/traces/w"],
                      ["trace", "edit", "in/traces/w", "--repeat", "2", "--out", "in/traces/../traces/w"],
                      ["trace", "convert", "in/traces/w.0.et", "in/traces/w.0.et"],
                      ["trace", "import", "--kineto", "in/kineto0.json", "--out", "new", "--timeline", "in/kineto0.json"],
                      ["workload", "show", "in/w.yaml", "--json=in/w.yaml"]]:
            with self.subTest(words=words):
                self.refuse(words)
        TOOL.must([*run, "--json=other.json"], place)

    def test_what_is_only_called_as_an_output_is_no_input(self):
        (self.folder / "t.yaml").write_text("experiment: t\nplatform: in/p.yaml\nworkload: {workload: w, chakra: in/traces/w}\n")
        for _ in range(2):  # again over its own results
            TOOL.must(["run", "t.yaml", "--out", "t", "--vcd", "t.vcd", "--json=t.json"], self.folder)


if __name__ == "__main__":
    unittest.main()
