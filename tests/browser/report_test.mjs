// SPDX-License-Identifier: Apache-2.0
// The report in Chromium, offline: what it shows is what results.json says.  node report_test.mjs FOLDER PRINTED [PICTURES]
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import {closeBrowser, withPage} from "./browser.mjs";

const [folder, printedFile, pictures] = process.argv.slice(2);
const printed = fs.readFileSync(printedFile, "utf8");
const results = JSON.parse(fs.readFileSync(path.join(folder, "results.json"), "utf8"));
const last = results.iterations.at(-1);

/// Of the shown rows: column → text and value.
const rowsOf = (page, id) => page.$$eval(`#${id} tbody tr`, (rows) => rows.map((row) => Object.fromEntries(
  [...row.cells].map((cell) => [cell.dataset.column, {text: cell.textContent, value: cell.dataset.value}]))));

async function breakdown(page) {
  assert.equal(Number(await page.getAttribute("#iteration-time", "data-value")), results.iteration_time_s);
  for (let i = 0; i < results.iterations.length; ++i) {
    const iteration = results.iterations[i];
    await page.selectOption("#iteration", String(i));
    const rows = await rowsOf(page, "breakdown-table");
    let sum = 0;
    for (const row of rows) {
      for (const [column, part] of [["time", "breakdown_s"], ["min", "breakdown_min_s"], ["mean", "breakdown_mean_s"], ["max", "breakdown_max_s"]])
        assert.equal(Number(row[column].value), iteration[part][row.part.value], `${column} of ${row.part.value}`);
      sum += Math.round(Number(row.time.value) * 1e12);
      // What the terminal printed, to the last digit.
      const line = [row.part.value, row.time.text, row.share.text, row.min.text, row.mean.text, row.max.text].map((each) => each.trim());
      const words = printed.split(/Iteration \d+: /)[i + 1].split("\n").map((each) => each.trim().split(/ {2,}/));
      assert.ok(words.some((each) => each.join("|").replace(/\|/g, "  ") === line.join("  ") || each.join(" ").replace(/ +/g, " ") === line.join(" ")), `${line.join("  ")} is not what was printed`);
    }
    assert.equal(sum, iteration.time_ps, "the parts shown sum to the iteration's time");
  }
}

async function rtl(page) {
  const shown = (await rowsOf(page, "rtl-table")).map((row) => [row.switch.text, row.view.text, Number(row.cycles.value), row.verdict.text]);
  assert.deepEqual(shown, (results.rtl ?? []).map((each) => [each.switch, each.view, each.cycles, each.scoreboard?.verdict ?? ""]));
}

async function timeline(page) {
  const item = await page.evaluate(() => {
    const all = window.wafertlm.timelineItems.filter((each) => each.collective && each.rank === 0);
    return all.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
  });
  const collective = results.collectives.find((each) => each.id === item.collective.id);
  assert.ok(collective.start_s * 1e12 - 1 < item.start && item.end < collective.end_s * 1e12 + 1);
  // Zoomed in, so that its bar is wider than a pixel.
  await page.evaluate(({start, end}) => {
    const margin = 2 * (end - start);
    window.wafertlm.charts.timeline.dispatchAction({type: "dataZoom", startValue: Math.max(0, start - margin), endValue: end + margin});
  }, item);
  await page.locator("#timeline").scrollIntoViewIfNeeded();
  const [x, y] = await page.evaluate(({start, end, rank, lane}) => window.wafertlm.pixelOf(start, end, rank, lane), item);
  await page.locator("#timeline .chart").click({position: {x, y}});
  const detail = page.locator("#timeline-detail");
  assert.equal(Number(await detail.getAttribute("data-start-ps")), item.start);
  assert.equal(Number(await detail.getAttribute("data-end-ps")), item.end);
  assert.equal(Number(await detail.getAttribute("data-collective")), collective.id);
  const words = await detail.textContent();
  for (const part of [collective.algorithm, "simulated", "predicted", "bound"]) assert.ok(words.includes(part), words);
  assert.ok(words.includes(await page.evaluate((ps) => window.wafertlm.formatTime(ps), Math.round(collective.time_s * 1e12))), words);
}

/// Of every rank: its time in the timeline is its breakdown, over all iterations.
async function timelineSums(page) {
  const sums = await page.evaluate(() => {
    const made = {};
    for (const {rank, parts} of window.wafertlm.timelineItems.filter((each) => each.kind === "time"))
      for (const [category, ps] of parts) made[`${rank} ${category}`] = (made[`${rank} ${category}`] ?? 0) + ps;
    return made;
  });
  const expected = {};
  for (const iteration of results.iterations)
    for (const rank of iteration.ranks)
      for (const [part, ps] of Object.entries(rank.breakdown_ps)) expected[`${rank.rank} ${part}`] = (expected[`${rank.rank} ${part}`] ?? 0) + ps;
  assert.deepEqual(sums, expected);
}

