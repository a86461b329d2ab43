# SPDX-License-Identifier: Apache-2.0
"""Which mutants do not compile: from what the compiler wrote."""
import re

PLACE = re.compile(r"^(?:In file included from |\s+from )?([^\s:][^:\n]*):(\d+)[:,]")


def refused(output, of_line):
    """Numbers of the mutants an error speaks of; of_line: {file: {line: mutant}}. An error away from all mutants (inside
    a template) is one of those that the lines around it name."""
    found, around, unclear = set(), set(), False
    for line in output.split("\n"):
        place = PLACE.match(line)
        mutant = of_line.get(place[1], {}).get(int(place[2])) if place else None
        if " error: " in line:
            if unclear:
                found |= around
                around = set()
            unclear = mutant is None
            if mutant:
                found.add(mutant)
                around = set()
        elif mutant:
            around.add(mutant)
    return found | around if unclear else found
