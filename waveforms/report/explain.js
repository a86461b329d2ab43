// SPDX-License-Identifier: Apache-2.0
// What single changes of a run save, each simulated: the answer of `wafertlm explain`.

const kTornadoRows = 25;

function explain(answer) {
  const {what_if: found} = answer;
  head(answer.experiment, `last iteration ${formatTime(found.iteration_ps)}; ${found.simulated} runs with one or two other values`);
  savingsTable(found);
  tornado(found);
  without(found);
}

function savingsTable(found) {
  section("savings", "What single changes save", "Each is a run of its own. Other work takes another time: of the workload, look at what is done, too.",
    table("savings-table", [
      {title: "change", text: true, long: true, of: (each) => `${each.key}=${each.to}`},
      {title: "it is", text: true, of: (each) => each.from},
      {title: "of the", text: true, of: (each) => each.of},
      {title: "saves", of: (each) => each.saved_ps, show: formatTime},
      {title: "share", of: (each) => each.saved_ps / found.iteration_ps, show: formatPercent},
      {title: "then binds", text: true, long: true, of: (each) => (each.then ? `${each.then.key}=${each.then.to}: ${formatTime(each.then.saved_ps)} more` : "")},
    ], found.savings));
}

/// The change of the iteration, or why there is none.
const outcome = (side, ps) => (side === null ? "-" : side.saved_ps !== null ? signedTime(ps) : side.problem === null ? "not tried" : "refused");

const effectOf = (row) => Math.max(...[row.less, row.more].map((each) => Math.abs(each?.saved_ps ?? 0)));

function tornado(found) {
  const rows = found.sensitivity.filter((each) => effectOf(each) > 0);
  const shown = rows.slice(0, kTornadoRows);
  const box = holder(90 + 22 * shown.length);
  const {unit, of} = timeUnit(Math.max(1, ...shown.map(effectOf)));
  const change = (each) => (each && each.saved_ps !== null ? of(-each.saved_ps) : 0);
  section("sensitivity", "Sensitivity", `How much longer the iteration takes with a tenth less, and a tenth more. The ${shown.length} keys with the largest effect of ${rows.length} that have one.`, box,
    table("sensitivity-table", [
      {title: "key", text: true, long: true, of: (each) => each.key},
      {title: "value", text: true, of: (each) => each.value},
      ...[["-10 %", "less"], ["+10 %", "more"]].map(([title, side]) => ({
        title, of: (each) => -(each[side]?.saved_ps ?? 0),
        show: (value, each) => outcome(each[side], value),
      })),
    ], found.sensitivity));
  if (shown.length === 0) return;
  const bars = (name, side, color) => ({name, type: "bar", stack: "change", itemStyle: {color}, data: shown.map((each) => change(each[side]))});
  chart("tornado", box, () => ({
    legend: {top: 0, textStyle: {color: css("--ink")}}, grid: {left: 300, right: 30, top: 36, bottom: 46},
    tooltip: {trigger: "axis", axisPointer: {type: "shadow"}, valueFormatter: (value) => `${value} ${unit}`},
    xAxis: {type: "value", name: `change of the iteration (${unit})`, nameGap: 28},
    yAxis: {type: "category", inverse: true, data: shown.map((each) => each.key), axisLabel: {width: 280, overflow: "truncate"}},
    series: [bars("a tenth less", "less", kColours.mp), bars("a tenth more", "more", kColours.compute)],
  }), "svg").draw();
}

function without(found) {
  section("without", "What saves nothing", "Promising values that save nothing, or cannot be chosen alone.",
    table("without-table", [
      {title: "change", text: true, of: (each) => `${each.key}=${each.to}`},
      {title: "it is", text: true, of: (each) => each.from},
      {title: "changes the iteration by", of: (each) => -(each.saved_ps ?? 0), show: (value, each) => outcome(each, value)},
      {title: "because", text: true, long: true, of: (each) => (each.problem ?? "").slice(0, 300)},
    ], found.without_saving));
}
