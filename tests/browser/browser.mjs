// SPDX-License-Identifier: Apache-2.0
// Debian's Chromium with a page from a file and no network; what its console says is kept.
import path from "node:path";
import {chromium} from "playwright-core";

export const kExecutable = "/usr/bin/chromium";

let browser;

/// One browser for all pages of a test; closed by closeBrowser().
export async function withPage(file, {dark = false, width = 1300, height = 900} = {}, work) {
  browser ??= await chromium.launch({
    executablePath: kExecutable, headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const context = await browser.newContext({offline: true, viewport: {width, height}, colorScheme: dark ? "dark" : "light"});
  context.setDefaultTimeout(600000);  // a machine may have other work
  const said = [];
  try {
    const page = await context.newPage();
    page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => said.push(`error: ${error.stack}`));
    page.on("request", (request) => { if (!/^(file|data):/.test(request.url())) said.push(`request: ${request.url()}`); });
    await page.goto("file://" + path.resolve(file));
    await page.waitForFunction(() => window.wafertlm?.ready === true).catch((error) => {
      throw new Error(`the page is not ready: ${error.message}; it said ${said.join("; ")}`);
    });
    await work(page);
  } finally {
    await context.close();
  }
  return said;
}

export async function closeBrowser() {
  await browser?.close();
  browser = undefined;
}
