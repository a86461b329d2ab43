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
  const first = runs[0].results.iteration_time_s;
  // Of a speedup, at 95 %, where runs were sampled; relative, as if both were off in the worst direction.
  const half = (each) => (each.results.iteration_time_half_width_s ?? 0) / each.results.iteration_time_s;
  const off = (each) => (each === runs[0] ? 0 : half(each) + half(runs[0]));
  const parts = [...new Set(runs.flatMap((each) => partsOf(each.results.iterations.at(-1))))];
  const bars = holder(90 + 44 * runs.length), speedups = holder(90 + 44 * runs.length);
  section("comparison", "Last iteration",
    "Of each run the rank that finishes last; speedup is the first run's time over this run's. ± at 95 %: the run was sampled.",
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
}
