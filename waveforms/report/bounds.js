// SPDX-License-Identifier: Apache-2.0
// What bounds a collective most: the parts of the fabric in colours, and the links that its bytes must cross.

const kPartColours = ["#4878b0", "#ee8434", "#5aa657", "#b279c2", "#d9b12f", "#4fb0a8", "#c2578f", "#7f9c2d"];

/// Of a large fabric: the colour and the words of a cell.
function boundCell(tight, links, known) {
  const partOf = new Map(tight.parts.flatMap((names, part) => names.map((name) => [name, part])));
  const crossing = new Set(tight.links);
  return ({link, node}) => {
    const part = partOf.get(node) ?? partOf.get(node?.replace("router", "npu"));
    if (node) return {colour: part === undefined ? css("--line") : kPartColours[part % kPartColours.length], words: node + (part === undefined ? "" : `, part ${part + 1}`)};
    if (/npu/.test(links[link].name)) return null;  // the router has the part's colour
    const crosses = crossing.has(endsOf(links[link].name, known).join("->"));
    return {colour: crosses ? "#c91f37" : css("--line"), words: links[link].name + (crosses ? ": crosses" : "")};
  };
}

function bounds() {
  const all = data.bounds ?? [];
  if (all.length === 0) return;
  const links = data.results.links;
  const places = data.layout.kind === "mesh" ? meshPlaces(links, data.layout) : treePlaces(links);
  const place = holder(data.layout.kind === "mesh" ? 460 : 400);
  // As wide as the mesh is: what is drawn is stretched to its place.
  if (data.layout.kind === "mesh") place.style.maxWidth = `${Math.max(480, Math.round((520 * data.layout.width) / data.layout.height))}px`;
  const choice = element("select", {id: "bound-choice", "aria-label": "collective"}, ...all.map((each, i) => element("option", {value: i}, each.title)));
  const words = element("p", {id: "bound-words"});
  section("bounds", "What bounds the collectives",
    "The division of the fabric that bounds a collective most, whatever the algorithm: what must cross the marked links, over their bandwidth. Every part has a colour; grey: in no part, it only passes on.",
    element("div", {}, choice), words, place);
  const known = new Set(places.keys());
  const cells = isLarge(data.layout) ? linkCells(links, data.layout) : null;
  const made = chart("bounds", place, () => {
    const {tight} = all[Number(choice.value)];
    if (cells) return cellsOption(cells, boundCell(tight, links, known));
    const partOf = new Map(tight.parts.flatMap((names, part) => names.map((name) => [name, part])));
    const crossing = new Map(tight.links.map((name, i) => [name, tight.lengths[i] ?? 1]));
    const longest = Math.max(1, ...crossing.values());
    const small = data.layout.kind === "mesh" || places.size <= 160;
    return {
      tooltip: {formatter: ({dataType, data: item}) => safe(dataType === "edge" ? item.name : item.name + (partOf.has(item.name) ? `, part ${partOf.get(item.name) + 1}` : ""))},
      series: [{
        type: "graph", layout: "none", roam: true, left: 26, right: 26, top: 24, bottom: 24,
        label: {...nodeLabel(data.layout.kind === "mesh"), show: small},
        nodes: [...places].map(([name, [x, y]]) => ({
          name, x: x * 100, y: y * 100, ...glyphOf(name, data.layout.kind === "mesh"),
          itemStyle: {color: partOf.has(name) ? kPartColours[partOf.get(name) % kPartColours.length] : css("--faint")},
          label: {show: small && (data.layout.kind !== "mesh" || name.startsWith("router"))},
        })),
        links: links.map((link) => {
          const [source, target] = endsOf(link.name, known), length = crossing.get(`${source}->${target}`) ?? 0;
          return {source, target, name: link.name, lineStyle: {color: length > 0 ? "#c91f37" : css("--line"), width: length > 0 ? 1.5 + 2.5 * length / longest : 1, curveness: 0.12}};
        }),
      }],
    };
  });
  const show = () => {
    const {tight, bytes} = all[Number(choice.value)];
    words.textContent = `${tight.kind}${tight.kind === "partition" ? ` into ${tight.parts.length} parts` : ""}: ${formatBytes(tight.crossing_bytes)} of a vector of ${formatBytes(bytes)} over ${tight.links.length} links of ${formatBandwidth(tight.links_bytes_per_s)} together take ${formatTime(tight.time_ps)}` +
      (tight.kind === "lengths" ? "; each byte counts as often as its way is long, each link as often as it is long" : "");
    made.draw(made.instance !== null);
  };
  choice.addEventListener("change", show);
  show();
}
