// SPDX-License-Identifier: Apache-2.0
// What every NPU did when. A row per rank: on top what its time went into, below it its operations in lanes.

const kMostLanes = 5;

/// Operations of a rank side by side: each in the first lane that is free. Those of the compute unit and the CPU
/// come first, communication and memory below. Returns how many lanes there are.
function lanes(operations) {
  let below = 0;
  for (const computes of [true, false]) {
    const free = new Map();
    for (const each of operations) {
      if ((each.kind === "compute" || each.kind === "cpu") !== computes) continue;
      if (!free.has(each.rank)) free.set(each.rank, []);
      const ends = free.get(each.rank);
      let lane = ends.findIndex((end) => end <= each.start);
      if (lane < 0) lane = ends.length < kMostLanes ? ends.length : ends.indexOf(Math.min(...ends));
      ends[lane] = Math.max(each.end, ends[lane] ?? 0);
      each.lane = below + lane;
    }
    below += Math.max(0, ...[...free.values()].map((ends) => ends.length));
  }
  return Math.max(1, below);
}

function timelineItems() {
  const {strings, operations, spent} = data.timeline;
  const collectives = new Map(data.results.collectives.map((each) => [`${each.group}|${each.sequence}`, each]));
  const items = operations.map(([rank, kind, name, traffic, issued, start, end, bytes, node, group, number]) => ({
    rank, kind: strings[kind], name: strings[name], traffic: strings[traffic], issued, start, end, bytes, node,
    collective: group < 0 ? undefined : collectives.get(`${strings[group]}|${number}`),
    peer: group < 0 ? number : undefined,
  }));
  for (const each of items) each.category = each.traffic || (each.kind.startsWith("memory") ? "memory" : each.kind);
  const rows = lanes(items);
  const stretches = spent.map(([rank, start, end, category]) => ({rank, start, end, category: strings[category], kind: "time", lane: -1}));
  return {items, stretches, rows};
}

function describe(item) {
  const lines = [];
  if (item.kind === "time") lines.push(`Rank ${item.rank}: its time goes into ${item.category}`);
  else lines.push(`Rank ${item.rank}: ${item.kind} “${item.name}” (node ${item.node})`);
  lines.push(`${formatTime(item.end - item.start)}, from ${formatTime(item.start)} to ${formatTime(item.end)}`);
  if (item.issued !== undefined && item.issued < item.start) lines.push(`issued at ${formatTime(item.issued)}`);
  if (item.bytes) lines.push(`${formatBytes(item.bytes)}${item.traffic ? `, class ${item.traffic}` : ""}`);
  if (item.kind === "send" || item.kind === "receive") lines.push(`${item.kind === "send" ? "to" : "from"} rank ${item.peer}`);
  const c = item.collective;
  if (c) {
    lines.push(`${c.type} by ${c.algorithm}, ${c.group_size} ranks, ${formatBytes(c.bytes)}, collective ${c.id}`);
    lines.push(`simulated ${formatSeconds(c.time_s)}, predicted ${formatSeconds(c.predicted_s)}, bound ${formatSeconds(c.bound_s)}`);
  }
  return lines;
}

