#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package knows every field of results.json and of what commands print:  schema_test.py WAFERTLM"""
import json
import os
import pathlib
import subprocess
import sys
import typing
import unittest

PROGRAM = os.environ["WAFERTLM"] = sys.argv.pop(1)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "platform/python"))

import wafertlm  # noqa: E402
from wafertlm.rows import Row, field_types  # noqa: E402


def schema(*words):
    return json.loads(subprocess.run([PROGRAM, "schema", *words], check=True, capture_output=True, text=True).stdout)


def row_in(of):
    """The dataclass in a field's type (alone, in Rows, in a map), or None."""
    if isinstance(of, type) and issubclass(of, Row):
        return of
    return next((found for part in typing.get_args(of) if (found := row_in(part))), None)


def objects_in(of, root):
    """The schemas of objects in one: itself, items of a list, values of a map, all but null of a choice."""
    if "$ref" in of:
        of = {**root["$defs"][of["$ref"].rsplit("/", 1)[1]], **{key: each for key, each in of.items() if key != "$ref"}}
    if of.get("properties"):
        yield of
    for choice in ("anyOf", "oneOf"):
        for each in of.get(choice, []):
            yield from objects_in(each, root)
    for below in ("items", "additionalProperties"):
        if isinstance(of.get(below), dict):
            yield from objects_in(of[below], root)


def unknown(row, of, root, where):
    """Fields of the schema that the dataclass lacks, and fields that must be there and may not be None."""
    for name, each in of["properties"].items():
        field = row.keys().get(name)
        if field is None:
            yield f"{where}.{name}"
            continue
        below = row_in(field_types(row)[field])
        for found in objects_in(each, root):
            if below is not None:
                yield from unknown(below, found, root, f"{where}.{name}")
    for name, field in row.keys().items():
        if name in of.get("required", []) or type(None) in typing.get_args(field_types(row)[field]):
            continue
        yield f"{where}.{name} is needed here, and is not always there"


class Schema(unittest.TestCase):
    def test_results_have_no_field_that_is_not_known(self):
        root = schema("--results")
        self.assertEqual(list(unknown(wafertlm.RunResults, root, root, "results")), [])

    def test_the_test_sees_an_unknown_field_at_any_depth(self):
        for place in ("results.news", "results.iterations.ranks.news", "results.links.packet_wait_s.news"):
            root = schema("--results")
            at = {"results.news": root, "results.iterations.ranks.news": root["$defs"]["rank"],
                  "results.links.packet_wait_s.news": root["$defs"]["link"]["properties"]["packet_wait_s"]}[place]
            at["properties"]["news"] = {"type": "number"}
            self.assertEqual(list(unknown(wafertlm.RunResults, root, root, "results")), [place])

    def test_nor_has_a_comparison(self):
        root = schema("compare")
        self.assertEqual(list(unknown(wafertlm.Comparison, root, root, "compare")), [])

    def test_nor_has_a_collective(self):
        root = schema("collective")
        measured = next(each for each in root["oneOf"] if "platform" in each["properties"])
        self.assertEqual(list(unknown(wafertlm.CollectiveResults, measured, root, "collective")), [])


if __name__ == "__main__":
    unittest.main()
