// SPDX-License-Identifier: Apache-2.0
// What all parts of the page share: elements, colours, charts and tables.

/// Of base64 of zlib's format.
async function inflated(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
}

const given = JSON.parse(document.getElementById("data").textContent);
if (given.deflated && !window.DecompressionStream)
  document.getElementById("report").textContent = "This browser is too old for a report of this size: Chromium 80, Firefox 113 or Safari 16.4 can read it.";
const data = given.deflated ? JSON.parse(await inflated(given.deflated)) : given;
/// For tests and for the curious: the data, and what the parts offer.
window.wafertlm = {data, charts: {}, formatTime};

/// element("td", {class: "text"}, "a", child): text becomes text, never markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function section(id, title, words, ...children) {
  const made = element("section", {id}, element("h2", {}, title));
  if (words) made.append(element("p", {}, words));
  made.append(...children);
  document.getElementById("report").append(made);
  return made;
}

const kColours = {
  compute: "#4878b0", cpu: "#8d9db0", bubble: "#c9bd8d", idle: "#a9afb8", memory: "#a0795c", mp: "#ee8434", dp: "#dd5259", pp: "#4fb0a8",
  ep: "#b279c2", input: "#5aa657", weights: "#d9b12f", control: "#7b6fd0",
};
const kMore = ["#c2578f", "#3d8fd1", "#7f9c2d", "#b3653b", "#5f6ec4"];
/// Of compute, idle, memory, a traffic class, or exposed_CLASS.
function colourOf(name) {
  const key = name.replace(/^exposed_/, "");
  if (kColours[key]) return kColours[key];
  let sum = 0;
  for (const letter of key) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return kMore[sum % kMore.length];
}

/// Idle to busy, readable on a light and on a dark page.
function heat(fraction) {
  const stops = [[0, 0x9f, 0xb4, 0xc7], [0.25, 0x4f, 0xa3, 0x8f], [0.5, 0xd9, 0xb1, 0x2f], [0.75, 0xe8, 0x7a, 0x2d], [1, 0xc9, 0x1f, 0x37]];
  const f = Math.min(1, Math.max(0, fraction));
  const above = Math.max(1, stops.findIndex(([at]) => at >= f));
  const [a, ...low] = stops[above - 1], [b, ...high] = stops[above];
  return "rgb(" + low.map((each, i) => Math.round(each + (high[i] - each) * (f - a) / (b - a))).join(",") + ")";
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const charts = [];
/// A chart that is drawn anew when theme or size changes. `option()` must read its colours then.
function chart(name, holder, option, renderer = "canvas") {
  const made = {name, instance: null, drawn: []};
  made.draw = (again) => {
    if (!made.instance) {
      made.instance = echarts.init(holder, null, {renderer});
      window.wafertlm.charts[name] = made.instance;
      holder.setAttribute("role", "img");
      holder.setAttribute("aria-label", `${holder.closest("section")?.querySelector("h2")?.textContent ?? name}: chart; its numbers are in the table beside it`);
    }
    const merged = styled(option(), {ink: css("--ink"), faint: css("--faint"), line: css("--line"), card: css("--card")});
    made.instance.setOption(merged, !again);
    for (const each of made.drawn) each();
  };
  charts.push(made);
  return made;
}

/// A chart whose place is about to go.
function removeChart(name) {
  const at = charts.findIndex((each) => each.name === name);
  if (at < 0) return;
  charts.splice(at, 1)[0].instance?.dispose();
  delete window.wafertlm.charts[name];
}

function useTheme(theme) {
  document.documentElement.dataset.theme = theme;
  for (const each of charts) if (each.instance) each.draw();
}

/// Columns: {title, of(row) → value to sort by, show(value, row) → text, text: left-aligned, long}. Clicking a title sorts.
/// `dropZeros`: columns of numbers that are 0 in every row are named below the table in place of being shown.
function table(id, all, rows, {limit = 2000, sortBy = null, dropZeros = false} = {}) {
  const isZero = (column) => dropZeros && !column.text && !column.key && rows.length > 0 && rows.every((row) => !column.of(row));
  const columns = all.filter((each) => !isZero(each)), zeros = all.filter(isZero).map((each) => each.title);
  const body = element("tbody"), heads = [];
  let order = rows.slice();
  const fill = () => {
    body.replaceChildren(...order.slice(0, limit).map((row) => element("tr", {}, ...columns.map((column) => {
      const value = column.of(row);
      const shown = column.show ? column.show(value, row) : String(value);
      const kind = [column.text ? "text" : "", column.long ? "long" : ""].join(" ").trim();
      return element("td", {class: kind, "data-column": column.title, "data-value": value ?? ""}, shown);
    }))));
  };
  const sort = (column, head) => {
    const down = head.getAttribute("aria-sort") === "descending" || (column.text && !head.hasAttribute("aria-sort"));
    for (const each of heads) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "ascending" : "descending");
    const sign = down ? 1 : -1;
    order = rows.slice().sort((a, b) => {
      const x = column.of(a), y = column.of(b);
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
    fill();
  };
  for (const column of columns) {
    const head = element("th", {class: (column.text ? "text " : "") + "sortable", title: "sort", tabindex: 0, scope: "col"}, column.title);
    head.addEventListener("click", () => sort(column, head));
    head.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      sort(column, head);
    });
    heads.push(head);
  }
  fill();
  if (sortBy) sort(columns.find((each) => each.title === sortBy), heads[columns.findIndex((each) => each.title === sortBy)]);
  const made = element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": id.replaceAll("-", " ")}, element("table", {id}, element("thead", {}, element("tr", {}, ...heads)), body));
  if (zeros.length > 0) made.append(element("p", {class: "zeros"}, `Zero in every row: ${zeros.join(", ")}.`));
  if (rows.length > limit) made.append(element("p", {}, `The first ${limit} of ${rows.length} rows in this order; results.json has all.`));
  return made;
}

const swatch = (name) => element("span", {class: "swatch", style: `background:${colourOf(name)}`});
const legend = (names) => element("div", {class: "legend"}, ...names.map((name) => element("span", {}, swatch(name), name)));
const holder = (height) => element("div", {class: "chart", style: `height:${height}px`});
/// Text for a tooltip's HTML.
const safe = (text) => String(text).replace(/[&<>"]/g, (each) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[each]);
