#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names that mean something else when the files of a folder are compiled together (WAFERTLM_UNITY).

    check_hidden_names.py [ROOT]

A function or constant in the unnamed namespace of a .cpp file must not have the name of one in the unnamed namespace of
another file of the folder, or of one in a header of the folder: together, either might be meant, and the compiler need not
say so. Left out are types, of which a second one of a name does not compile, and functions that differ in the number of
their arguments.

A type of a named namespace must not be defined in two files: linked together, functions of one are called with objects of
the other (the one-definition rule), and no compiler says so. Exit code 1 names each.
"""
import pathlib
import re
import sys
from collections import defaultdict
from itertools import combinations

FOLDERS = ("tlm", "models", "workloads", "waveforms", "platform", "tests")
ALONE = ("tests/bench", "tests/consumer", "tests/rtl", "platform/package/examples")  # compiled file by file
ALLOWED = ("PrintTo",)  # found by the type that it prints
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*',
                      re.MULTILINE | re.DOTALL)
TYPE = re.compile(r"\b(struct|class|enum|union|using|typedef|friend|static_assert|operator)\b")
FUNCTION = re.compile(r"([A-Za-z_]\w*)\s*\($")
DEFINED_TYPE = re.compile(r"\s*(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)\s*(?:final\b\s*)?(?::[^:].*)?$", re.DOTALL)
CONSTANT = re.compile(r"\b(?:const|constexpr)\b.*?([A-Za-z_]\w*)(?:\[.*?\])*$", re.DOTALL)


def arguments(text):
    """How many arguments a function takes whose parameters begin here, behind the parenthesis: a range."""
    depth, least, most, has_default, empty = 0, 0, 0, False, True
    for character in re.sub(r"->|[<>]=", "", text):
        if character == ")" and depth == 0:
            break
        depth += (character in "(<[{") - (character in ")>]}")
        empty = empty and character.isspace()
        has_default = has_default or (character == "=" and depth == 0)
        if character == "," and depth == 0:
            most += 1
            least += not has_default
    return range(0, 1) if empty else range(least + (not has_default), most + 2)


def declared(head):
    """(name, arguments) of the function or (name, None) of the constant whose declaration begins so, or None."""
    head = re.sub(r"^\s*template\s*<.*?>\s*(?=[A-Za-z\[])", "", head, flags=re.DOTALL)
    if TYPE.search(head) or re.match(r"\s*(TEST|INSTANTIATE|namespace)", head):
        return None
    head = re.sub(r"<[^<>]*\([^<>]*>", "<>", head)  # std::function<int()>
    parenthesis = head.find("(")
    if parenthesis >= 0:
        function = FUNCTION.search(head[:parenthesis + 1])
        # Before the name stands a type: else it is a macro's use or the definition of a member.
        named = function and head[:function.start()].strip() and not head[:function.start()].rstrip().endswith("::")
        is_macro = function and function.group(1).isupper()  # TEST_F(…)
        return (function.group(1), arguments(head[parenthesis + 1:])) if named and not is_macro else None
    constant = CONSTANT.search(head.strip())
    return (constant.group(1), None) if constant else None


def declarations(text):
    """(namespaces from outside in, "" for an unnamed one; text before the {, = or ; that ends it, that token, line) of all that
    is declared at namespace scope."""
    text = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    scopes = []  # names of namespaces; None: a body
    begin = 0
    for token in re.finditer(r"[{};=]", text):
        at_namespace_scope = None not in scopes
        head, start = text[begin:token.start()], begin
        if at_namespace_scope and head.count("(") != head.count(")"):
            if token.group() in "=;":  # inside of the parentheses of a declaration
                continue
        if token.group() == "{":
            space = re.search(r"\bnamespace\b\s*([\w:]*)\s*$", head)
            if at_namespace_scope and space:
                scopes.append(space.group(1))
                begin = token.end()
                continue
            scopes.append(None)
        elif token.group() == "}":
            if scopes:
                scopes.pop()
            if None in scopes:
                continue
            begin = token.end()
            continue
        elif not at_namespace_scope:
            continue
        if at_namespace_scope:
            line = text.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
            yield [scope for scope in scopes if scope is not None], head, token.group(), line
            begin = token.end()


def names(text):
    """(whether in an unnamed namespace, name, arguments, line) of every function and constant at namespace scope."""
    for spaces, head, _, line in declarations(text):
        found = declared(head)
        if found:
            yield "" in spaces, *found, line


def types(text):
    """(name with its namespaces, line) of every type that is defined in named namespaces."""
    for spaces, head, token, line in declarations(text):
        defined = DEFINED_TYPE.match(head)
        if token == "{" and "" not in spaces and defined:
            yield "::".join([*spaces, defined.group(1)]), line


def may_be_mistaken(one, other):
    """Whether a call or a use fits both; arguments of functions, or None for a constant."""
    if one is None or other is None:
        return True
    return max(one.start, other.start) < min(one.stop, other.stop)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    by_folder = defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.cpp")) + sorted((root / folder).rglob("*.h")):
            if not path.relative_to(root).as_posix().startswith(ALONE):
                by_folder[path.parent].append(path)
    wrong = 0
    defined = defaultdict(list)  # by name: (path, line)
    for paths in by_folder.values():
        found = defaultdict(list)  # by name: (path, whether hidden, arguments, line)
        for path in paths:
            text = path.read_text(encoding="utf-8")
            for name, line in types(text):
                defined[name].append((path, line))
            for unnamed, name, count, line in names(text):
                if name not in ALLOWED and (unnamed or path.suffix == ".h"):
                    found[name].append((path, unnamed, count, line))
        for name, places in sorted(found.items()):
            for (path, unnamed, count, line), (other, other_unnamed, other_count, other_line) in combinations(places, 2):
                if path != other and (unnamed or other_unnamed) and may_be_mistaken(count, other_count):
                    print(f"{path.relative_to(root)}:{line}: {name} is also at {other.relative_to(root)}:{other_line}")
                    wrong += 1
    if wrong:
        print(f"{wrong} names of unnamed namespaces are also elsewhere in their folder (rename one, or share it in a header)")
    twice = {name: places for name, places in sorted(defined.items()) if len(places) > 1}
    for name, places in twice.items():
        print(name + " is defined at " + " and ".join(f"{path.relative_to(root)}:{line}" for path, line in places))
    if twice:
        print(f"{len(twice)} types are defined twice (rename one)")
    return 1 if wrong or twice else 0


if __name__ == "__main__":
    sys.exit(main())
