// SPDX-License-Identifier: Apache-2.0
// The charts of a study, chosen from its axes, as options of ECharts. Nothing here needs a page: the guide draws them without one.

const kPalette = ["#4878b0", "#ee8434", "#5aa657", "#dd5259", "#b279c2", "#4fb0a8", "#d9b12f", "#c2578f", "#7f9c2d", "#5f6ec4", "#b3653b", "#8d9db0"];
const kMostSeries = 12;

/// An option with the colours of the page: {ink, faint, line, card}.
function styled(option, {ink, faint, line, card}) {
  const axis = {
    axisLine: {lineStyle: {color: faint}}, axisLabel: {color: faint, hideOverlap: true}, nameTextStyle: {color: faint},
    splitLine: {lineStyle: {color: line}}, nameLocation: "middle",
  };
  const merged = {animation: false, textStyle: {color: ink, fontFamily: "system-ui, 'DejaVu Sans', sans-serif"}, ...option};
  for (const key of ["xAxis", "yAxis"])
    if (merged[key]) merged[key] = [merged[key]].flat().map((each) => ({...axis, ...each, axisLabel: {...axis.axisLabel, ...each.axisLabel}}));
  merged.tooltip = {backgroundColor: card, borderColor: line, textStyle: {color: ink, fontSize: 12}, confine: true, ...merged.tooltip};
  return merged;
}

