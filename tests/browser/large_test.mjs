// SPDX-License-Identifier: Apache-2.0
// Reports of runs on wafers of several sizes, light and dark: nothing of the time is dropped, whatever is drawn; pictures.
//   node large_test.mjs GOLDEN.json REPORT.html ... [PICTURES]        with WRITE_GOLDEN=1 the golden pictures are written
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import {closeBrowser, withPage} from "./browser.mjs";
import {coarsePicture, difference} from "./coarse.mjs";

const [goldenFile, ...rest] = process.argv.slice(2);
const pictures = rest.at(-1).endsWith(".html") ? undefined : rest.pop();
const kMostDifference = 8;  // of 255 in the mean; fonts make 1 to 3, a wafer without its bars 20
const golden = process.env.WRITE_GOLDEN ? {} : JSON.parse(fs.readFileSync(goldenFile, "utf8"));

/// By row and category, what is drawn of a time between two times.
const drawn = (page) => page.evaluate(() => {
  const sums = {};
  for (const item of window.wafertlm.timelineVisible().filter((each) => each.lane < 0)) {
    const length = item.column ? 1 : (item.drawn[1] - item.drawn[0]) / (item.end - item.start);
    for (const [category, ps] of item.parts) sums[`${item.rank} ${category}`] = (sums[`${item.rank} ${category}`] ?? 0) + ps * length;
  }
  return sums;
});

async function timeline(page, ranks) {
  const of = (key, all) => all.find((each) => each.rank === Number(key.split(" ")[0])).breakdown_ps[key.split(" ")[1]];
  const whole = await drawn(page), shown = new Set(Object.keys(whole).map((key) => key.split(" ")[0]));
  assert.equal(shown.size, Math.min(24, await page.evaluate(() => window.wafertlm.charts.timeline.getOption().yAxis[0].data.length)));
  for (const [key, ps] of Object.entries(whole)) assert.ok(Math.abs(ps - of(key, ranks)) <= 1e-6 * of(key, ranks) + 1, `${key}: ${ps} of ${of(key, ranks)}`);
  for (const rank of shown) for (const [part, ps] of Object.entries(ranks[rank].breakdown_ps)) if (ps > 0) assert.ok(`${rank} ${part}` in whole, `${rank} ${part}`);
  // Of a tenth in the middle: all categories of a rank sum to it.
  const end = Object.values(ranks[0].breakdown_ps).reduce((a, b) => a + b);
  await page.evaluate(([from, to]) => window.wafertlm.charts.timeline.dispatchAction({type: "dataZoom", startValue: from, endValue: to}), [0.45 * end, 0.55 * end]);
  const sums = {};
  for (const [key, ps] of Object.entries(await drawn(page))) sums[key.split(" ")[0]] = (sums[key.split(" ")[0]] ?? 0) + ps;
  for (const [rank, sum] of Object.entries(sums)) assert.ok(Math.abs(sum / (0.1 * end) - 1) < 1e-3, `rank ${rank}: ${sum / end} of the time`);
  await page.evaluate((to) => window.wafertlm.charts.timeline.dispatchAction({type: "dataZoom", startValue: 0, endValue: to}), end);
}

async function groups(page, ranks) {
  const rows = await page.$$eval("#groups-table tbody tr", (all) => all.map((row) => ({number: Number(row.cells[1].dataset.value), words: row.cells[0].textContent})));
  if (ranks.length <= 24) return assert.deepEqual(rows, []);
  assert.ok(rows.length >= 1 && rows.length <= 24);
  assert.equal(rows.reduce((sum, row) => sum + row.number, 0), ranks.length);
  const option = await page.evaluate(() => window.wafertlm.charts.breakdown.getOption().yAxis[0].data.length);
  assert.equal(option, rows.length);
}

/// No table has a column of numbers that are all zero.
async function columns(page) {
  const zeros = await page.$$eval("table", (tables) => tables.filter((each) => /^(collectives|memories|groups)-table$/.test(each.id)).flatMap((each) => {
    const rows = [...each.tBodies[0].rows];
    return [...each.tHead.rows[0].cells].filter((head, i) => head.textContent !== "id" && !head.classList.contains("text") && rows.every((row) => Number(row.cells[i].dataset.value) === 0)).map((head) => `${each.id} ${head.textContent}`);
  }));
  assert.deepEqual(zeros, []);
}

/// From 200 NPUs on a cell for each link and router; below glyphs with numbers.
async function wafer(page, {results, layout}) {
  const series = await page.evaluate(() => window.wafertlm.charts.wafer.getOption().series[0]);
  if (layout.npus < 200) return assert.equal(series.type, "graph");
  assert.equal(series.type, "custom");
  assert.equal(series.data.length, results.links.length);
  for (const [x0, y0, x1, y1] of series.data) assert.ok(x0 < x1 && y0 < y1 && x0 >= -1 && y0 >= -1 && x1 <= layout.width && y1 <= layout.height);
}

const times = [];
for (const file of rest) {
  assert.ok(fs.statSync(file).size <= 5e6, `${file} has ${fs.statSync(file).size} bytes`);
  const said = await withPage(file, {}, async (page) => {
    const data = await page.evaluate(() => ({layout: window.wafertlm.data.layout, results: {iterations: window.wafertlm.data.results.iterations, links: window.wafertlm.data.results.links}}));
    const {npus} = data.layout;
    times.push(`${npus}: ${Math.round(await page.evaluate(() => window.wafertlm.readyMs))} ms`);
    for (const theme of ["light", "dark"]) {
      if (theme === "dark") await page.click("#theme");
      if (pictures) await page.screenshot({path: path.join(pictures, `run_${npus}_${theme}.png`), fullPage: true});
      for (const chart of npus === 100 ? [] : ["timeline", "wafer"]) {
        const picture = await coarsePicture(page, `#${chart} .chart`), key = `run_${npus}_${theme}_${chart}`;
        if (process.env.WRITE_GOLDEN) golden[key] = picture.toString("base64");
        const off = difference(picture, Buffer.from(golden[key], "base64"));
        assert.ok(off <= kMostDifference, `${key} differs by ${off} of 255 from the golden picture`);
      }
    }
    const {ranks} = data.results.iterations.at(-1);
    await timeline(page, ranks);
    await groups(page, ranks);
    await columns(page);
    await wafer(page, data);
  });
  assert.deepEqual(said, [], "the console is silent and nothing is requested");
}
await closeBrowser();
if (process.env.WRITE_GOLDEN) fs.writeFileSync(goldenFile, JSON.stringify(golden, null, 1) + "\n");
console.log(`ready after, by NPUs: ${times.join(", ")}`);
