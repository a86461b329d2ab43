// SPDX-License-Identifier: Apache-2.0
// Reports of studies: which charts they have, that their points are the cells, links to reports.
//   node study_test.mjs FOLDER=KIND,KIND... [PICTURES]        in the order of the page: line, bar, heat map, pareto
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import {closeBrowser, withPage} from "./browser.mjs";

const given = process.argv.slice(2);
const pictures = given.at(-1).includes("=") ? undefined : given.pop();

const kinds = (page) => page.$$eval(".chart", (all) => all.map((each) => each.dataset.kind));
const points = (page, kind) => page.evaluate((name) => window.wafertlm.charts[name].getOption().series.map((each) => ({name: each.name, data: each.data.map(({value, cell, published}) => ({value, cell, published}))})), kind);

/// Values of a chart against those of results.json, up to the unit of its axis, which is the same for all.
async function chartIsRight(page, kind, column) {
  const ratios = new Set();
  let ours = 0, theirs = 0;
  for (const {data} of await points(page, kind))
    for (const {value, cell, published} of data) {
      if (!cell) continue;
      const expected = published ? cell.references[column].value : cell.values[column];
      if (expected === undefined || expected === null) continue;
      const drawn = Array.isArray(value) ? value.at(-1) : value;
      if (drawn === null) continue;
      ratios.add((drawn / expected).toPrecision(6));
      if (published) ++theirs;
      else ++ours;
    }
  assert.equal(ratios.size, 1, `${kind}: ${[...ratios]}`);
  return {ours, theirs};
}

/// Brute force: a cell is on the front if none is at least as good in both and better in one.
async function frontIsRight(page, results) {
  const [x, y] = await Promise.all([0, 1].map((i) => page.inputValue(`#pareto-${i}`)));
  const [gx, gy] = await Promise.all([0, 1].map((i) => page.inputValue(`#goal-${i}`)));
  const key = (cell) => [(gx === "less" ? 1 : -1) * cell.values[x], (gy === "less" ? 1 : -1) * cell.values[y]];
  const all = results.cells.map(key);
  const front = new Set(all.filter(([a, b]) => !all.some(([c, d]) => c <= a && d <= b && (c < a || d < b))).map(String));
  const drawn = new Set((await points(page, "pareto"))[1].data.map(({cell}) => String(key(cell))));
  assert.deepEqual(drawn, front);
}

for (const each of given) {
  const [folder, words] = each.split("="), expected = words.split(",");
  const results = JSON.parse(fs.readFileSync(path.join(folder, "results.json"), "utf8"));
  const said = await withPage(path.join(folder, "report.html"), {}, async (page) => {
    assert.deepEqual(await kinds(page), expected);
    for (const theme of ["light", "dark"]) {
      if (theme === "dark") await page.click("#theme");
      if (pictures) await page.screenshot({path: path.join(pictures, `study_${path.basename(folder)}_${theme}.png`), fullPage: true});
    }
    const column = await page.inputValue("#column");
    const references = results.cells.filter((cell) => cell.references[column]).length;
    for (const kind of expected.filter((name) => name !== "pareto")) {
      const {ours, theirs} = await chartIsRight(page, kind, column);
      assert.ok(ours > 0 && ours <= results.cells.length, `${kind}: ${ours} points`);
      if (kind !== "heat map" && ours === results.cells.length) assert.equal(theirs, references, "published values are drawn beside");
    }
    if (expected.includes("pareto")) await frontIsRight(page, results);
    // Another column, and other axes.
    const columns = await page.$$eval("#column option", (all) => all.map((option) => option.value));
    await page.selectOption("#column", columns.at(-1));
    await chartIsRight(page, (await kinds(page))[0], columns.at(-1));
    if (await page.locator("#x").count() > 0) {
      const names = await page.$$eval("#x option", (all) => all.map((option) => option.value));
      const before = await page.inputValue("#x"), other = names.find((name) => name !== before);
      await page.selectOption("#x", other);
      assert.ok(["line", "bar"].includes((await kinds(page))[0]));
      await chartIsRight(page, (await kinds(page))[0], await page.inputValue("#column"));
    }
    const rows = await page.$$eval("#cells-table tbody tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.dataset.value)));
    assert.equal(rows.length, results.cells.length);
    rows.forEach((row, i) => assert.deepEqual(row.slice(0, Object.keys(results.cells[i].at).length), Object.values(results.cells[i].at)));
    const links = await page.$$eval("#cells-table a", (all) => all.map((a) => a.getAttribute("href")));
    assert.ok(links.length === 0 || links.length === results.cells.length);
    for (const link of links) assert.ok(fs.existsSync(path.join(folder, link)), link);
    if (links.length > 0) {
      await page.click("#cells-table a");
      await page.waitForFunction(() => window.wafertlm?.ready === true && window.wafertlm.data.results);
      assert.equal(await page.evaluate(() => window.wafertlm.data.results.iteration_time_s), results.cells[0].values.iteration);
    }
  });
  assert.deepEqual(said, [], "the console is silent and nothing is requested");
}
await closeBrowser();