/// "750 GB/s" → {number: 750e9, unit: "B/s"}; of "MP(2)" null.
function quantityOf(text) {
  const match = /^([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)\s*([A-Za-z%/]*)$/.exec(text);
  if (!match) return null;
  const [, digits, unit] = match;
  const scaledUnit = /^([kKMGTPmunp])(i?)(B|B\/s|b\/s|bit\/s|s|Hz|W|J|FLOPS|OPS)$/.exec(unit);
  if (!scaledUnit) return {number: Number(digits), unit};
  const powers = {k: 1, K: 1, M: 2, G: 3, T: 4, P: 5, m: -1, u: -2, n: -3, p: -4};
  return {number: Number(digits) * (scaledUnit[2] ? 1024 : 1000) ** powers[scaledUnit[1]], unit: scaledUnit[3]};
}

/// The axes of which the shown cells have several values: {name, values, numbers: by value or null, unit}.
function studyAxes(study) {
  const cells = study.cells.filter((cell) => cell.shown);
  return study.axes.map(({axis}) => {
    const values = [...new Set(cells.map((cell) => cell.at[axis]))], quantities = values.map(quantityOf);
    const is = values.length >= 3 && quantities.every((each) => each && each.unit === quantities[0].unit) && new Set(quantities.map((each) => each.number)).size === values.length;
    return {name: axis, values, numbers: is ? new Map(values.map((value, i) => [value, quantities[i].number])) : null, unit: is ? quantities[0].unit : ""};
  }).filter((axis) => axis.values.length > 1);
}

/// The columns of numbers: {column, as}.
const studyColumns = (study) => study.columns.filter(({column}) => study.cells.some((cell) => typeof cell.values[column] === "number"));

/// What a column's value is called: as the terminal prints it.
function shownAs(as, value) {
  if (value === null || value === undefined) return "-";
  if (typeof value !== "number") return String(value);
  if (value < 0 && (as === "time" || as === "bytes")) return "-" + shownAs(as, -value);
  if (as === "time") return formatSeconds(value);
  if (as === "bytes") return formatBytes(Math.round(value));
  if (as === "bandwidth") return formatBandwidth(value);
  if (as === "rate") return `${Number((value / 1e12).toPrecision(4))} TFLOPS`;
  if (as === "percent") return formatPercent(value);
  return String(Number(value.toPrecision(4)));
}

/// The scale of a chart's axis: {words, of(value)}.
function scaleOf(as, values) {
  const most = Math.max(0, ...values.map(Math.abs));
  if (as === "time") {
    const {unit} = timeUnit(most * 1e12), size = {ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1}[unit];
    return {words: ` (${unit})`, of: (value) => value / size};
  }
  const step = {bytes: [["B", 1], ["kB", 1e3], ["MB", 1e6], ["GB", 1e9], ["TB", 1e12]], bandwidth: [["B/s", 1], ["MB/s", 1e6], ["GB/s", 1e9], ["TB/s", 1e12]], rate: [["TFLOPS", 1e12]], percent: [["%", 0.01]]}[as];
  if (!step) return {words: "", of: (value) => value};
  const [unit, size] = step.filter(([, each]) => most >= each).pop() ?? step[0];
  return {words: ` (${unit})`, of: (value) => value / size};
}

/// What is drawn if nothing else is asked for: {column, x, series (or null), where: value by other axis}.
function studyChoice(study, asked = {}) {
  const axes = studyAxes(study), columns = studyColumns(study), named = (name) => axes.find((axis) => axis.name === name);
  const byLength = axes.slice().sort((a, b) => (b.numbers !== null) - (a.numbers !== null) || b.values.length - a.values.length);
  const x = named(asked.x) ?? byLength[0] ?? null;
  const others = axes.filter((axis) => axis !== x);
  const fit = others.filter((axis) => axis.values.length <= kMostSeries).sort((a, b) => b.values.length - a.values.length);
  const series = asked.series === null ? null : others.find((axis) => axis.name === asked.series) ?? fit[0] ?? null;
  const where = Object.fromEntries(others.filter((axis) => axis !== series).map((axis) => [axis.name, asked.where?.[axis.name] ?? axis.values[0]]));
  return {column: columns.find((each) => each.column === asked.column) ?? columns[0] ?? null, x, series, where};
}

/// Which charts a study has for a choice: "line" over an axis of numbers, else "bar"; "heat map" over two axes of three
/// values or more; "pareto" of two columns.
function studyKinds(study, {column, x, series}) {
  if (!column) return [];
  return [...(x ? [x.numbers ? "line" : "bar"] : []), ...(x && series && x.values.length >= 3 && series.values.length >= 3 ? ["heat map"] : []),
    ...(studyColumns(study).length >= 2 && study.cells.filter((cell) => cell.shown).length >= 3 ? ["pareto"] : [])];
}

/// The cell of a value of x and of the series, or undefined.
function cellAt(study, {x, series, where}, xValue, seriesValue) {
  const at = {...where, [x.name]: xValue, ...(series ? {[series.name]: seriesValue} : {})};
  return study.cells.find((cell) => cell.shown && Object.entries(at).every(([axis, value]) => cell.at[axis] === value));
}

const whereWords = ({where}) => Object.entries(where).map(([axis, value]) => `${axis} ${value}`).join(", ");
const publishedOf = (cell, column) => cell?.references?.[column]?.value;
const valueOf = (cell, column) => (typeof cell?.values[column] === "number" ? cell.values[column] : null);
const tipOf = (column, as) => ({data}) => data?.cell ? `${safe(Object.entries(data.cell.at).map(([axis, value]) => `${axis} ${value}`).join(", "))}<br>${safe(column)} ${data.published ? "published " + shownAs(as, publishedOf(data.cell, column)) : shownAs(as, valueOf(data.cell, column))}` : "";

/// {name, color, points: [{x, cell}]} of each series.
function seriesOf(study, choice) {
  const names = choice.series ? choice.series.values : [choice.column.column];
  return names.map((name, i) => ({name, color: kPalette[i % kPalette.length], points: choice.x.values.map((x) => ({x, cell: cellAt(study, choice, x, name)}))}));
}

function scaleOfChoice(all, column) {
  const cells = all.flatMap(({points}) => points.map(({cell}) => cell));
  const values = cells.flatMap((cell) => [valueOf(cell, column.column), publishedOf(cell, column.column)]).filter((each) => typeof each === "number");
  return scaleOf(column.as, values);
}

/// Lines over an axis of numbers; hollow diamonds are published values.
function lineFigure(study, choice) {
  const {column: {column, as}, x} = choice, all = seriesOf(study, choice), scale = scaleOfChoice(all, choice.column);
  const numbers = [...x.numbers.values()], log = Math.min(...numbers) > 0 && Math.max(...numbers) / Math.min(...numbers) > 20;
  const point = (value, at, cell, more) => ({value: [x.numbers.get(at), scale.of(value)], cell, ...more});
  const series = [];
  for (const {name, color, points} of all) {
    const ours = points.filter(({cell}) => valueOf(cell, column) !== null).sort((a, b) => x.numbers.get(a.x) - x.numbers.get(b.x));
    const theirs = points.filter(({cell}) => typeof publishedOf(cell, column) === "number");
    series.push({name, type: "line", symbolSize: 7, symbol: "circle", itemStyle: {color}, lineStyle: {color}, data: ours.map(({x: at, cell}) => point(valueOf(cell, column), at, cell))});
    if (theirs.length > 0)
      series.push({name: `${name}, published`, type: "scatter", symbol: "diamond", symbolSize: 13, itemStyle: {color: "transparent", borderColor: color, borderWidth: 2}, data: theirs.map(({x: at, cell}) => point(publishedOf(cell, column), at, cell, {published: true}))});
  }
  const names = new Map([...x.numbers].map(([name, number]) => [number, name]));
  const ticks = numbers.slice().sort((a, b) => a - b);
  return {
    legend: {top: 0, type: "scroll", show: series.length > 1}, grid: {left: 80, right: 30, top: 36, bottom: 50}, tooltip: {trigger: "item", formatter: tipOf(column, as)},
    xAxis: {type: log ? "log" : "value", name: x.name, nameGap: 30, min: log ? ticks[0] : undefined, max: log ? ticks.at(-1) : undefined, scale: true, splitLine: {show: false}, axisTick: {customValues: ticks}, axisLabel: {customValues: ticks, formatter: (value) => names.get(value) ?? ""}},
    yAxis: {type: "value", name: column + scale.words, nameGap: 60, scale: true}, series,
  };
}

/// Bars over an axis of names, published values beside ours, paler.
function barFigure(study, choice) {
  const {column: {column, as}, x} = choice, all = seriesOf(study, choice), scale = scaleOfChoice(all, choice.column);
  const of = (value) => (value === null || value === undefined ? null : scale.of(value));
  const series = [];
  for (const {name, color, points} of all) {
    series.push({name, type: "bar", itemStyle: {color}, data: points.map(({cell}) => ({value: of(valueOf(cell, column)), cell}))});
    if (points.some(({cell}) => typeof publishedOf(cell, column) === "number"))
      series.push({name: `${name}, published`, type: "bar", itemStyle: {color: "transparent", borderColor: color, borderWidth: 2, borderType: "dashed"}, data: points.map(({cell}) => ({value: of(publishedOf(cell, column)), cell, published: true}))});
  }
  const long = x.values.some((each) => each.length > 14) && x.values.length > 5;
  return {
    legend: {top: 0, type: "scroll", show: series.length > 1}, grid: {left: 80, right: 20, top: 36, bottom: long ? 110 : 50}, tooltip: {trigger: "item", formatter: tipOf(column, as)},
    xAxis: {type: "category", name: x.name, nameGap: long ? 90 : 30, data: x.values, axisLabel: {rotate: long ? 35 : 0, width: 130, overflow: "truncate"}},
    yAxis: {type: "value", name: column + scale.words, nameGap: 60}, series,
  };
}

function heatFigure(study, choice) {
  const {column: {column, as}, x, series: y} = choice;
  const data = x.values.flatMap((at, i) => y.values.map((other, j) => ({at: [i, j], cell: cellAt(study, choice, at, other)}))).filter(({cell}) => valueOf(cell, column) !== null);
  const values = data.map(({cell}) => valueOf(cell, column)), least = Math.min(...values), most = Math.max(...values);
  return {
    grid: {left: 130, right: 20, top: 20, bottom: 100}, tooltip: {trigger: "item", formatter: tipOf(column, as)},
    xAxis: {type: "category", name: x.name, nameGap: 30, data: x.values}, yAxis: {type: "category", name: y.name, nameGap: 110, data: y.values, axisLabel: {width: 105, overflow: "truncate"}},
    visualMap: {min: least, max: most === least ? least + 1 : most, orient: "horizontal", left: "center", bottom: 4, calculable: false, itemHeight: 260, text: [shownAs(as, most), shownAs(as, least)], inRange: {color: ["#e7eff7", "#4878b0", "#14315c"]}},
    series: [{
      name: column, type: "heatmap", data: data.map(({at, cell}) => ({value: [...at, valueOf(cell, column)], cell})),
      label: {show: data.length <= 120, lineHeight: 15, formatter: ({data: {cell}}) => shownAs(as, valueOf(cell, column)) + (typeof publishedOf(cell, column) === "number" ? `\n(${shownAs(as, publishedOf(cell, column))})` : "")},
    }],
  };
}

/// Is less of it better? Times and bytes: yes; rates, and what is called a speedup: no.
const lessIsBetter = ({column, as}) => !(as === "bandwidth" || as === "rate" || /speed ?up|bandwidth|throughput|rate|efficien/i.test(column));

/// Two columns of which both are wanted: the second is of another kind than the first, if there is one.
function paretoColumns(study) {
  const all = studyColumns(study);
  return [all[0], all.slice(1).find((each) => each.as !== all[0].as) ?? all[1]];
}

/// The cells that no other one beats in both columns.
function paretoFront(cells, first, second) {
  const key = ({column, less}, cell) => (less ? 1 : -1) * cell.values[column];
  const sorted = cells.slice().sort((a, b) => key(first, a) - key(first, b) || key(second, a) - key(second, b));
  let best = Infinity;
  return sorted.filter((cell) => {
    const is = key(second, cell) < best;
    if (is) best = key(second, cell);
    return is;
  });
}

function paretoFigure(study, first, second) {
  const cells = study.cells.filter((cell) => cell.shown && [first, second].every(({column}) => typeof cell.values[column] === "number"));
  const scales = [first, second].map(({column, as}) => scaleOf(as, cells.map((cell) => cell.values[column])));
  const point = (cell) => ({value: [scales[0].of(cell.values[first.column]), scales[1].of(cell.values[second.column])], cell});
  const words = (each, i) => `${each.column}${scales[i].words}, ${each.less ? "less" : "more"} is better`;
  return {
    legend: {top: 0}, grid: {left: 90, right: 30, top: 36, bottom: 50},
    tooltip: {trigger: "item", formatter: ({data}) => safe(Object.entries(data.cell.at).map(([axis, value]) => `${axis} ${value}`).join(", ")) + [first, second].map(({column, as}) => `<br>${safe(column)} ${shownAs(as, data.cell.values[column])}`).join("")},
    xAxis: {type: "value", scale: true, name: words(first, 0), nameGap: 30}, yAxis: {type: "value", scale: true, name: words(second, 1), nameGap: 66},
    series: [
      {name: "cells", type: "scatter", symbolSize: 8, itemStyle: {color: "#a9afb8"}, data: cells.map(point)},
      {name: "front", type: "line", step: first.less ? "end" : "start", symbolSize: 9, itemStyle: {color: "#ee8434"}, lineStyle: {color: "#ee8434"}, data: paretoFront(cells, first, second).map(point)},
    ],
  };
}

/// The option of a chart: kind of studyKinds().
function studyFigure(study, kind, choice) {
  if (kind === "line") return lineFigure(study, choice);
  if (kind === "bar") return barFigure(study, choice);
  if (kind === "heat map") return heatFigure(study, choice);
  return paretoFigure(study, ...paretoColumns(study).map((each) => ({...each, less: lessIsBetter(each)})));
}
