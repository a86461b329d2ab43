// SPDX-License-Identifier: Apache-2.0
// The pages of compare and explain in Chromium, offline.  node answers_test.mjs COMPARE.html COMPARE2.html EXPLAIN.html [PICTURES]
import assert from "node:assert/strict";
import path from "node:path";
import {closeBrowser, withPage} from "./browser.mjs";

const [fabrics, slower, explained, pictures] = process.argv.slice(2);
const picture = (page, name) => pictures && page.screenshot({path: path.join(pictures, name), fullPage: true});
/// The values of a column of a table's rows.
const column = (page, table, title) => page.$$eval(`#${table} tbody td[data-column="${title}"]`, (cells) => cells.map((cell) => cell.dataset.value));

const comparison = (file, least, check) => withPage(file, {}, async (page) => {
  const {runs, differences} = await page.evaluate(() => window.wafertlm.data);
  for (const [i, each] of differences.entries()) {
    const changes = (await column(page, `waterfall-table-${i}`, "change")).map(Number);
    const [first, other] = [runs[0], runs[i + 1]].map(({results}) => results.iterations.at(-1).time_ps);
    assert.equal(changes.reduce((sum, change) => sum + change, 0), other - first, "the causes sum to the difference");
    assert.deepEqual(await column(page, `changed-table-${i}`, "key"), each.changed.map((row) => row.key));
    assert.ok(each.changed.length >= least);
    // The bars go from the first run's time to this one's.
    const bars = await page.evaluate((name) => window.wafertlm.charts[name].getOption().series[1].data.length, `waterfall-${i}`);
    assert.equal(bars, 2 + each.waterfall.parts.filter((part) => part.change_ps !== 0).length);
  }
  await check(page, differences[0]);
});

const said = [
  await comparison(fabrics, 5, (page) => picture(page, "compare.png")),
  await comparison(slower, 1, async (page, difference) => {
    assert.deepEqual(difference.changed.map((row) => row.key), ["platform.wafer.fabric.link_bandwidth"]);
    const changes = (await column(page, "collectives-table-0", "change")).map((each) => Math.abs(Number(each)));
    assert.ok(changes.length > 0);
    assert.deepEqual(changes, [...changes].sort((a, b) => b - a), "the largest difference comes first");
  }),
  await withPage(explained, {dark: true}, async (page) => {
    const found = await page.evaluate(() => window.wafertlm.data.explain.what_if);
    assert.deepEqual((await column(page, "savings-table", "saves")).map(Number), found.savings.map((each) => each.saved_ps));
    assert.deepEqual(await column(page, "sensitivity-table", "key"), found.sensitivity.map((each) => each.key));
    const effects = found.sensitivity.filter((row) => [row.less, row.more].some((each) => each?.saved_ps)).length;
    const bars = await page.evaluate(() => window.wafertlm.charts.tornado?.getOption().series[0].data.length ?? 0);
    assert.equal(bars, Math.min(25, effects));
    assert.ok(effects > 5 && found.not_tried === 0);
    assert.equal((await column(page, "without-table", "change")).length, found.without_saving.length);
    await picture(page, "explain.png");
  }),
];
await closeBrowser();
assert.deepEqual(said.flat(), [], "the console says nothing, nothing is asked of the network");
