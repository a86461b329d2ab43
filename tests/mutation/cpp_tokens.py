# SPDX-License-Identifier: Apache-2.0
"""A C++ file as tokens with their places. Comments are left out; what clang-format wrote tells operators from brackets."""
import bisect
import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<directive>\#(?:[^\n\\]|\\.)*)
    | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
    | (?P<character>'(?:\\.|[^'\\\n])+')
    | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<sign><<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL)

CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


class Source:
    """A file: its text, its tokens, and for each opening bracket the index of the closing one (match; opening is the reverse)."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.tokens = [Token(match.lastgroup if match.lastgroup != "mark" else "string", match[0], *match.span())
                       for match in TOKEN.finditer(text) if match.lastgroup not in ("space", "comment")]
        self._line_starts = [0] + [at.end() for at in re.finditer("\n", text)]
        self._lines = text.split("\n")
        self.match = self._brackets()
        self.opening = {closing: opening for opening, closing in self.match.items()}

    def _brackets(self):
        match, waiting = {}, []
        for index, token in enumerate(self.tokens):
            if token.kind != "sign":
                continue
            if token.text in CLOSING:
                waiting.append(index)
            elif token.text in CLOSING.values():
                opening = waiting.pop() if waiting else None
                if opening is None or CLOSING[self.tokens[opening].text] != token.text:
                    raise ValueError(f"{self.path}:{self.line_of(index)}: brackets do not match")
                match[opening] = index
        return match

    def line_of(self, index):
        return bisect.bisect_right(self._line_starts, self.tokens[index].start)

    def line_text(self, index):
        return self._lines[self.line_of(index) - 1].strip()

    def is_binary(self, index):
        """White space on both sides: clang-format writes it around binary operators only."""
        token = self.tokens[index]
        return (token.kind == "sign" and self.text[token.start - 1:token.start].isspace()
                and self.text[token.end:token.end + 1].isspace())

    def spaced_before(self, index):
        token = self.tokens[index]
        return self.text[token.start - 1:token.start].isspace()

    def next_at_level(self, texts, low, high):
        """The first token of these outside of brackets, or high."""
        index = low
        while index < high:
            token = self.tokens[index]
            if token.kind in ("sign", "name") and token.text in texts:
                return index
            index = self.match.get(index, index) + 1
        return high

    def split(self, separator, low, high):
        """The parts between separators outside of brackets, as (low, high)."""
        parts, begin = [], low
        while begin <= high:
            end = self.next_at_level({separator}, begin, high)
            parts.append((begin, end))
            begin = end + 1
        return parts

    def written(self, low, high, changes=None):
        """The tokens in one line, without comments; changes: new texts by index of the token."""
        parts = []
        for index in range(low, high):
            token = self.tokens[index]
            if index > low and token.start > self.tokens[index - 1].end:
                parts.append(" ")
            parts.append((changes or {}).get(index, token.text))
        return "".join(parts).strip()
