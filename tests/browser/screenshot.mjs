// SPDX-License-Identifier: Apache-2.0
// A picture of a page:  node screenshot.mjs PAGE.html PICTURE.png [dark] [whole] [#element]
import {closeBrowser, withPage} from "./browser.mjs";

const [file, picture, ...words] = process.argv.slice(2);
const element = words.find((word) => word.startsWith("#"));
const said = await withPage(file, {dark: words.includes("dark")}, async (page) => {
  await page.waitForTimeout(300);
  if (element) await page.locator(element).screenshot({path: picture});
  else await page.screenshot({path: picture, fullPage: words.includes("whole")});
});
await closeBrowser();
if (said.length > 0) {
  console.error(said.join("\n"));
  process.exit(1);
}
