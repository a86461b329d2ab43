# SPDX-License-Identifier: Apache-2.0
"""The standard mutation operators: each changes one thing in one region."""
import dataclasses
import re

REPLACED = {
    "arithmetic": {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["*"], "+=": ["-="], "-=": ["+="],
                   "*=": ["/="], "/=": ["*="]},
    "boundary": {"<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"]},
    "equality": {"==": ["!="], "!=": ["=="]},
    "logic": {"&&": ["||"], "||": ["&&"]},
}
EXTREMES = {"min": "max", "max": "min", "min_element": "max_element", "max_element": "min_element"}
# Calls that change only what memory is used, or only words for a reader.
NOT_REMOVED = re.compile(r"\.reserve\(|\.shrink_to_fit\(|^\(?void\)?|^static_cast<void>|^SC_|^super\(")


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    column: int
    line_text: str
    operator: str
    change: str       # in words
    region: int       # index of the region in the order of all_regions
    changes: tuple    # ((index of token, new text), ...)
    number: int = 0   # of the switch

    def key(self):
        """What says which mutant this is after an edit elsewhere in the file."""
        return self.path, self.line_text, self.change


def all_regions(regions):
    for region in regions:
        yield region
        yield from all_regions(region.children)


def mutants_of(source, regions):
    """All mutants of a file."""
    found = []
    for number, region in enumerate(all_regions(regions)):
        for index, operator, change, changes in _changes(source, region):
            token = source.tokens[index]
            column = token.start - source.text.rfind("\n", 0, token.start)
            found.append(Mutant(source.path, source.line_of(index), column, source.line_text(index), operator, change,
                                number, tuple(sorted(changes.items()))))
    return found


def _changes(source, region):
    """(index, operator, words, changes) of everything that can be changed in a region."""
    for index in region.own_tokens():
        token = source.tokens[index]
        if token.kind == "sign":
            yield from _signs(source, region, index)
        elif token.kind == "number":
            yield from _numbers(source, index)
        elif token.kind == "name":
            yield from _names(source, index)
    yield from _whole(source, region)


def _signs(source, region, index):
    text = source.tokens[index].text
    if source.is_binary(index):
        beside_string = "string" in (source.tokens[index - 1].kind, source.tokens[index + 1].kind)
        for operator, table in REPLACED.items():
            for new in table.get(text, ()):
                if not (beside_string and text in ("+", "+=")):
                    yield index, operator, f"{text} -> {new}", {index: new}
        if text == "?":
            yield from _choice(source, region, index)
    elif text in ("++", "--"):
        new = "--" if text == "++" else "++"
        yield index, "step", f"{text} -> {new}", {index: new}
    elif text == "!":
        yield index, "negation", "! removed", {index: ""}


def _choice(source, region, index):
    """The condition of `a ? b : c` negated; it begins after the last bracket, comma, assignment, ? or : before it."""
    begin = index
    while begin > region.low:
        before = source.tokens[begin - 1].text
        if begin - 1 in source.opening:
            begin = source.opening[begin - 1]
            continue
        if before in ("(", "[", "{", ",", "?", ":", "return", ";", "<<") or re.fullmatch(r"[-+*/%&|^]?=", before):
            break
        begin -= 1
    if begin < index:
        changes = {begin: "(!(" + source.tokens[begin].text}
        changes[index - 1] = changes.get(index - 1, source.tokens[index - 1].text) + "))"
        yield index, "negation", "condition of ? negated", changes


def _numbers(source, index):
    token = source.tokens[index]
    before, after = source.tokens[index - 1], source.tokens[index + 1]
    in_angles = ((before.text == "<" and not source.is_binary(index - 1))
                 or (after.text == ">" and not source.is_binary(index + 1)))
    number = re.fullmatch(r"(0[xX][0-9a-fA-F']+|[\d']+)([uUlLzZ]*)", token.text)
    if in_angles:
        return
    if number is None:
        if re.fullmatch(r"[\d'.]+", token.text):
            yield index, "constant", f"{token.text} -> {token.text} + 1", {index: f"({token.text} + 1)"}
        return
    value, suffix = int(number[1].replace("'", ""), 0 if number[1][:2] in ("0x", "0X") else 10), number[2]
    for new in dict.fromkeys((value + 1, 0, 1)):
        if new != value:
            yield index, "constant", f"{token.text} -> {new}", {index: f"{new}{suffix}"}


def _names(source, index):
    text = source.tokens[index].text
    if text in ("true", "false"):
        new = "false" if text == "true" else "true"
        yield index, "constant", f"{text} -> {new}", {index: new}
    elif text in EXTREMES and source.tokens[index - 1].text == "::":
        called = source.tokens[index + 1].text + source.tokens[index + 2].text
        if called != "()" and called[0] in "(<":
            yield index, "extreme", f"{text} -> {EXTREMES[text]}", {index: EXTREMES[text]}


def _whole(source, region):
    low, high = region.low, region.high
    if region.kind == "condition":
        changes = {low: "!(" + source.tokens[low].text}
        changes[high - 1] = changes.get(high - 1, source.tokens[high - 1].text) + ")"
        yield low, "negation", "condition negated", changes
    elif region.kind == "statement":
        written = source.written(low, high)
        if ("(" in written or "=" in written) and not NOT_REMOVED.search(written):
            yield low, "removal", "statement removed", {index: "" for index in range(low, high)}
    elif region.kind == "return":
        written = source.written(low + 1, high - 1)
        if written not in ("{}", "0", "false", "true", "nullptr", '""') and not written.startswith("*this"):
            changes = {index: "" for index in range(low + 1, high - 1)}
            changes[low + 1] = "{}"
            yield low, "return", "returns {}", changes
