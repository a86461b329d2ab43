// SPDX-License-Identifier: Apache-2.0
// The guide's site in Chromium, from files and offline.  node site_test.mjs SITE [PICTURES]
import assert from "node:assert/strict";
import path from "node:path";
import {chromium} from "playwright-core";
import {kExecutable} from "./browser.mjs";

const [site, pictures] = process.argv.slice(2);
const browser = await chromium.launch({executablePath: kExecutable, headless: true, args: ["--no-sandbox", "--disable-gpu"]});
try {
  const context = await browser.newContext({offline: true, viewport: {width: 1200, height: 900}});
  context.setDefaultTimeout(600000);
  const page = await context.newPage(), said = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.stack));
  page.on("request", (request) => { if (!/^(file|data):/.test(request.url())) said.push(request.url()); });
  page.on("requestfailed", (request) => said.push(`failed: ${request.url()}`));
  await page.goto("file://" + path.resolve(site, "index.html"));
  // From the start to each page by its link.
  for (const [link, heading] of [["Architect", "Architect: what should I change next?"], ["RTL engineer", "RTL engineer: is my switch right under real traffic?"],
    ["System researcher", "System researcher: how good is it, against what is possible?"], ["Studies", "Three studies, retold"],
    ["Coming from ASTRA-sim", "Coming from ASTRA-sim"], ["Keys", "Keys"]]) {
    await page.locator("a", {hasText: new RegExp(`^\\s*${link}\\s*$`)}).first().click();
    assert.equal((await page.locator("h1").first().textContent()).trim(), heading);
    const wide = await page.evaluate(() => document.querySelector("h1").getBoundingClientRect().width);
    assert.ok(wide > 300, "the style is there");
    const charts = await page.$$eval("img", (all) => all.map((image) => image.naturalWidth));
    assert.deepEqual(charts, link === "Studies" ? [760, 760, 760] : [], "the charts are there");
    if (pictures) await page.screenshot({path: path.join(pictures, `guide_${link.replace(/\W+/g, "_").toLowerCase()}.png`)});
  }
  assert.ok(await page.locator("table").count() >= 15);
  // The search, from disk; with words in the address it is open.
  await page.goto("file://" + path.resolve(site, "index.html") + "?q=link_bandwidth");
  const found = await page.$$eval("#mkdocs-search-results a", (all) => all.map((link) => link.getAttribute("href")));
  assert.ok(found.some((each) => each.includes("keys.html#platform")), found);
  await page.locator("#mkdocs-search-query").fill("random traffic with stalls");
  await page.locator("#mkdocs-search-results a", {hasText: "RTL engineer"}).first().click();
  assert.equal((await page.locator("h1").first().textContent()).trim(), "RTL engineer: is my switch right under real traffic?");
  assert.deepEqual(said, []);
} finally {
  await browser.close();
}
