# SPDX-License-Identifier: Apache-2.0
"""The places of a C++ file that can be switched at run time: statements, returns, conditions and initialisers inside
functions. What the compiler evaluates (constexpr, static_assert, case labels, template parameters) is none."""
import dataclasses

DECLARING = {"const", "auto", "static", "unsigned", "signed", "int", "bool", "char", "double", "float", "long", "short",
             "volatile", "typename", "thread_local"}
NOT_SWITCHED = {"break", "continue", "goto", "throw", "using", "typedef", "static_assert", "friend", "constexpr"}
AFTER_PARAMETERS = {"const", "noexcept", "override", "final", "mutable", "&", "&&"}


@dataclasses.dataclass
class Region:
    kind: str  # statement and return (with their semicolon), condition, step (of a for loop), expression
    low: int   # tokens [low, high)
    high: int
    children: list = dataclasses.field(default_factory=list)  # regions inside lambdas
    lambdas: list = dataclasses.field(default_factory=list)   # [low, high) of each lambda

    def own_tokens(self):
        """Indices of the tokens that are in no lambda."""
        index, lambdas = self.low, iter(self.lambdas)
        following = next(lambdas, None)
        while index < self.high:
            if following and index == following[0]:
                index, following = following[1], next(lambdas, None)
            else:
                yield index
                index += 1


def regions_of(source):
    """The outermost regions of a file, in order."""
    finder = _Finder(source)
    finder.scope(0, len(source.tokens))
    return finder.found


