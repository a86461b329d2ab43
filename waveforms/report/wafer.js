// SPDX-License-Identifier: Apache-2.0
// The wafer as it is laid out, its links coloured by how busy they are at the time of the slider.

/// "a->b" or "a->b_2": the ends. Several links between the same two have a suffix at the second.
function endsOf(name, nodes) {
  const [from, to] = name.split("->");
  if (!nodes || nodes.has(to)) return [from, to];
  let plain = to;
  while (!nodes.has(plain) && plain.length > 1) plain = plain.slice(0, -1);
  return [from, nodes.has(plain) ? plain : to];
}

/// Places on a mesh: routers on the grid, endpoints beside theirs; what is dead, too.
function meshPlaces(links, {width, height, dead = []}) {
  const places = new Map();
  const grid = (router) => [router % width, Math.floor(router / width)];
  for (const link of links)
    for (const node of endsOf(link.name))
      if (/^router\d+$/.test(node)) places.set(node, grid(Number(node.slice(6))));
  const sides = new Map();
  for (const link of links) {
    const [from, to] = endsOf(link.name);
    const router = places.get(to);
    if (/^npu\d+$/.test(from) && router) places.set(from, [router[0] + 0.3, router[1] + 0.3]);
    if (!/^io\d+$/.test(from) || !router) continue;
    const [x, y] = router, taken = sides.get(to) ?? 0;
    sides.set(to, taken + 1);
    const free = [[x === width - 1, 0.55, 0], [x === 0, -0.55, 0], [y === 0, 0, -0.55], [y === height - 1, 0, 0.55]].filter(([is]) => is);
    const [, dx, dy] = free[Math.min(taken, free.length - 1)] ?? [true, 0.4, -0.4];
    places.set(from, [x + dx, y + dy]);
  }
  for (const name of dead) {
    const at = /^(router|npu)(\d+)$/.exec(name), off = at?.[1] === "npu" ? 0.3 : 0;
    if (at) places.set(name, grid(Number(at[2])).map((place) => place + off));
  }
  return places;
}

/// Places on a tree of switches: levels by the distance from the NPUs, each switch above what is below it.
function treePlaces(links) {
  const level = new Map(), beside = new Map();
  const join = (a, b) => beside.set(a, (beside.get(a) ?? new Set()).add(b));
  const sources = new Set(links.map((link) => endsOf(link.name)[0]));
  for (const link of links) {
    const [from, to] = endsOf(link.name, sources);
    join(from, to);
    join(to, from);
  }
  const number = (name) => Number(/\d+$/.exec(name)?.[0] ?? 0);
  let row = [...beside.keys()].filter((name) => /^npu\d+$/.test(name)).sort((a, b) => number(a) - number(b));
  const places = new Map(), span = Math.max(1, row.length);
  for (const name of row) level.set(name, 0);
  row.forEach((name, i) => places.set(name, [i + 0.5, 0]));
  for (let depth = 1; row.length > 0; ++depth) {
    const next = [...new Set(row.flatMap((name) => [...beside.get(name)]))].filter((name) => !level.has(name) && !/^io\d+$/.test(name));
    for (const name of next) level.set(name, depth);
    const middle = (name) => {
      const below = [...beside.get(name)].filter((each) => level.get(each) === depth - 1).map((each) => places.get(each)[0]);
      return below.reduce((a, b) => a + b, 0) / below.length;
    };
    const order = next.map((name) => [middle(name), name]).sort(([a], [b]) => a - b);
    // Switches over the same NPUs share their place evenly.
    order.forEach(([at, name], i) => {
      const equal = order.filter(([other]) => Math.abs(other - at) < 1e-9), k = equal.findIndex(([, other]) => other === name);
      places.set(name, [at + (k - (equal.length - 1) / 2) * Math.min(1.4, (span / Math.max(1, order.length)) * 0.8), -depth * span * 0.27, i]);
    });
    row = next;
  }
  for (const name of beside.keys())
    if (!places.has(name)) {
      const at = places.get([...beside.get(name)][0]) ?? [0, 0];
      const others = [...beside.keys()].filter((each) => /^io\d+$/.test(each) && beside.get(each).has([...beside.get(name)][0]));
      places.set(name, [at[0] + (others.indexOf(name) - (others.length - 1) / 2) * 0.55, at[1] + span * 0.11]);
    }
  return places;
}

