#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the mutation campaign: on small pieces of C++, and one of them compiled and run."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import report
from campaign import Campaign, KILLED, NOT_REACHED, SURVIVED
from compile_errors import refused
from cpp_tokens import Source
from insertion import mutated
from operators import all_regions, mutants_of
from regions import regions_of
from run import locked
from selection import Tree, choose, equivalent_mutants, found_again, some_files
from suite import Test, usual_seconds

ROOT = pathlib.Path(__file__).resolve().parents[2]


def source_of(text):
    return Source("a.cpp", text)


def places(text):
    """(kind, text) of all regions."""
    source = source_of(text)
    return [(region.kind, source.written(region.low, region.high)) for region in all_regions(regions_of(source))]


def changes(text):
    """{line of the mutant in words: its text} of the mutants in `int f() { text }`."""
    source = source_of("int f() { " + text + " }")
    regions = regions_of(source)
    order = list(all_regions(regions))
    return [(mutant.change, source.written(order[mutant.region].low, order[mutant.region].high, dict(mutant.changes)))
            for mutant in mutants_of(source, regions)]


class Tokens(unittest.TestCase):
    def test_comments_strings_and_numbers(self):
        source = source_of('a /* + */ = 1\'000 + R"x(; " )x" "\\"//" + \'"\' ->* 1e-9;  // b')
        self.assertEqual([token.text for token in source.tokens],
                         ["a", "=", "1'000", "+", 'R"x(; " )x"', '"\\"//"', "+", "'\"'", "->*", "1e-9", ";"])

    def test_operators_have_space_on_both_sides(self):
        source = source_of("f<int>(*a, -b) < &c * d;")
        binary = [source.tokens[index].text for index in range(len(source.tokens)) if source.is_binary(index)]
        self.assertEqual(binary, ["<", "*"])

    def test_brackets_that_do_not_match(self):
        self.assertRaisesRegex(ValueError, "a.cpp:2", source_of, "{\n)")


class Regions(unittest.TestCase):
    def test_statements_conditions_returns_and_initialisers(self):
        self.assertEqual(
            places("int f(int a) { int b = a + 1, c = 2; if (int d = b; d > c) g(d); else return 3;"
                   " while (a) ++a; do --a; while (a > 0); return a; }"),
            [("expression", "a + 1"), ("expression", "2"), ("expression", "b"), ("condition", "d > c"),
             ("statement", "g(d);"), ("return", "return 3;"), ("condition", "a"), ("statement", "++a;"),
             ("statement", "--a;"), ("condition", "a > 0"), ("return", "return a;")])

    def test_loops(self):
        self.assertEqual(places("void f() { for (int i = 0; i < 3; ++i) g(i); for (int x : list) g(x); for (;;) {} }"),
                         [("expression", "0"), ("condition", "i < 3"), ("step", "++i"), ("statement", "g(i);"),
                          ("statement", "g(x);")])

    def test_what_the_compiler_evaluates_is_left_out(self):
        self.assertEqual(
            places("constexpr int k = 3; static_assert(k == 3); enum class E { a = 1 }; constexpr int f() { return 1; }"
                   "int t[] = {1, 2}; struct S { int a = 1; int b{2}; };"
                   "template <int N = 3> int g() { constexpr int c = 1; static_assert(N > 1); if constexpr (N > 2) h(); "
                   "switch (N) { case 1: return 5; default: break; } throw 1; }"),
            [("statement", "h();"), ("expression", "N"), ("return", "return 5;")])

    def test_bodies_of_members_and_their_initialisers(self):
        self.assertEqual(
            places("namespace a { struct S : T { S(int x) : T(x + 1), b{x} { f(); } int g() const { return 1; } int b; };"
                   "bool S::operator==(const S& o) const { return b == o.b; } }"),
            [("expression", "x + 1"), ("expression", "x"), ("statement", "f();"), ("return", "return 1;"),
             ("return", "return b == o.b;")])

    def test_lambdas_are_regions_of_their_own(self):
        source = source_of("void f() { sort(a, [&](int x) { return x < 1; }); v[1] = 2; }"
                           "const auto t = table([] { return 5; });")
        regions = regions_of(source)
        self.assertEqual(places(source.text),
                         [("statement", "sort(a, [&](int x) { return x < 1; });"), ("return", "return x < 1;"),
                          ("statement", "v[1] = 2;"), ("return", "return 5;")])
        self.assertNotIn("<", [source.tokens[index].text for index in regions[0].own_tokens()])

    def test_declarations_are_no_statements(self):
        self.assertEqual(places("void f() { A::B<C, D>& x = y; const T z(1, {2}); std::vector<int> v; a.b = c; *p = 3; }"),
                         [("expression", "y"), ("expression", "1"), ("expression", "2"), ("statement", "a.b = c;"),
                          ("statement", "*p = 3;")])

    def test_every_source_file_can_be_read(self):
        tree = Tree(ROOT)
        paths = tree.paths()
        self.assertGreater(len(paths), 200)
        mutants = sum(len(mutants_of(*tree.read(path))) for path in paths)
        self.assertGreater(mutants, 30_000)


