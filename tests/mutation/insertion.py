# SPDX-License-Identifier: Apache-2.0
"""A mutated file: all chosen mutants are in it, each in a line of its own, behind a switch."""
import pathlib

SWITCH = pathlib.Path(__file__).with_name("switch.h")
ON = "::wafertlm_mutation::on"
MARK = "\x01"  # before each line of a mutant: MARK number MARK


def mutated(source, regions, mutants, all_regions):
    """(text, {line: number of the mutant in it}); a mutant's region is its index in all_regions."""
    chosen = {}
    order = list(all_regions(regions))
    for mutant in mutants:
        chosen.setdefault(id(order[mutant.region]), []).append(mutant)
    text = f'#include "{SWITCH}"\n' + _replaced(source, regions, chosen, 0, len(source.text))
    lines, of_line = [], {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(MARK):
            _, mutant, line = line.split(MARK, 2)
            of_line[number] = int(mutant)
        lines.append(line)
    return "\n".join(lines), of_line


def _replaced(source, regions, chosen, start, end):
    """The text from start to end with these regions switched."""
    parts = []
    for region in regions:
        first, last = source.tokens[region.low], source.tokens[region.high - 1]
        parts.append(source.text[start:first.start])
        inner = _replaced(source, region.children, chosen, first.start, last.end)
        here = chosen.get(id(region), ())
        parts.append(_switched(source, region, here, inner) if here else inner)
        start = last.end
    return "".join(parts) + source.text[start:end]


def _switched(source, region, mutants, inner):
    lines = []
    for mutant in mutants:
        changed = source.written(region.low, region.high, dict(mutant.changes))
        lines.append(f"{MARK}{mutant.number}{MARK}" + _ALTERNATIVE[region.kind].format(
            on=f"{ON}({mutant.number})", changed=changed))
    before, after = _AROUND[region.kind]
    return before + "\n" + "\n".join(lines) + "\n" + _ORIGINAL[region.kind].format(inner=inner) + "\n" + after


_ALTERNATIVE = {
    "statement": "if ({on}) {{ {changed} }} else",
    "return": "if ({on}) {{ {changed} }} else",
    "condition": "{on} ? static_cast<bool>({changed}) :",
    "step": "{on} ? static_cast<void>({changed}) :",
    "expression": "{on} ? ({changed}) :",
}
_ORIGINAL = {
    "statement": "{{ {inner}\n}}",
    "return": "{{ {inner}\n}}",
    "condition": "static_cast<bool>({inner}\n)",
    "step": "static_cast<void>({inner}\n)",
    "expression": "({inner}\n)",
}
_AROUND = {"statement": ("{", "}"), "return": ("{", "}"), "condition": ("(", ")"), "step": ("(", ")"),
           "expression": ("(", ")")}
