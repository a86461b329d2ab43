// SPDX-License-Identifier: Apache-2.0
// Several runs side by side. The first is what the others are compared with.

/// Without the folders that all have: what is cut off of a long name is its end, which tells them apart.
function shortNames(names) {
  const words = names.map((each) => each.split("/"));
  let common = 0;
  while (words.every((each) => each.length > common + 1 && each[common] === words[0][common])) ++common;
  return words.map((each) => each.slice(common).join("/"));
}

function compare(runs) {
  head("WaferTLM: runs side by side", runs.map((each) => each.name).join(" · "));
  changedSettings(data.differences ?? []);
  const first = runs[0].results.iteration_time_s;
  // Of a speedup, at 95 %, where runs were sampled; relative, as if both were off in the worst direction.
  const half = (each) => (each.results.iteration_time_half_width_s ?? 0) / each.results.iteration_time_s;
  const off = (each) => (each === runs[0] ? 0 : half(each) + half(runs[0]));
  const parts = [...new Set(runs.flatMap((each) => partsOf(each.results.iterations.at(-1))))];
  const bars = holder(90 + 44 * runs.length), speedups = holder(90 + 44 * runs.length);
  section("comparison", "Last iteration",
    "Of each run the rank that finishes last; speedup is the first run's time over this run's." + (runs.some(half) ? " ± at 95 %: the run was sampled." : ""),
    table("comparison-table", [
      {title: "run", text: true, of: (each) => each.name},
      {title: "experiment", text: true, long: true, of: (each) => each.results.experiment},
      {title: "iteration", of: (each) => each.results.iteration_time_s, show: (value, each) => formatSeconds(value) + plusMinus(each.results.iteration_time_half_width_s)},
      {title: "speedup", of: (each) => first / each.results.iteration_time_s, show: (value, each) => fixed(value, 3) + (off(each) ? ` ± ${fixed(value * off(each), 3)}` : "")},
      ...parts.map((name) => ({
        title: name, of: (each) => each.results.iterations.at(-1).breakdown_s[name] ?? 0,
        show: (value, each) => formatSeconds(value) + plusMinus(each.results.iterations.at(-1).breakdown_half_width_s?.[name]),
      })),
    ], runs),
    element("div", {class: "columns"}, bars, speedups));
  const names = shortNames(runs.map((each) => each.name));
  const {unit, of} = timeUnit(picoseconds(Math.max(...runs.map((each) => each.results.iteration_time_s))));
  chart("comparison", bars, () => ({
    legend: {top: 0, type: "scroll", textStyle: {color: css("--ink")}}, grid: {left: 140, right: 20, top: 36, bottom: 46},
    tooltip: {trigger: "axis", axisPointer: {type: "shadow"}, valueFormatter: (value) => `${value} ${unit}`},
    xAxis: {type: "value", name: `time of the last iteration (${unit})`, nameGap: 28},
    yAxis: {type: "category", inverse: true, name: "run", nameGap: 120, data: names, axisLabel: {width: 110, overflow: "truncate"}},
    series: parts.map((name) => ({name, type: "bar", stack: "all", itemStyle: {color: colourOf(name)}, data: runs.map((each) => of((each.results.iterations.at(-1).breakdown_s[name] ?? 0) * 1e12))})),
  }), "svg").draw();
  chart("speedups", speedups, () => ({
    grid: {left: 140, right: 50, top: 36, bottom: 46}, tooltip: {trigger: "axis", axisPointer: {type: "shadow"}},
    xAxis: {type: "value", name: `speedup over ${names[0]} (times)`, nameGap: 28},
    yAxis: {type: "category", inverse: true, name: "run", nameGap: 120, data: names, axisLabel: {width: 110, overflow: "truncate"}},
    series: [{type: "bar", itemStyle: {color: kColours.compute}, label: {show: true, position: "right", color: css("--ink"), formatter: ({value}) => fixed(value, 3)}, data: runs.map((each) => first / each.results.iteration_time_s)}],
  }), "svg").draw();
  (data.differences ?? []).forEach(waterfalls);
}

const sideText = (side) => (side ? side.value + (side.origin ? ` (${side.origin})` : "") : "not set");