class _Finder:
    def __init__(self, source):
        self.source = source
        self.match = source.match
        self.found = []  # where new regions go: those of the file, or the children of the region around

    def text(self, index):
        return self.source.tokens[index].text if index < len(self.source.tokens) else ""

    def is_name(self, index):
        return index < len(self.source.tokens) and self.source.tokens[index].kind == "name"

    # Namespaces and classes.

    def scope(self, low, high):
        head = index = low
        while index < high:
            text = self.text(index)
            if text == "{":
                kind = self.kind_of_braces(head, index)
                end = self.match[index]
                if kind == "scope":
                    self.scope(index + 1, end)
                elif kind == "body":
                    self.members(head, index)
                    self.block(index + 1, end)
                index = end
                if kind != "value":
                    head = index + 1
            elif text == ";" or (text == ":" and self.text(index - 1) in ("public", "private", "protected")):
                if "constexpr" not in self.words(head, index):
                    self.lambdas(head, index)
                head = index + 1
            elif self.source.tokens[index].kind == "directive":
                head = index + 1
            index = self.match.get(index, index) + 1

    def words(self, low, high):
        """Texts outside of brackets and of `template <...>`; an opening bracket stands for its contents."""
        words, index = [], low
        while index < high:
            if self.text(index) == "template":
                index = self.after_angles(index + 1)
                continue
            words.append(self.text(index))
            index = self.match.get(index, index) + 1
        return words

    def kind_of_braces(self, head, brace):
        """Of the braces after a head: of a scope, of a function's body, of a value, or of what the compiler evaluates."""
        words = self.words(head, brace)
        if "namespace" in words or words[:1] == ["extern"] and len(words) == 2:
            return "scope"
        if "enum" in words:
            return "skipped"
        if "operator" not in words:
            if "=" in words:
                return "value"
            if {"class", "struct", "union"} & set(words) and "(" not in words:
                return "scope"
            if "(" not in words:
                return "value"
        if "constexpr" in words:
            return "skipped"
        in_member_list = ":" in words[words.index("("):] if "(" in words else False
        before = self.source.tokens[brace - 1]
        if in_member_list and (before.kind == "name" or before.text == ">") and before.text not in AFTER_PARAMETERS:
            return "value"
        return "body"

    def members(self, head, body):
        """Initialisers of members: name(...) and name{...} between the colon and the body."""
        parameters = self.source.next_at_level({"("}, head, body)
        colon = self.source.next_at_level({":"}, parameters, body)
        index = colon + 1
        while index < body:
            if index in self.match:
                self.elements(index + 1, self.match[index])
            index = self.match.get(index, index) + 1

    # Statements. Each function returns the index after what it has read.

    def block(self, low, high):
        index = low
        while index < high:
            index = self.statement(index, high)

    def statement(self, index, high):
        text = self.text(index)
        if text == "{":
            self.block(index + 1, self.match[index])
            return self.match[index] + 1
        reader = {"if": self.if_statement, "while": self.while_statement, "do": self.do_statement,
                  "for": self.for_statement, "switch": self.switch_statement, "try": self.try_statement}.get(text)
        if reader:
            return reader(index, high)
        if text in ("case", "default"):
            return self.source.next_at_level({":"}, index, high) + 1
        if self.source.tokens[index].kind == "directive":
            return index + 1
        end = self.source.next_at_level({";"}, index, high)
        if text in ("struct", "class", "union", "enum"):
            self.scope(index, end + 1)
        elif text == "return":
            if end > index + 1:
                self.region("return", index, end + 1)
        elif text in NOT_SWITCHED or "constexpr" in self.words(index, end):
            pass
        elif self.is_declaration(index):
            self.declaration(index, end)
        elif end > index:
            self.region("statement", index, min(end + 1, high))
        return end + 1

    def if_statement(self, index, high):
        opening = index + 1
        if self.text(opening) == "constexpr":
            opening += 1
        else:
            self.condition(opening + 1, self.match[opening])
        after = self.statement(self.match[opening] + 1, high)
        return self.statement(after + 1, high) if self.text(after) == "else" and after < high else after

    def while_statement(self, index, high):
        self.condition(index + 2, self.match[index + 1])
        return self.statement(self.match[index + 1] + 1, high)

    def do_statement(self, index, high):
        after = self.statement(index + 1, high)
        self.condition(after + 2, self.match[after + 1])
        return self.match[after + 1] + 2

    def for_statement(self, index, high):
        low, end = index + 2, self.match[index + 1]
        parts = self.source.split(";", low, end)
        if len(parts) == 3:
            self.declaration(*parts[0])
            self.condition(*parts[1])
            if parts[2][0] < parts[2][1]:
                self.region("step", *parts[2])
        else:
            self.lambdas(low, end)
        return self.statement(end + 1, high)

    def switch_statement(self, index, high):
        self.value(index + 2, self.match[index + 1])
        return self.statement(self.match[index + 1] + 1, high)

    def try_statement(self, index, high):
        after = self.statement(index + 1, high)
        while after < high and self.text(after) == "catch":
            after = self.statement(self.match[after + 1] + 1, high)
        return after

    # What is inside statements.

    def condition(self, low, high):
        *before, (low, high) = self.source.split(";", low, high)
        for part in before:
            self.declaration(*part)
        declared = self.source.next_at_level({"="}, low, high)
        if declared < high:
            self.value(declared + 1, high)
        elif low < high:
            self.region("condition", low, high)

    def is_declaration(self, index):
        if self.text(index) in DECLARING:
            return True
        if self.text(index) == "::":
            index += 1
        while self.is_name(index):
            if self.text(index) in ("delete", "new", "co_await"):
                return False
            index += 1
            if self.text(index) == "<" and not self.source.is_binary(index):
                index = self.after_angles(index)
            if self.text(index) != "::":
                break
            index += 1
        else:
            return False
        while self.text(index) in ("*", "&", "&&", "const") and not self.source.is_binary(index):
            index += 1
        return self.is_name(index)

    def after_angles(self, index):
        depth = 0
        while index < len(self.source.tokens):
            depth += {"<": 1, ">": -1}.get(self.text(index), 0)
            if depth == 0 or self.text(index) in (";", "{"):
                return index + 1
            index = self.match.get(index, index) + 1
        return index

    def declaration(self, low, end):
        equals = self.source.next_at_level({"="}, low, end)
        if equals < end:
            for begin, part_end in self.source.split(",", equals + 1, end):
                inner = self.source.next_at_level({"="}, begin, part_end)
                self.value(inner + 1 if inner < part_end and begin > equals + 1 else begin, part_end)
            return
        opening = self.source.opening.get(end - 1, low)
        if opening > low and self.is_name(opening - 1):
            self.elements(opening + 1, end - 1)

    def value(self, low, high):
        if low < high and self.text(low) == "{" and self.match[low] == high - 1:
            self.elements(low + 1, high - 1)
        elif low < high:
            self.region("expression", low, high)

    def elements(self, low, high):
        for part in self.source.split(",", low, high):
            self.value(*part)

    def region(self, kind, low, high):
        if any(self.source.tokens[index].kind == "directive" for index in range(low, high)):
            return
        region = Region(kind, low, high)
        self.found.append(region)
        around, self.found = self.found, region.children
        region.lambdas = self.lambdas(low, high)
        self.found = around

    def lambdas(self, low, high):
        """Reads the bodies of the lambdas of an expression; returns where each lambda begins and ends."""
        places, index = [], low
        while index < high:
            body = self.body_of_lambda(index, high)
            if body:
                self.block(body + 1, self.match[body])
                places.append((index, self.match[body] + 1))
                index = self.match[body]
            index += 1
        return places

    def body_of_lambda(self, index, high):
        """The opening brace of the lambda whose capture begins here, or None."""
        if self.text(index) != "[" or self.text(index + 1) == "[":
            return None
        before = self.source.tokens[index - 1]
        if (before.kind == "name" and before.text != "return") or before.text in (")", "]") or before.kind == "string":
            return None
        index = self.match[index] + 1
        if self.text(index) == "(":
            index = self.match[index] + 1
        elif self.text(index) != "{":
            return None
        index = self.source.next_at_level({"{", ",", ")", ";"}, index, high)
        return index if self.text(index) == "{" and index < high else None