class Operators(unittest.TestCase):
    def test_signs(self):
        self.assertEqual(changes("a = b + c * d;"), [
            ("+ -> -", "a = b - c * d;"), ("* -> /", "a = b + c / d;"), ("statement removed", "")])
        self.assertIn(("< -> <=", "while(a <= b)"[6:-1]), changes("while (a < b) {}"))
        self.assertIn(("&& -> ||", "return a || b == c;"), changes("return a && b == c;"))
        self.assertIn(("== -> !=", "return a && b != c;"), changes("return a && b == c;"))
        self.assertIn(("-- -> ++", "++i"), changes("for (;; --i) {}"))

    def test_conditions(self):
        self.assertIn(("condition negated", "!(a || b)"), changes("if (a || b) {}"))
        self.assertIn(("condition of ? negated", "x = f((!(g(a) > 1)) ? b : c);"), changes("x = f(g(a) > 1 ? b : c);"))
        self.assertIn(("! removed", "return a;"), changes("return !a;"))

    def test_constants(self):
        self.assertEqual([text for change, text in changes("a(7u);") if "->" in change], ["a(8u);", "a(0u);", "a(1u);"])
        self.assertEqual([text for change, text in changes("a = 0;") if "->" in change], ["a = 1;"])
        self.assertIn(("0.5 -> 0.5 + 1", "a = (0.5 + 1);"), changes("a = 0.5;"))
        self.assertEqual([change for change, _ in changes("a = get<1>(b);")], ["statement removed"])

    def test_extremes_and_returns(self):
        self.assertIn(("min -> max", "return std::max<int>(a, b);"), changes("return std::min<int>(a, b);"))
        self.assertIn(("returns {}", "return {};"), [(change, re.sub(" +", " ", text).replace(" ;", ";"))
                                                     for change, text in changes("return a.b(1);")])
        self.assertEqual(changes("return std::numeric_limits<int>::max();")[0][0], "returns {}")

    def test_what_only_takes_memory_stays(self):
        self.assertEqual(changes("a.reserve(n);"), [])


class Built(unittest.TestCase):
    """All mutants of a file in one executable."""

    CODE = """#include <vector>
struct Pair { Pair(int x) : a(x + 1), b{x} {} int a, b; };
int sum(const std::vector<int>& v) {
  int total = 0;
  for (int i = 0; i < 3; ++i)
    if (v[static_cast<unsigned>(i)] > 1) total += v[static_cast<unsigned>(i)];
    else total -= 1;
  const auto twice = [&](int x) { return x * 2; };
  return twice(total);
}
int main() { const Pair pair(4); return sum({1, 2, 3}) + pair.a + pair.b; }
"""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def compiled(self, text):
        (self.folder / "a.cpp").write_text(text)
        return subprocess.run(["c++", "-w", "-std=c++17", "a.cpp", "-o", "a"], cwd=self.folder, capture_output=True,
                              text=True)

    def test_switches(self):
        source = source_of(self.CODE)
        regions = regions_of(source)
        mutants = [mutant for mutant in mutants_of(source, regions)]
        numbered = [type(mutant)(**{**mutant.__dict__, "number": k + 1}) for k, mutant in enumerate(mutants)]
        while True:
            text, of_line = mutated(source, regions, numbered, all_regions)
            done = self.compiled(text)
            bad = refused(done.stderr, {"a.cpp": of_line})
            if done.returncode == 0:
                break
            self.assertTrue(bad, done.stderr)
            numbered = [mutant for mutant in numbered if mutant.number not in bad]
        self.assertGreater(len(numbered), 25)
        self.assertEqual(self.answer(0), 8 + 5 + 4)
        for change, line, answer in (("+ -> -", 2, 8 + 3 + 4), ("> -> >=", 6, 12 + 9), ("* -> /", 8, 2 + 9),
                                     ("statement removed", 7, 10 + 9), ("1 -> 2", 7, 6 + 9), ("returns {}", 9, 9)):
            found = [mutant for mutant in numbered if (mutant.change, mutant.line) == (change, line)]
            self.assertEqual([self.answer(mutant.number) for mutant in found], [answer], (change, line))
        reached = self.folder / "reached"
        reached.write_bytes(bytes(len(mutants) + 1))
        self.answer(0, WAFERTLM_MUTANTS_REACHED=str(reached))
        self.assertEqual({k for k, byte in enumerate(reached.read_bytes()) if byte},
                         {mutant.number for mutant in numbered})

    def answer(self, mutant, **environment):
        return subprocess.run([self.folder / "a"], timeout=20,
                              env={**os.environ, "WAFERTLM_MUTANT": str(mutant), **environment}).returncode

    def test_errors_name_their_mutants(self):
        output = ("In file included from b.cxx:3:\nm.cpp:7:5: error: no match\nm.cpp:8:5: note: maybe\n"
                  "m.cpp: In instantiation of 'f':\nm.cpp:9:1:   required from here\nh.h:3:1: error: bad\n")
        self.assertEqual(refused(output, {"m.cpp": {7: 1, 8: 2, 9: 3}}), {1, 2, 3})
        self.assertEqual(refused("h.h:1:1: error: bad\n", {"m.cpp": {7: 1}}), set())


