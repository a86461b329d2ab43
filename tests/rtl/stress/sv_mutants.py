# SPDX-License-Identifier: Apache-2.0
"""Mutants of SystemVerilog: small changes of right-hand sides and conditions, all in one text, chosen by a variable.

Only what a run can choose is changed: assignments and conditions of processes, functions and `assign`. Declarations, loop
heads, generate conditions, assertions and blocks of `ifdef stay.
"""
import dataclasses
import re

TOKEN = re.compile(r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<directive>`(?:ifdef|ifndef|elsif|else|endif|define|include|undef)\b[^\n]*)
    |(?P<number>\d*'[sS]?[bdhoBDHO][0-9a-fA-F_xzXZ?]+|'[01]|\d[\d_]*)|(?P<name>[$`\w][\w$]*(?:::\w+)*)|(?P<string>"[^"\n]*")
    |(?P<operator><<<|>>>|===|!==|\|->|\|=>|<<|>>|<=|>=|==|!=|&&|\|\||\+:|-:|[-+*/%&|^~!<>=?:;,.(){}\[\]\#@'])""",
                   re.VERBOSE | re.DOTALL)
BINARY = {"==": ["!="], "!=": ["=="], "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "&&": ["||"], "||": ["&&"],
          "&": ["|"], "|": ["&"], "^": ["|"], "+": ["-"], "-": ["+"], "<<": [">>"], ">>": ["<<"]}
WORDS_BEFORE_OPERAND = {"begin", "else", "return"}


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclasses.dataclass
class Mutant:
    file: str
    line: int
    what: str
    site: tuple  # what is replaced: (start, end, kind of site)
    text: str


def tokens(text):
    """Of the code that is always there, without comments."""
    found, depth = [], 0
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "directive":
            word = match.group().split()[0]
            depth += {"`ifdef": 1, "`ifndef": 1, "`endif": -1}.get(word, 0)
        elif kind != "space" and depth == 0:
            found.append(Token(kind, match.group(), match.start(), match.end()))
    return found


def closing(all_tokens, at):
    """The place of the bracket that closes the one at `at`."""
    pairs, depth = {"(": ")", "[": "]", "{": "}"}, 0
    for i in range(at, len(all_tokens)):
        if all_tokens[i].text in pairs:
            depth += 1
        elif all_tokens[i].text in pairs.values():
            depth -= 1
            if depth == 0:
                return i
    raise ValueError("a bracket stays open")


def declared_alike(all_tokens):
    """Names of variables of the same type in the file."""
    groups = []
    for i, token in enumerate(all_tokens):
        if token.text != "logic" or i and all_tokens[i - 1].text in {"input", "output", "automatic"}:
            continue
        names, depth = [], 0
        for after in all_tokens[i + 1:]:
            depth += {"[": 1, "]": -1}.get(after.text, 0)
            if after.text == ";" or after.text in {"=", "("}:
                break
            if after.kind == "name" and depth == 0:
                names.append(after.text)
        groups.append(names)
    return {name: group[(group.index(name) + 1) % len(group)] for group in groups for name in group if len(group) > 1}


def sites(all_tokens):
    """(kind, first token of the statement, first and last token that are replaced) of right-hand sides and conditions; of
    assignments in clocked processes the left-hand side too."""
    found, i = [], 0
    process, depth, clocked = None, 0, False  # begin … end around; of a process or function
    while i < len(all_tokens):
        text = all_tokens[i].text
        if text in {"always_comb", "always_ff", "function"}:
            process, depth, clocked = text, 0, text == "always_ff"
            if text == "function":  # its head
                while all_tokens[i].text != ";":
                    i += 1
            elif text == "always_ff":
                i = closing(all_tokens, i + 2)
        elif text == "assign" and process is None:
            start = next(k for k in range(i, len(all_tokens)) if all_tokens[k].text == "=")
            end = next(k for k in range(start, len(all_tokens)) if all_tokens[k].text == ";")
            found.append(("value", i, start + 1, end - 1))
            i = end
        elif process:
            if text in {"begin", "case"}:
                depth += 1
            elif text in {"end", "endcase"}:
                depth -= 1
                if depth == 0 and process != "function" and not all_tokens[i + 1].text == "else":
                    process = None
            elif text == "endfunction":
                process = None
            elif text in {"for", "case"}:
                i = closing(all_tokens, i + 1)
            elif text == "if":
                end = closing(all_tokens, i + 1)
                found.append(("condition", i + 2, i + 2, end - 1))
                i = end
            elif text in {"logic", "int", "return"}:
                while all_tokens[i].text != ";":
                    i += 1
            elif all_tokens[i].kind == "name" or text == "{":
                first, nested = i, 0
                while nested or all_tokens[i].text not in {"=", "<=", ";"}:
                    nested += {"[": 1, "]": -1, "{": 1, "}": -1, "(": 1, ")": -1}.get(all_tokens[i].text, 0)
                    i += 1
                    if i == len(all_tokens) or all_tokens[i].text in {"begin", "else", "if", "for", "end"}:
                        break
                if i < len(all_tokens) and all_tokens[i].text in {"=", "<="}:
                    start = i + 1
                    while all_tokens[i].text != ";":
                        i += 1
                    found.append(("value", first, start, i - 1))
                    if clocked:
                        found.append(("statement", first, first, i))
                    if depth == 0 and process != "function" and not all_tokens[i + 1].text == "else":
                        process = None
                else:
                    continue
        i += 1
    return found


def variants(part, alike):
    """(what, list of texts of the tokens) of an expression."""
    depth_constant = 0  # within a width, a count or a size, which must be constants
    for i, token in enumerate(part):
        before = part[i - 1] if i else None
        if token.text == "[":
            inside = part[i:closing(part, i)]
            depth_constant += any(each.text == ":" for each in inside) and not any(each.text == "?" for each in inside)
        if token.text == "]" and depth_constant:
            depth_constant = max(0, depth_constant - 1)
        if depth_constant or before and before.text in {"+:", "-:"}:
            continue
        if i + 1 < len(part) and part[i + 1].text == "'" or before and before.text == "{" and i + 1 < len(part) and \
                part[i + 1].text == "{":
            continue

        def changed(text, first=i, last=i):
            return [each.text for each in part[:first]] + ([text] if text else []) + [each.text for each in part[last + 1:]]
        is_operand = before is not None and (before.kind in {"name", "number"} or before.text in {")", "]", "}"})
        if token.kind == "operator" and is_operand:
            for other in BINARY.get(token.text, []):
                yield f"{token.text} -> {other}", changed(other)
        elif token.text in {"!", "~"}:
            yield f"{token.text} removed", changed("")
        elif token.text in {"&", "|"} and not is_operand:
            other = "|" if token.text == "&" else "&"
            yield f"reduction {token.text} -> {other}", changed(other)
        elif token.kind == "number":
            match = re.fullmatch(r"(\d*'[bdh])?([01])", token.text)
            if token.text in {"'0", "'1"}:
                yield f"{token.text} flipped", changed("'1" if token.text == "'0" else "'0")
            elif match:
                yield f"{token.text} flipped", changed((match[1] or "") + ("1" if match[2] == "0" else "0"))
            elif token.text.isdigit():
                yield f"{token.text} + 1", changed(str(int(token.text) + 1))
        elif token.kind == "name" and token.text in alike and not (before and before.text == "."):
            yield f"{token.text} -> {alike[token.text]}", changed(alike[token.text])


def mutants_of(name, text):
    all_tokens = tokens(text)
    alike = declared_alike(all_tokens)
    found = []
    for kind, statement, first, last in sites(all_tokens):
        part = all_tokens[first:last + 1]
        start, end = part[0].start, part[-1].end
        line = text.count("\n", 0, start) + 1
        if any(each.text.startswith("`") for each in part):
            continue
        if kind == "statement":
            found.append(Mutant(name, line, "assignment dropped: " + " ".join(text[start:end].split()), (start, end, kind), ""))
            continue
        whole = text[start:end]
        shown = " ".join(text[all_tokens[statement].start:end].split())
        for what, texts in variants(part, alike):
            found.append(Mutant(name, line, f"{what} in: {shown}", (start, end, kind), " ".join(texts)))
        if kind == "condition":
            found.append(Mutant(name, line, f"condition negated: {shown}", (start, end, kind), f"!({whole})"))
    return found


def with_mutants(text, chosen, variable):
    """The text with all mutants of `chosen` ({number: mutant} of this file) in it; `variable` selects one."""
    by_site = {}
    for number, mutant in chosen.items():
        by_site.setdefault(mutant.site, []).append((number, mutant))
    edits = []
    for (start, end, kind), here in by_site.items():
        if kind == "statement":
            number = here[0][0]
            # In a block of its own: an `else` that follows belongs to the `if` before.
            edits += [(start, -end, f"begin if ({variable} != {number}) "), (end, 0, " end")]
            continue
        choice = "".join(f"({variable} == {number}) ? ({mutant.text}) : " for number, mutant in here)
        edits.append((start, -end, "(" + choice + "("))
        edits.append((end, 0, "))"))
    # An expression is inside its statement: insertions at the same place in the order of the longest first.
    for place, _, insert in sorted(edits, key=lambda each: (each[0], each[1]), reverse=True):
        text = text[:place] + insert + text[place:]
    return text
