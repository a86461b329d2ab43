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
      if (each.count) {  // short ones lie in the first lane, behind the others
        each.lane = below;
        if (!free.has(each.rank)) free.set(each.rank, [0]);
        continue;
      }
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
  const {strings, operations, short, spent} = data.timeline;
  const collectives = new Map(data.results.collectives.map((each) => [`${each.group}|${each.sequence}`, each]));
  const items = operations.map(([rank, kind, name, traffic, issued, start, end, bytes, node, group, number]) => ({
    rank, kind: strings[kind], name: strings[name], traffic: strings[traffic], issued, start, end, bytes, node,
    collective: group < 0 ? undefined : collectives.get(`${strings[group]}|${number}`),
    peer: group < 0 ? number : undefined,
  }));
  for (const [rank, kind, traffic, start, end, time, count] of short) items.push({rank, kind: strings[kind], traffic: strings[traffic], start, end, time, count});
  for (const each of items) each.category = each.traffic || (each.kind.startsWith("memory") ? "memory" : each.kind);
  const rows = lanes(items);
  // Of short stretches next to each other the file has the parts only.
  const partsOf = (start, end, what) => (Array.isArray(what) ? what.map(([category, ps]) => [strings[category], ps]) : [[strings[what], end - start]]);
  const stretches = spent.map(([rank, start, end, what]) => {
    const parts = partsOf(start, end, what);
    return {rank, start, end, parts, category: parts.length === 1 ? parts[0][0] : "several", kind: "time", lane: -1};
  });
  for (const each of items) each.parts = [[each.category, each.time ?? each.end - each.start]];
  return {items, stretches, rows};
}