class Chosen(unittest.TestCase):
    def test_by_seed_over_all_folders(self):
        tree = Tree(ROOT)
        paths = tree.paths()
        first, again, other = (choose(tree, paths, 40, seed) for seed in ("1", "1", "2"))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual([mutant.number for mutant in first], list(range(1, 41)))
        self.assertGreater(len({tree.folder_of(mutant.path) for mutant in first}), 25)

    def test_mutants_of_an_earlier_campaign_are_found_where_they_are_now(self):
        tree = Tree(ROOT)
        chosen = choose(tree, tree.paths(["tlm/link"]), 30, "1")
        rows = [{"file": mutant.path, "line": mutant.line + 3, "text": mutant.line_text, "change": mutant.change,
                 "column": mutant.column} for mutant in chosen]
        self.assertEqual([mutant.key() for mutant in found_again(tree, rows)], [mutant.key() for mutant in chosen])
        self.assertEqual(found_again(tree, [{**rows[0], "text": "no such line"}, {**rows[0], "file": "gone.cpp"}]), [])

    def test_in_a_few_files(self):
        tree = Tree(ROOT)
        paths = some_files(tree, tree.paths(), 8, "1")
        self.assertEqual(len({tree.folder_of(path) for path in paths}), 8)
        self.assertEqual(paths, some_files(tree, tree.paths(), 8, "1"))
        self.assertEqual({mutant.path for mutant in choose(tree, paths, 40, "1")}, set(paths))

    def test_equivalent_mutants_are_in_their_files(self):
        for (path, line, _), reason in equivalent_mutants().items():
            self.assertIn(line, [text.strip() for text in (ROOT / path).read_text().split("\n")])
            self.assertTrue(reason)


class Suite(unittest.TestCase):
    def test_usual_seconds_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "Testing/Temporary").mkdir(parents=True)
            self.assertEqual(usual_seconds(folder), {})
            (pathlib.Path(folder) / "Testing/Temporary/CTestCostData.txt").write_text(
                "A.B 3 0.25\nC/D.E/x 1 7.5\n---\nA.B\n")
            self.assertEqual(usual_seconds(folder), {"A.B": 0.25, "C/D.E/x": 7.5})


class Campaigns(unittest.TestCase):
    def mutant(self, number):
        return mutants_of(source_of("void f() { a = b; }"), regions_of(source_of("void f() { a = b; }")))[0].__class__(
            "x/a.cpp", 1, 1, "a = b;", "removal", f"change {number}", 0, (), number)

    def shell(self, name, script):
        return Test(name, ["sh", "-c", script], "/", {})

    def test_verdicts_and_report(self):
        reach = 'printf "\\000\\001\\001\\000\\001" >"$WAFERTLM_MUTANTS_REACHED"; '
        notices = 'case ${WAFERTLM_MUTANT:-0} in 1) exit 1 ;; 4) sleep 60 ;; *) exit 0 ;; esac'
        tests = [self.shell("good", f"[ -z \"$WAFERTLM_MUTANTS_REACHED\" ] || {reach} {notices}"),
                 self.shell("broken", "exit 3")]
        campaign = Campaign(tests, [self.mutant(number) for number in (1, 2, 3, 4)], 2, 60, lambda path: path[0],
                            lambda line: None)
        campaign.find_reached()
        self.assertEqual(campaign.failing, ["broken"])
        verdicts = campaign.run()
        self.assertEqual([verdicts[number].outcome for number in (1, 2, 3, 4)], [KILLED, SURVIVED, NOT_REACHED, KILLED])
        folders = report.table(report.rows_of(campaign.mutants, verdicts, lambda path: path[0]))
        self.assertEqual(folders["x"], {KILLED: 2, SURVIVED: 1, NOT_REACHED: 1})
        self.assertEqual(report.missed(folders, 50, 50), [])
        self.assertEqual(report.missed(folders, 85, 50), ["all: 50.0 % killed, 85 % wanted"])
        rows = report.rows_of(campaign.mutants, verdicts, lambda path: path[0])
        self.assertEqual(report.missed(report.table(report.reached(rows)), 70, 50),
                         ["all: 66.7 % killed, 70 % wanted"])

    def test_one_at_a_time_in_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            with locked(pathlib.Path(folder) / "out"):
                with self.assertRaisesRegex(SystemExit, "another campaign is at work in .*out; wait for it"):
                    locked(pathlib.Path(folder) / "out")
            locked(pathlib.Path(folder) / "out").close()

    def test_an_earlier_campaign_is_brought_up_to_date(self):
        row = {"file": "a", "text": "b", "change": "c", "column": 1, "outcome": SURVIVED}
        other = {**row, "column": 2}
        self.assertEqual(report.merged([row, other], [{**row, "outcome": KILLED}]), [{**row, "outcome": KILLED}, other])


if __name__ == "__main__":
    unittest.main()
