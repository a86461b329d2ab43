// SPDX-License-Identifier: Apache-2.0
// Large fabrics: a cell for each link in place of nodes and lines.

const kLargeFromNpus = 200;
const isLarge = (layout) => layout.npus >= kLargeFromNpus;

/// The cells of the links (and, on a mesh, of the routers): {cells: [{link or node, at: [x0, y0, x1, y1]}], width, height,
/// words, rowName(y)}; one by one unit of x and y is a router, or a link.
function linkCells(links, layout) {
  return layout.kind === "mesh" ? meshCells(links, layout) : kindCells(links);
}

function meshCells(links, {width, height, dead = []}) {
  const cells = [];
  const router = (name) => (/^router\d+$/.test(name) ? [Number(name.slice(6)) % width, Math.floor(Number(name.slice(6)) / width)] : null);
  let missing = 0;
  const routers = new Set();
  links.forEach(({name}, link) => {
    const [from, to] = endsOf(name), a = router(from), b = router(to);
    for (const each of [a && from, b && to]) if (each) routers.add(each);
    const at = a && b ? between(a, b) : beside(from, to, a, b, width, height);
    if (at) cells.push({link, at});
    else ++missing;
  });
  const nodes = [...routers, ...dead.filter((name) => router(name))].map((node) => {
    const [x, y] = router(node);
    return {node, at: [x - 0.27, y - 0.27, x + 0.27, y + 0.27]};
  });
  for (const name of dead) {
    const [from, to] = endsOf(name).map((end) => (end ? router(end) : null));
    if (from && to) nodes.push({node: name, at: between(from, to)});
  }
  return {
    cells: nodes.concat(cells), width, height, columns: "column", rows: "row: its routers",
    rowName: (y) => `${y}: ${y * width}–${(y + 1) * width - 1}`,
    words: `A bar is a link between two routers, beside it the other direction; the halves of a square are the links from (above) and to (below) the router's NPU.${missing ? ` ${missing} links have no place on this map.` : ""}`,
  };
}

/// A bar between routers next to each other; of a link around the wafer its first half.
function between([ax, ay], [bx, by]) {
  const along = ax === bx ? by - ay : bx - ax, step = Math.abs(along) === 1 ? Math.sign(along) : -Math.sign(along);
  const reach = Math.abs(along) === 1 ? 0.7 : 0.5;
  const [from, to] = step > 0 ? [0.3, reach] : [-reach, -0.3], [low, high] = step > 0 ? [-0.17, -0.01] : [0.01, 0.17];
  return ax === bx ? [ax - high, ay + from, ax - low, ay + to] : [ax + from, ay + low, ax + to, ay + high];
}

/// Links of NPUs in the router's square, those of I/O controllers at the wafer's edge.
function beside(from, to, a, b, width, height) {
  const [x, y] = a ?? b ?? [];
  if (x === undefined) return null;
  const other = a ? to : from;
  if (/^npu\d+/.test(other)) return a ? [x - 0.22, y, x + 0.22, y + 0.22] : [x - 0.22, y - 0.22, x + 0.22, y];
  const side = y === 0 ? [0, -1] : y === height - 1 ? [0, 1] : x === 0 ? [-1, 0] : x === width - 1 ? [1, 0] : null;
  if (!side) return null;
  const low = a ? -0.17 : 0.01, high = a ? -0.01 : 0.17;
  const out = (at) => (at > 0 ? [0.3, 0.6] : [-0.6, -0.3]);
  return side[0] === 0 ? [x + low, y + out(side[1])[0], x + high, y + out(side[1])[1]] : [x + out(side[0])[0], y + low, x + out(side[0])[1], y + high];
}

/// Without places: in rows, kind by kind, "npu->leaf" before "leaf->spine", in the order of results.json.
function kindCells(links) {
  const kWide = 64, kinds = new Map(), cells = [], names = new Map();
  links.forEach(({name}, link) => {
    const kind = name.replace(/\d+/g, "").replace(/_+(?=->|$)/g, "");
    if (!kinds.has(kind)) kinds.set(kind, []);
    kinds.get(kind).push(link);
  });
  let y = 0;
  for (const [kind, all] of kinds) {
    names.set(y, kind);
    all.forEach((link, i) => cells.push({link, at: [(i % kWide) - 0.45, y + Math.floor(i / kWide) - 0.45, (i % kWide) + 0.45, y + Math.floor(i / kWide) + 0.45]}));
    y += Math.ceil(all.length / kWide);
  }
  return {cells, width: kWide, height: y, columns: "link of its kind (the next row goes on)", rows: "kind of link", rowName: (at) => names.get(at) ?? "", words: "A square is a link, kind by kind."};
}

/// Of a chart: `look(cell)` → {colour, words}; null: not drawn.
function cellsOption({cells, width, height, rowName, columns, rows}, look) {
  const seen = cells.map((cell) => ({...cell, ...look(cell)})).filter((cell) => cell.colour);
  const axis = {type: "value", splitLine: {show: false}, axisTick: {show: false}, axisLine: {show: false}};
  const places = (count) => Array.from({length: count}, (_, i) => i).filter((i) => i % Math.max(1, Math.ceil(count / 32)) === 0);
  return {
    grid: {left: 116, right: 20, top: 16, bottom: 46},
    tooltip: {formatter: ({dataIndex}) => safe(seen[dataIndex].words)},
    xAxis: {...axis, name: columns, nameGap: 26, min: -1, max: width, axisLabel: {customValues: places(width)}},
    yAxis: {...axis, inverse: true, name: rows, nameGap: 100, min: -1, max: height, axisLabel: {customValues: places(height), formatter: rowName}},
    dataZoom: [{type: "inside", xAxisIndex: 0, filterMode: "none"}, {type: "inside", yAxisIndex: 0, filterMode: "none"}],
    series: [{
      type: "custom", clip: true, progressive: 0, encode: {x: [0, 2], y: [1, 3]}, data: seen.map(({at}) => at),
      renderItem: ({dataIndex, coordSys}, api) => {
        const {at: [x0, y0, x1, y1], colour} = seen[dataIndex], [left, top] = api.coord([x0, y0]), [right, bottom] = api.coord([x1, y1]);
        const shape = echarts.graphic.clipRectByRect({x: left, y: Math.min(top, bottom), width: Math.max(1, right - left), height: Math.max(1, Math.abs(bottom - top))}, {...coordSys});
        return shape && {type: "rect", shape, style: {fill: colour}};
      },
    }],
  };
}