function timeline() {
  const {items, stretches, rows} = timelineItems();
  const all = stretches.concat(items);
  const end = picoseconds(data.results.simulation.end_s);
  const ranks = data.results.traces.ranks;
  const shown = Math.min(ranks, 24);
  const place = holder(110 + shown * Math.max(20, 7 * (rows + 1.6)));
  const detail = element("div", {class: "detail", id: "timeline-detail"}, "Click a bar to see what it was.");
  const names = [...new Set(all.map((each) => each.category))];
  const note = [];
  if (data.timeline.operations_left_out) note.push(`${data.timeline.operations_left_out} of the shortest operations are not drawn`);
  if (data.timeline.spent_left_out) note.push(`${data.timeline.spent_left_out} of the shortest stretches of time are not drawn`);
  section("timeline", "Timeline of every NPU",
    `A row per rank: the thick bar is what its time went into, the thin ones are its operations. Wheel or slider to zoom, drag to move, hover or click for what it was.${note.length ? ` Of this long run ${note.join(" and ")}.` : ""}`,
    legend(names), place, detail);

  const band = 1 / (rows + 2.2);
  let view = {from: 0, to: end, first: 0, last: shown - 1};
  let visible = [];
  /// What is in view; of bars thinner than a pixel one per pixel, lane and category.
  const choose = () => {
    const perPixel = (view.to - view.from) / Math.max(200, place.clientWidth - 110), drawn = new Set();
    visible = [];
    for (const each of all) {
      if (each.end < view.from || each.start > view.to || each.rank < view.first || each.rank > view.last) continue;
      if (each.end - each.start < perPixel) {
        const key = `${each.rank}|${each.lane}|${each.category}|${Math.floor(each.start / perPixel)}`;
        if (drawn.has(key)) continue;
        drawn.add(key);
      }
      visible.push(each);
    }
    return visible.map((each) => [each.start, each.end, each.rank]);
  };
  const box = (params, api) => {
    const item = visible[params.dataIndex];
    if (!item) return null;
    const [x0, middle] = api.coord([item.start, item.rank]), [x1] = api.coord([item.end, item.rank]);
    const height = api.size([0, 1])[1] * 0.92;
    const top = middle - height / 2 + (item.lane < 0 ? 0 : (1.7 + item.lane) * band * height);
    const area = params.coordSys;
    const shape = echarts.graphic.clipRectByRect(
      {x: x0, y: top, width: Math.max(1, x1 - x0), height: (item.lane < 0 ? 1.55 : 0.85) * band * height},
      {x: area.x, y: area.y, width: area.width, height: area.height});
    return shape && {type: "rect", shape, style: {fill: colourOf(item.category), opacity: item.kind === "time" && item.category === "idle" ? 0.45 : 1}};
  };
  const series = () => ({type: "custom", renderItem: box, encode: {x: [0, 1], y: 2}, data: choose(), clip: true, progressive: 0});
  const made = chart("timeline", place, () => ({
    grid: {left: 66, right: ranks > shown ? 46 : 20, top: 12, bottom: 84},
    tooltip: {formatter: (params) => visible[params.dataIndex] ? describe(visible[params.dataIndex]).map(safe).join("<br>") : ""},
    xAxis: {type: "value", min: 0, max: end, name: "simulated time", nameGap: 26, axisLabel: {formatter: formatTime}},
    yAxis: {type: "category", inverse: true, name: "rank", nameGap: 44, data: Array.from({length: ranks}, (_, rank) => String(rank))},
    dataZoom: [
      {type: "inside", xAxisIndex: 0, filterMode: "none"},
      {type: "slider", xAxisIndex: 0, filterMode: "none", bottom: 12, height: 22, labelFormatter: (value) => formatTime(Math.round(value)), textStyle: {color: css("--faint")}},
      ...(ranks > shown ? [{type: "slider", yAxisIndex: 0, filterMode: "none", right: 8, width: 18, startValue: 0, endValue: shown - 1, brushSelect: false, showDetail: false}] : []),
    ],
    series: [series()],
  }));
  made.drawn.push(() => {
    made.instance.off("datazoom");
    made.instance.off("click");
    made.instance.on("datazoom", () => {
      const zooms = made.instance.getOption().dataZoom;
      view = {...view, from: zooms[1].startValue, to: zooms[1].endValue};
      if (zooms[2]) [view.first, view.last] = [zooms[2].startValue, zooms[2].endValue];
      made.instance.setOption({series: [series()]});
    });
    made.instance.on("click", (params) => {
      const item = visible[params.dataIndex];
      if (!item) return;
      detail.dataset.kind = item.kind;
      detail.dataset.rank = item.rank;
      detail.dataset.startPs = item.start;
      detail.dataset.endPs = item.end;
      detail.dataset.collective = item.collective ? item.collective.id : "";
      detail.replaceChildren(...describe(item).map((line) => element("div", {}, line)));
    });
  });
  made.draw();
  /// Where an operation is drawn: for tests.
  window.wafertlm.pixelOf = (start, stop, rank, lane) => {
    const [x, middle] = made.instance.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, [(start + stop) / 2, rank]);
    const height = Math.abs(made.instance.convertToPixel({yAxisIndex: 0}, 1) - made.instance.convertToPixel({yAxisIndex: 0}, 0)) * 0.92;
    return [x, middle - height / 2 + (lane < 0 ? 0.7 : 2.1 + lane) * band * height];
  };
  window.wafertlm.timelineItems = all;
}
