// SPDX-License-Identifier: Apache-2.0
// Functions of the report that need no page, against brute force in random cases.  node functions_test.mjs
import assert from "node:assert/strict";
import fs from "node:fs";

const folder = new URL("../../waveforms/report/", import.meta.url);
const source = ["format", "groups", "detail", "figures", "wafer", "cells"].map((name) => fs.readFileSync(new URL(`${name}.js`, folder), "utf8")).join("\n");
const names = ["inColumns", "stackOf", "rankGroups", "rangesOf", "quantityOf", "paretoFront", "studyChoice", "studyKinds", "meshPlaces", "linkCells", "deadWords"];
const stubs = "const partsOf = (iteration) => Object.keys(iteration.breakdown_s);";  // of summary.js: here no part is zero
const {inColumns, stackOf, rankGroups, rangesOf, quantityOf, paretoFront, studyChoice, studyKinds, meshPlaces, linkCells, deadWords} = new Function(`${stubs}\n${source}\nreturn {${names.join(", ")}};`)();

let state = 12345;
const random = (below) => { state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff; return Math.floor((state / 0x80000000) * below); };
const near = (a, b, words) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)), `${words}: ${a} is not ${b}`);

// A wafer with holes: what is dead has no links in the results, and has its place on the map all the same.
for (const width of [4, 20]) {
  const height = 10, dead = ["router5", "npu5", "npu6", "router1->router2", "router2->router1"];
  const links = [{name: "npu0->router0"}, {name: "router0->router1"}];
  const places = meshPlaces(links, {width, height, dead});
  assert.deepEqual(places.get("router5"), [5 % width, Math.floor(5 / width)]);
  assert.deepEqual(places.get("npu6"), [(6 % width) + 0.3, Math.floor(6 / width) + 0.3]);
  assert.equal(places.has("router9"), false);
  const cells = linkCells(links, {kind: "mesh", width, height, npus: width * height, dead}).cells;
  assert.deepEqual(cells.filter(({node}) => dead.includes(node)).map(({node}) => node).sort(), ["router1->router2", "router2->router1", "router5"]);
  assert.equal(deadWords(new Set(dead)), "1 router, 2 NPUs, 1 link");
}

// Columns: each pixel column has exactly the time of the stretches in it, category by category.
for (let round = 0; round < 300; ++round) {
  const stretches = [];
  let at = random(50);
  for (let i = 0; i < 60; ++i) {
    const length = random(10) === 0 ? 1 + random(400) : 1 + random(12), parts = [["abc"[random(3)], length]];
    if (length > 2 && random(4) === 0) parts.splice(0, 1, ["a", 1], ["b", length - 1]);
    stretches.push({start: at, end: at + length, parts});
    at += length + (random(5) === 0 ? random(20) : 0);
  }
  const from = random(at / 2), to = from + 1 + random(at), width = (1 + random(40)) / 2;
  const {whole, columns} = inColumns(stretches, from, to, width);
  const sums = new Map(), expected = new Map();
  const add = (map, key, ps) => map.set(key, (map.get(key) ?? 0) + ps);
  const spread = (map, parts, length, start, end) => {
    for (let column = Math.floor((start - from) / width); column * width + from < end; ++column) {
      const share = Math.min(end, from + (column + 1) * width) - Math.max(start, from + column * width);
      if (share > 1e-9) for (const [category, ps] of parts) add(map, `${column} ${category}`, (ps * share) / length);
    }
  };
  for (const {start, end, parts} of stretches) if (Math.min(end, to) > Math.max(start, from)) spread(expected, parts, end - start, Math.max(start, from), Math.min(end, to));
  for (const {item, start, end} of whole) {
    assert.ok(start >= Math.max(item.start, from) - 1e-6 && end <= Math.min(item.end, to) + 1e-6);
    spread(sums, item.parts, item.end - item.start, start, end);
  }
  for (const {start, end, parts, single} of columns) {
    assert.ok(end - start <= width + 1e-9);
    assert.ok(!single || stretches.filter((each) => each.start < end - 1e-9 && each.end > start + 1e-9).length === 1, "alone in its column");
    for (const [category, ps] of parts) add(sums, `${Math.round((start - from) / width)} ${category}`, ps);
    const stack = stackOf(parts, end - start, ["a", "b", "c"]);
    near(stack.reduce((sum, each) => sum + each.share, 0), Math.min(1, parts.reduce((sum, [, ps]) => sum + ps, 0) / (end - start)), "the stack's height");
    stack.forEach((each, i) => near(each.from, i === 0 ? 0 : stack[i - 1].to, "one part upon the other"));
    assert.deepEqual(stack.map((each) => each.category), stack.map((each) => each.category).sort());
  }
  for (const key of new Set([...sums.keys(), ...expected.keys()])) near(sums.get(key) ?? 0, expected.get(key) ?? 0, `round ${round}, column ${key}`);
  // Exact: what is as wide as a column is whole and as long as it is.
  const exact = inColumns(stretches, from, to, width, true);
  const wide = stretches.filter((each) => each.end - each.start >= width && each.start < to && each.end > from);
  for (const {start, end, free, parts} of exact.columns) {
    const covered = wide.reduce((sum, each) => sum + Math.max(0, Math.min(each.end, end) - Math.max(each.start, start)), 0);
    near(free, Math.max(width * 1e-6, end - start - covered), "what whole ones leave");
    assert.ok(parts.reduce((sum, [, ps]) => sum + ps, 0) <= free * (1 + 1e-6) + 1e-6);
  }
  for (const {start, end, free} of columns) near(free, end - start, "nothing is taken");
  assert.deepEqual(exact.whole.map(({start, end}) => [start, end]), wide.map(({start, end}) => [start, end]));
}

