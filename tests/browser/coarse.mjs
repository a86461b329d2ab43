// SPDX-License-Identifier: Apache-2.0
// Coarse pictures: what a chart looks like whatever the machine's fonts and smoothing are.

const kWide = 32, kHigh = 24;

/// A picture of the element in kWide x kHigh greys, row by row; `page` draws it.
export async function coarsePicture(page, selector) {
  const png = (await page.locator(selector).first().screenshot()).toString("base64");
  const greys = await page.evaluate(async ([source, wide, high]) => {
    const image = new Image();
    image.src = "data:image/png;base64," + source;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const {data} = context.getImageData(0, 0, image.width, image.height), sums = new Array(wide * high).fill(0), counts = new Array(wide * high).fill(0);
    for (let y = 0; y < image.height; ++y)
      for (let x = 0; x < image.width; ++x) {
        const cell = Math.floor((y * high) / image.height) * wide + Math.floor((x * wide) / image.width), at = 4 * (y * image.width + x);
        sums[cell] += (data[at] + data[at + 1] + data[at + 2]) / 3;
        ++counts[cell];
      }
    return sums.map((sum, i) => Math.round(sum / counts[i]));
  }, [png, kWide, kHigh]);
  return Buffer.from(greys);
}

/// Mean difference of the greys, of 255.
export function difference(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; ++i) sum += Math.abs(a[i] - b[i]);
  return sum / a.length;
}