async function wafer(page) {
  const slider = page.locator("#time");
  await slider.focus();
  await page.keyboard.press("Home");
  assert.equal(await page.locator("#time-words").textContent(), "whole run");
  const links = new Map(results.links.map((link) => [link.name, link]));
  const whole = await rowsOf(page, "links-table");
  assert.equal(Number(whole[0].busy.value), Math.max(...results.links.map((link) => link.busy_fraction)));
  for (const row of whole) assert.equal(Number(row.busy.value), links.get(row.link.value).busy_fraction);
  const busyBefore = JSON.stringify(whole);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  const bucket = Number(await page.locator("#time-words").getAttribute("data-bucket"));
  assert.ok(bucket > 0);
  const now = await rowsOf(page, "links-table");
  assert.notEqual(JSON.stringify(now), busyBefore);
  // The buckets of a link add up to its busy time.
  const {sums, end} = await page.evaluate(() => {
    const {bucket_ps: width, busy} = window.wafertlm.data.links, end = window.wafertlm.data.results.simulation.end_s * 1e12;
    return {end, sums: busy.map((row) => row.reduce((sum, each, i) => sum + (each / 1e4) * Math.min(width, end - i * width), 0))};
  });
  results.links.forEach((link, i) => assert.ok(Math.abs(sums[i] / end - link.busy_fraction) < 2e-4, `${link.name}: ${sums[i] / end} and ${link.busy_fraction}`));
}

async function collectives(page) {
  assert.equal((await rowsOf(page, "collectives-table")).length, Math.min(500, results.collectives.length));
  const head = page.locator("#collectives-table th", {hasText: /^bound$/});
  const bounds = async () => (await rowsOf(page, "collectives-table")).map((row) => Number(row.bound.value));
  await head.click();
  const down = await bounds();
  await head.click();
  const up = await bounds();
  const expected = results.collectives.map((each) => each.bound_s).sort((a, b) => a - b);
  assert.deepEqual(up, expected.slice(0, 500));
  assert.deepEqual(down, expected.reverse().slice(0, 500));
  const byId = new Map(results.collectives.map((each) => [each.id, each]));
  for (const row of await rowsOf(page, "collectives-table")) {
    const {time_s, predicted_s, bus_bandwidth_bytes_per_s, bytes} = byId.get(Number(row.id.value));
    assert.deepEqual([row.time, row.predicted, row["bus bandwidth"], row.size].map((each) => Number(each?.value ?? 0)), [time_s, predicted_s, bus_bandwidth_bytes_per_s, bytes]);
  }
}

async function rest(page) {
  const path = await rowsOf(page, "path-table");
  assert.equal(path.length, Math.min(1000, results.critical_path.steps.length));
  assert.deepEqual(path.map((row) => Number(row.start.value)).sort((a, b) => a - b), results.critical_path.steps.slice(0, 1000).map((step) => step.start_s));
  const moved = results.memories.filter((each) => each.bytes_read || each.bytes_written).length > 0;
  if (moved) {
    const memories = await rowsOf(page, "memories-table");
    assert.deepEqual(memories.map((row) => Number(row.read.value)), results.memories.map((each) => each.bytes_read));
  } else {
    assert.equal(await page.locator("#memories-table").count(), 0);
  }
  const configuration = await rowsOf(page, "configuration-table");
  assert.ok(configuration.some((row) => row.key.value.endsWith("npu.peak") && row.provenance.value !== ""), "a value with its provenance");
  assert.ok(configuration.some((row) => row["set in"].value === "default"));
  // Every chart has names on its axes.
  const axes = await page.evaluate(() => Object.entries(window.wafertlm.charts).flatMap(([name, chart]) => {
    const option = chart.getOption();
    return [...(option.xAxis ?? []), ...(option.yAxis ?? [])].map((axis) => [name, axis.name]);
  }));
  for (const [name, axis] of axes) assert.ok(axis, `an axis of ${name} has no name`);
}

for (const dark of [false, true]) {
  const said = await withPage(path.join(folder, "report.html"), {dark}, async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), dark ? "dark" : "light");
    if (pictures) await page.screenshot({path: path.join(pictures, dark ? "dark.png" : "light.png"), fullPage: true});
    await breakdown(page);
    await timelineSums(page);
    await timeline(page);
    await wafer(page);
    await collectives(page);
    await rtl(page);
    await rest(page);
    await page.click("#theme");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), dark ? "light" : "dark");
    await page.emulateMedia({media: "print"});
  });
  assert.deepEqual(said, [], "the console is silent and nothing is requested");
}
await closeBrowser();
console.log(`report: ${last.ranks.length} ranks, ${results.collectives.length} collectives, ${results.links.length} links read back`);