// Groups: every rank is in one, none is further from its first than said, and there are few.
for (let round = 0; round < 40; ++round) {
  const kinds = 1 + random(40), spread = random(30);
  const ranks = Array.from({length: 25 + random(300)}, (_, rank) => {
    const compute = 1000 - (rank % kinds) * 20 - random(1 + spread);
    return {rank, breakdown_s: {compute, idle: 1000 - compute}};
  });
  const groups = rankGroups({time_s: 1000, breakdown_s: ranks[0].breakdown_s, breakdown_max_s: ranks[0].breakdown_s, ranks});
  assert.ok(groups.length <= 24);
  assert.deepEqual(groups.flatMap((each) => each.ranks.map(({rank}) => rank)).sort((a, b) => a - b), ranks.map(({rank}) => rank));
  for (const {ranks: [first, ...others], within, mean_s: mean} of groups) {
    for (const each of others) assert.ok(Math.abs(each.breakdown_s.compute - first.breakdown_s.compute) <= within * 1000);
    near(mean.compute, [first, ...others].reduce((sum, each) => sum + each.breakdown_s.compute, 0) / (others.length + 1), "mean");
  }
}
assert.equal(rangesOf([0, 1, 2, 5, 7, 8]), "0–2, 5, 7–8");
assert.equal(rangesOf([0, 2, 4, 6], 2), "0, 2 and 2 more ranges");

for (const [text, number, unit] of [["750 GB/s", 750e9, "B/s"], ["64KiB", 65536, "B"], ["20 ns", 20e-9, "s"], ["331", 331, ""], ["1.5 TB/s", 1.5e12, "B/s"], ["2e3", 2000, ""], ["10 PFLOPS", 1e16, "FLOPS"]]) {
  near(quantityOf(text).number / number, 1, text);
  assert.equal(quantityOf(text).unit, unit);
}
for (const text of ["MP(2)-DP(5)", "mesh", "at the end", "FRED-A", "", "1 2"]) assert.equal(quantityOf(text), null, text);

// The front of two columns, in whichever direction is better.
for (let round = 0; round < 200; ++round) {
  const cells = Array.from({length: 1 + random(30)}, () => ({values: {a: random(12), b: random(12)}}));
  const [a, b] = [{column: "a", less: random(2) === 0}, {column: "b", less: random(2) === 0}];
  const key = ({values}) => [(a.less ? 1 : -1) * values.a, (b.less ? 1 : -1) * values.b];
  const best = new Set(cells.map(key).filter(([x, y]) => !cells.map(key).some(([c, d]) => c <= x && d <= y && (c < x || d < y))).map(String));
  assert.deepEqual(new Set(paretoFront(cells, a, b).map((each) => String(key(each)))), best);
}

// Charts by axes.
const studyOf = (axes) => {
  let cells = [{at: {}, values: {t: 1, u: 2}, shown: true, references: {}}];
  for (const [axis, values] of Object.entries(axes)) cells = cells.flatMap((cell) => values.map((value) => ({...cell, at: {...cell.at, [axis]: value}})));
  return {axes: Object.keys(axes).map((axis) => ({axis})), columns: [{column: "t", as: "time"}, {column: "u", as: "number"}], cells};
};
for (const [axes, expected, x] of [
  [{link: ["1 GB/s", "2 GB/s", "4 GB/s"]}, ["line", "pareto"], "link"], [{fabric: ["mesh", "FRED-A"]}, ["bar"], "fabric"], [{}, [], undefined],
  [{fabric: ["mesh", "A", "B"], size: ["1MiB", "2MiB", "4MiB"]}, ["line", "heat map", "pareto"], "size"], [{size: ["1MiB", "2MiB"], fabric: ["mesh", "A", "B"]}, ["bar", "pareto"], "fabric"],
  [{mixed: ["1 GB/s", "2 ns", "3"], one: ["x"]}, ["bar", "pareto"], "mixed"], [{same: ["1KiB", "1024B", "2KiB"]}, ["bar", "pareto"], "same"]]) {
  const of = studyOf(axes), choice = studyChoice(of);
  assert.deepEqual(studyKinds(of, choice), expected, JSON.stringify(axes));
  assert.equal(choice.x?.name, x);
}
console.log("functions: as brute force says");
