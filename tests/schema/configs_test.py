#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""All YAML files of configs/ against `wafertlm schema`, and that it sees an unknown key in each kind:  configs_test.py WAFERTLM

Exit code 77: Debian's python3-jsonschema and python3-yaml are not there (./setup.sh --tests).
"""
import json
import pathlib
import re
import subprocess
import sys

try:
    import yaml
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(77)

TOOL = sys.argv[1]
CONFIGS = pathlib.Path(__file__).resolve().parent.parent.parent / "configs"
# Of kinds that no preset has.
EXAMPLES = {
    "classes": "classes: mine\naxes: [{class: mp, size: 8}, {class: dp, size: 4}]\ngroups: [{group: 'tp_*', class: mp}]\nmessages: pp\n",
    "tuning_table": """
tuning_table: t
platform: p
rows: [{type: all_reduce, npus: 0-3, size: 1 MiB, algorithm: direct, backend: a, time: 1 us}]
""",
}


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Words and numbers of YAML 1.2, as editors and WaferTLM read them: `on` is text, 1e-12 a number."""
    yaml_implicit_resolvers = {}


for tag, pattern, first in (("null", r"~|null|", ["~", "n", ""]), ("bool", r"true|false", list("tf")),
                            ("int", r"[-+]?[0-9]+", list("-+0123456789")),
                            ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789"))):
    Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), first)


def schema(*words):
    text = subprocess.run([TOOL, "schema", *words], check=True, capture_output=True, text=True).stdout
    Draft202012Validator.check_schema(json.loads(text))
    return json.loads(text)


def kinds_of(chain):
    """The keys that tell the kinds, in the order in which they do."""
    while "if" in chain and chain["if"]["required"] != ["extends"]:
        yield chain["if"]["required"][0]
        chain = chain["else"]


everything = schema()
kinds = list(kinds_of(everything))
assert len(kinds) >= 17, kinds
of_all = Draft202012Validator(everything)
# A struct has one meaning, whichever kind it is in.
alone = {kind: schema("--kind", kind) for kind in kinds}
for kind, each in alone.items():
    for name, struct in each["$defs"].items():
        if not name.endswith("_changes"):
            assert struct == everything["$defs"][name], f"{name} is another struct in {kind} files"

files = {path.relative_to(CONFIGS): yaml.load(path.read_text(), Loader) for path in sorted(CONFIGS.rglob("*.yaml"))}
files.update({pathlib.PurePath(kind): yaml.load(text, Loader) for kind, text in EXAMPLES.items()})
seen = set()
for name, content in files.items():
    kind = next((kind for kind in kinds if kind in content), None)
    validators = [of_all]
    if kind is not None:
        validators.append(Draft202012Validator(alone[kind]))
    for validator in validators:
        errors = list(validator.iter_errors(content))
        assert not errors, f"{name}: {errors[0].message[:300]} at {list(errors[0].absolute_path)}"
        if kind not in seen:
            assert not validator.is_valid({**content, "planted_key": 1}), f"{name}: an unknown key is not seen"
    seen.add(kind)
assert not set(kinds) - seen, f"no file of these kinds: {sorted(set(kinds) - seen)}"
print(f"{len(files)} files of {len(kinds)} kinds follow the schema")