/// "1 router, 2 NPUs, 3 links": both directions of a link count once.
function deadWords(dead) {
  const count = (is) => [...dead].filter(is).length, ends = (name) => name.split("->").sort().join();
  const links = new Set([...dead].filter((name) => name.includes("->")).map(ends)).size;
  return [[count((name) => /^router\d+$/.test(name)), "router"], [count((name) => /^npu/.test(name)), "NPU"], [links, "link"]]
    .filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}${n === 1 ? "" : "s"}`).join(", ");
}

/// Routers of a mesh are as large as their numbers.
const glyphOf = (name, mesh) => (name.startsWith("npu") ? {symbolSize: 9, symbol: "rect"} : name.startsWith("io") ? {symbolSize: 7, symbol: "triangle"}
  : mesh ? {symbolSize: [24, 15], symbol: "roundRect"} : {symbolSize: 15, symbol: "circle"});
const nodeLabel = (mesh) => ({
  fontSize: mesh ? 10 : 9, formatter: ({name}) => name.replace("router", "").replace("npu", ""),
  ...(mesh ? {position: "inside", color: css("--card")} : {position: "top", distance: 2, color: css("--ink")}),
});

function wafer() {
  const links = data.results.links, {bucket_ps: width, busy} = data.links;
  if (links.every((each) => each.busy_fraction === 0)) return section("wafer", "The wafer and its links", "No link carried anything in this run.");
  const endPs = picoseconds(data.results.simulation.end_s);
  const places = data.layout.kind === "mesh" ? meshPlaces(links, data.layout) : treePlaces(links);
  const dead = new Set(data.layout.dead ?? []);
  const buckets = Math.max(1, ...busy.map((row) => row.length));
  const cells = isLarge(data.layout) ? linkCells(links, data.layout) : null;
  const place = holder(cells ? 680 : data.layout.kind === "mesh" ? Math.min(520, 60 + 115 * data.layout.height) : 420);
  // The run may end within the last bucket, whose fractions are of the part before the end.
  const part = (i) => Math.min(1, endPs / width - i);
  const totals = Array.from({length: buckets}, (_, i) => part(i) * busy.reduce((sum, row) => sum + (row[i] ?? 0), 0));
  const most = Math.max(...totals), busiest = most > 0 ? totals.indexOf(most) : -1;  // -1: only the whole run is known
  const slider = element("input", {type: "range", id: "time", min: -1, max: buckets - 1, value: busiest, "aria-label": "time"});
  const words = element("span", {id: "time-words"}), worst = element("div");
  section("wafer", "The wafer and its links",
    `Links coloured by the share of time in which their line is busy: ${most > 0 ? "at the time of the slider, or over the whole run with the slider at its left end. It begins at the busiest moment." : "over the whole run; this fabric does not tell when."} ` + (cells ? cells.words : "Both directions of a link are drawn; small squares are NPUs, triangles I/O controllers."),
    element("div", {class: "legend"}, "busy:", ...[0, 0.25, 0.5, 0.75, 1].map((f) => element("span", {}, element("span", {class: "swatch", style: `background:${heat(f)}`}), `${100 * f} %`)),
      ...(dead.size > 0 ? [element("span", {id: "dead"}, element("span", {class: "swatch", style: "background:var(--dead)"}), `dead: ${deadWords(dead)}`)] : [])),
    most > 0 ? element("div", {class: "slider"}, "time", slider, words) : element("div", {hidden: ""}, slider, words), element("div", {class: cells ? "" : "columns wide"}, place, worst));

  let bucket = -1;
  const fraction = (i) => (bucket < 0 ? links[i].busy_fraction : (busy[i][bucket] ?? 0) / 1e4);
  const nodes = [...places].map(([name, [x, y]]) => ({name, x: x * 100, y: y * 100, ...glyphOf(name, data.layout.kind === "mesh"), ...(dead.has(name) ? {itemStyle: {color: css("--dead")}} : {})}));
  const known = new Set(places.keys());
  const small = data.layout.kind === "mesh" || nodes.length <= 160;
  const ends = links.map((link) => endsOf(link.name, known));
  const inCell = ({link, node}) => (dead.has(node) ? {colour: css("--dead"), words: `${node}: dead`} : node ? null : {
    colour: heat(fraction(link)),
    words: `${links[link].name}: busy ${formatPercent(fraction(link))}; over the run ${formatPercent(links[link].busy_fraction)}, no credit ${formatPercent(links[link].blocked_fraction.credit)}`,
  });
  const made = chart("wafer", place, () => (cells ? cellsOption(cells, inCell) : {
    tooltip: {formatter: ({dataType, data: item}) => dataType === "edge" && item.place === undefined ? `${safe(item.name)}: dead` : dataType === "edge" ? `${safe(links[item.place].name)}<br>busy ${formatPercent(fraction(item.place))}<br>over the run ${formatPercent(links[item.place].busy_fraction)}, no credit ${formatPercent(links[item.place].blocked_fraction.credit)}` : safe(item.name) + (dead.has(item.name) ? ": dead" : "")},
    series: [{
      type: "graph", layout: "none", roam: true, left: 26, right: 26, top: 24, bottom: 24, itemStyle: {color: css("--faint")},
      label: {...nodeLabel(data.layout.kind === "mesh"), show: small},
      nodes: nodes.map((each) => ({...each, label: {show: small && (data.layout.kind !== "mesh" || /^router/.test(each.name))}})),
      links: ends.map(([source, target], i) => ({
        source, target, place: i, lineStyle: {color: heat(fraction(i)), width: 1.4 + 3.2 * fraction(i), opacity: 0.95, curveness: /^(npu|io)/.test(source) || /^(npu|io)/.test(target) ? 0.25 : 0.12},
      })).concat([...dead].filter((name) => name.includes("->")).map((name) => ({
        source: endsOf(name)[0], target: endsOf(name)[1], name, lineStyle: {color: css("--dead"), type: "dashed", curveness: 0.12},
      }))),
    }],
  }));
  const show = () => {
    bucket = Number(slider.value);
    words.textContent = bucket < 0 ? "whole run" : `${formatTime(bucket * width)} to ${formatTime(Math.min((bucket + 1) * width, endPs))}`;
    words.dataset.bucket = bucket;
    const order = links.map((link, place) => ({link, place, fraction: fraction(place)})).sort((a, b) => b.fraction - a.fraction || a.place - b.place).slice(0, 14);
    worst.replaceChildren(element("h2", {}, "Busiest links"), table("links-table", [
      {title: "link", text: true, of: ({link}) => link.name},
      {title: "busy", of: (each) => each.fraction, show: (value) => element("span", {}, element("span", {class: "swatch", style: `background:${heat(value)}`}), formatPercent(value))},
      {title: "of the run", of: ({link}) => link.busy_fraction, show: formatPercent},
      ...(links.some((link) => link.blocked_fraction.credit > 0) ? [{title: "no credit", of: ({link}) => link.blocked_fraction.credit, show: formatPercent}] : []),
    ], order));
    made.draw(made.instance !== null);
  };
  slider.addEventListener("input", show);
  show();
}