function describe(item) {
  const lines = [];
  if (item.merged) lines.push(`Rank ${item.rank}: ${sharesWords(item.parts, item.end - item.start)}; zoom in to see them apart`);
  else if (item.kind === "time") lines.push(`Rank ${item.rank}: its time goes into ${item.parts.length > 1 ? sharesWords(item.parts, item.end - item.start) : item.category}`);
  else if (item.count) lines.push(`Rank ${item.rank}: ${item.count} short operations of kind ${item.kind}${item.traffic ? `, class ${item.traffic}` : ""}, together ${formatTime(item.time)}`);
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

/// Which ranks have a row: all, or of many one of each group.
function timelineRows(ranks) {
  const all = Array.from({length: ranks}, (_, rank) => ({rank, words: String(rank)}));
  const last = data.results.iterations.at(-1);
  if (ranks <= kMostRanksAlone || last.ranks.length !== ranks) return {all};
  return {all, groups: rankGroups(last).map((each) => ({rank: each.ranks[0].rank, words: `${each.ranks[0].rank} (×${each.ranks.length})`}))};
}

function timeline() {
  const {items, stretches, rows: lanesOfRank} = timelineItems();
  const every = stretches.concat(items);
  const end = picoseconds(data.results.simulation.end_s);
  const choices = timelineRows(data.results.traces.ranks);
  const chosen = element("select", {id: "timeline-ranks", "aria-label": "ranks"},
    element("option", {value: "groups"}, "one rank of each group"), element("option", {value: "all"}, "all ranks"));
  const place = holder(100);
  const detail = element("div", {class: "detail", id: "timeline-detail"}, "Click a bar to see what it was.");
  const names = [...new Set(every.flatMap((each) => each.parts.map(([category]) => category)))];
  names.sort((a, b) => (a !== "compute") - (b !== "compute") || (a === "idle") - (b === "idle"));
  const note = [];
  const short = data.timeline.short.reduce((sum, row) => sum + row[6], 0);
  if (short) note.push(`${short} of the shortest operations are drawn together with their neighbours, as pale as they are short`);
  if (data.timeline.spent_resolution_ps) note.push(`stretches of time shorter than ${formatTime(data.timeline.spent_resolution_ps)} that are next to each other are drawn as one, with their shares`);
  section("timeline", "Timeline of every NPU",
    `A row per rank: the thick bar is what its time went into, the thin ones are its operations. What is narrower than a pixel is drawn as shares of the bar's height. Wheel or slider to zoom, drag to move, hover or click for what it was.${note.length ? ` Of this long run ${note.join(" and ")}.` : ""}`,
    ...(choices.groups ? [chosen] : []), legend(names), place, detail);

  // By rank and lane, in order.
  const lanesOf = new Map();
  for (const each of every) {
    const key = `${each.rank}|${each.lane}`;
    if (!lanesOf.has(key)) lanesOf.set(key, []);
    lanesOf.get(key).push(each);
  }
  for (const each of lanesOf.values()) each.sort((a, b) => a.start - b.start || a.end - b.end);
  const band = 1 / (lanesOfRank + 2.2);
  let rows = choices.groups ?? choices.all, shown = 0, view = null, visible = [];
  const setRows = (to) => {
    rows = to;
    shown = Math.min(rows.length, kMostRanksAlone);
    view = {from: 0, to: end, first: 0, last: shown - 1};
    place.style.height = `${110 + shown * Math.max(shown < 4 ? 50 : 20, 7 * (lanesOfRank + 1.6))}px`;
  };
  setRows(rows);
  /// What is in view, in columns of a pixel, or of more where there are too many.
  const choose = () => {
    const pixel = (view.to - view.from) / Math.max(200, place.clientWidth - 110);
    for (let width = pixel; ; width *= 2) {
      visible = [];
      for (let row = view.first; row <= view.last; ++row)
        for (let lane = -1; lane < lanesOfRank; ++lane) {
          const rank = rows[row].rank, seen = inColumns(lanesOf.get(`${rank}|${lane}`) ?? [], view.from, view.to, width, lane >= 0);
          for (const {item, start, end: stop} of seen.whole) visible.push({...item, row, drawn: [start, stop]});
          for (const each of seen.columns)
            visible.push({...(each.single ?? {rank, lane, start: each.start, end: each.end, parts: each.parts, merged: true, kind: lane < 0 ? "time" : "operations"}),
              parts: each.parts, column: each.free, row, drawn: [each.start, each.end]});
        }
      if (visible.length <= 30000) break;
    }
    return visible.map((each) => [...each.drawn, each.row]);
  };
  const box = (params, api) => {
    const item = visible[params.dataIndex];
    if (!item) return null;
    // On whole pixels: neighbours meet without a pale seam.
    const [left, middle] = api.coord([item.drawn[0], item.row]), [right] = api.coord([item.drawn[1], item.row]);
    const x0 = Math.round(left), x1 = Math.round(right);
    const height = api.size([0, 1])[1] * 0.92, thick = (item.lane < 0 ? 1.55 : 0.85) * band * height;
    const top = middle - height / 2 + (item.lane < 0 ? 0 : (1.7 + item.lane) * band * height);
    const {x, y, width, height: tall} = params.coordSys;
    const part = ({category, from, to}, opacity) => {
      const shape = echarts.graphic.clipRectByRect({x: x0, y: top + from * thick, width: Math.max(1, x1 - x0), height: (to - from) * thick}, {x, y, width, height: tall});
      return shape && {type: "rect", shape, style: {fill: colourOf(category), opacity: item.kind === "time" && category === "idle" ? 0.45 : opacity}};
    };
    if (!item.column && !item.count && item.parts.length === 1) return part({category: item.parts[0][0], from: 0, to: 1}, 1);
    const stack = stackOf(item.parts, item.column ?? item.end - item.start, names);
    // A thin operation is as pale as it is short, but to be seen.
    if (item.lane >= 0) return part({category: stack.reduce((a, b) => (b.share > a.share ? b : a)).category, from: 0, to: 1}, Math.max(0.3, stack.at(-1).to));
    const children = (stack.length === 1 ? [{...stack[0], from: 0, to: 1}] : stack).map((each) => part(each, 1)).filter(Boolean);
    return {type: "group", children};
  };
  const series = () => ({type: "custom", renderItem: box, encode: {x: [0, 1], y: 2}, data: choose(), clip: true, progressive: 0});
  const made = chart("timeline", place, () => ({
    grid: {left: choices.groups ? 96 : 66, right: rows.length > shown ? 46 : 20, top: 12, bottom: 84},
    tooltip: {formatter: (params) => visible[params.dataIndex] ? describe(visible[params.dataIndex]).map(safe).join("<br>") : ""},
    xAxis: {type: "value", min: 0, max: end, name: "simulated time", nameGap: 26, axisLabel: {formatter: formatTime}},
    yAxis: {type: "category", inverse: true, name: choices.groups && shown >= 6 ? "rank (how many are like it)" : "rank", nameGap: choices.groups ? 76 : 44, data: rows.map((each) => each.words)},
    dataZoom: [
      {type: "inside", xAxisIndex: 0, filterMode: "none", startValue: view.from, endValue: view.to},
      {type: "slider", xAxisIndex: 0, filterMode: "none", bottom: 12, height: 22, startValue: view.from, endValue: view.to, labelFormatter: (value) => formatTime(Math.round(value)), textStyle: {color: css("--faint")}},
      ...(rows.length > shown ? [{type: "slider", yAxisIndex: 0, filterMode: "none", right: 8, width: 18, startValue: view.first, endValue: view.last, brushSelect: false, showDetail: false}] : []),
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
  chosen.addEventListener("change", () => {
    setRows(choices[chosen.value]);
    made.instance.resize();
    made.draw();
  });
  made.draw();
  /// Where an operation is drawn: for tests.
  window.wafertlm.pixelOf = (start, stop, rank, lane) => {
    const row = rows.findIndex((each) => each.rank === rank);
    const [x, middle] = made.instance.convertToPixel({xAxisIndex: 0, yAxisIndex: 0}, [(start + stop) / 2, row]);
    const height = Math.abs(made.instance.convertToPixel({yAxisIndex: 0}, 1) - made.instance.convertToPixel({yAxisIndex: 0}, 0)) * 0.92;
    return [x, middle - height / 2 + (lane < 0 ? 0.7 : 2.1 + lane) * band * height];
  };
  window.wafertlm.timelineItems = every;
  /// What is drawn now: for tests.
  window.wafertlm.timelineVisible = () => visible;
}