function changedSettings(differences) {
  for (const [i, each] of differences.entries()) {
    if (each.changed === null) continue;
    section(`changed-${i}`, `Changed settings of ${each.name}`, each.changed.length ? "With the provenance, or the line that set the value." : "None.",
      table(`changed-table-${i}`, [
        {title: "key", text: true, long: true, of: (row) => row.key},
        {title: "first run", text: true, long: true, of: (row) => sideText(row.first)},
        {title: "this run", text: true, long: true, of: (row) => sideText(row.this)},
      ], each.changed));
  }
}

/// How the first run's iteration becomes this one's, cause by cause, and which collectives take another time.
function waterfalls({name, waterfall: fall, collectives, links}, i) {
  if (fall) {
    const parts = fall.parts.filter((each) => each.change_ps !== 0);
    const box = holder(90 + 30 * (parts.length + 2));
    const {unit, of} = timeUnit(Math.max(fall.first_ps, fall.this_ps));
    section(`waterfall-${i}`, `From the first run to ${name}`, `The last iteration: ${formatTime(fall.first_ps)} to ${formatTime(fall.this_ps)}, ${signedTime(fall.change_ps)}; the causes sum to it exactly.`, box,
      table(`waterfall-table-${i}`, [
        {title: "cause", text: true, of: (each) => each.name},
        {title: "first run", of: (each) => each.first_ps, show: formatTime},
        {title: "this run", of: (each) => each.this_ps, show: formatTime},
        {title: "change", of: (each) => each.change_ps, show: signedTime},
      ], fall.parts));
    let at = fall.first_ps;
    const steps = parts.map((each) => ({name: each.name, from: at, to: (at += each.change_ps)}));
    const bars = [{name: "first run", from: 0, to: fall.first_ps}, ...steps, {name: "this run", from: 0, to: fall.this_ps}];
    const least = Math.min(fall.first_ps, fall.this_ps, ...steps.map((each) => each.to)), begin = Math.floor(least * 0.98);
    chart(`waterfall-${i}`, box, () => ({
      grid: {left: 140, right: 30, top: 20, bottom: 46}, tooltip: {trigger: "item", formatter: ({dataIndex: k}) => `${safe(bars[k].name)}: ${signedTime(bars[k].to - bars[k].from)}`},
      xAxis: {type: "value", name: `time (${unit}); the axis begins at ${formatTime(begin)}`, nameGap: 28, min: of(begin), axisLabel: {showMinLabel: false}},
      yAxis: {type: "category", inverse: true, data: bars.map((each) => each.name)},
      series: [
        {type: "bar", stack: "at", silent: true, itemStyle: {color: "transparent"}, data: bars.map((each) => of(Math.min(each.from, each.to)))},
        {type: "bar", stack: "at", data: bars.map((each) => ({value: of(Math.abs(each.to - each.from)), itemStyle: {color: colourOf(each.name)}}))},
      ],
    }), "svg").draw();
  }
  const changed = collectives.matched.filter((each) => each.change_ps !== 0);
  section(`collectives-${i}`, `Collectives of ${name}`, `${changed.length} of ${collectives.matched.length} that both have take another time; ${collectives.only_first} only the first run has, ${collectives.only_this} only this one.`,
    table(`collectives-table-${i}`, [
      {title: "class", text: true, of: (each) => each.class},
      {title: "type", text: true, of: (each) => each.type},
      {title: "name", text: true, long: true, of: (each) => each.name},
      {title: "algorithm", text: true, of: (each) => [...new Set(each.algorithms)].join(" → ")},
      {title: "ranks", of: (each) => each.ranks, show: (value) => value},
      {title: "size", of: (each) => each.bytes, show: formatBytes},
      {title: "first run", of: (each) => each.first_ps, show: formatTime},
      {title: "this run", of: (each) => each.this_ps, show: formatTime},
      {title: "change", of: (each) => each.change_ps, show: signedTime},
    ], changed.slice(0, 1000)));
  if (links.length === 0) return;
  section(`links-${i}`, `Links of ${name}`, `Busy time of the ${links.length} links that both have and that changed.`,
    table(`links-table-${i}`, [
      {title: "link", text: true, of: (each) => each.name},
      {title: "first run", of: (each) => each.first_ps, show: formatTime},
      {title: "this run", of: (each) => each.this_ps, show: formatTime},
      {title: "change", of: (each) => each.change_ps, show: signedTime},
      {title: "payload, first", of: (each) => each.first_bytes, show: formatBytes},
      {title: "payload, this", of: (each) => each.this_bytes, show: formatBytes},
    ], links, {limit: 200}));
}
