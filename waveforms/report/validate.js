// SPDX-License-Identifier: Apache-2.0
// Published measurements beside what was simulated: the answer of `wafertlm validate`.

function validate(answer) {
  const said = answer.rows.filter((each) => each.error !== null);
  head("Measured and simulated", `${said.length} of ${answer.rows.length} published measurements can be said`);
  const groups = answer.groups.filter((each) => each.said > 0);
  groupsSection(groups);
  measuredSection(said, groups);
  errorsSection(said);
  rowsSection(answer.rows);
}

const errorText = (value) => (value === null ? "-" : formatPercent(value));

function groupsSection(groups) {
  section("groups", "Groups", "Absolute errors of the rows that can be said; the closed form has vendors' rates alone.",
    table("groups-table", [
      {title: "group", text: true, of: (each) => each.name},
      {title: "rows", of: (each) => each.rows},
      {title: "said", of: (each) => each.said},
      {title: "median", of: (each) => each.median, show: errorText},
      {title: "p90", of: (each) => each.p90, show: errorText},
      {title: "worst", of: (each) => each.worst, show: errorText},
      {title: "closed form", of: (each) => each.closed_form_median, show: errorText},
    ], groups));
}

/// Every unit has its own scale, so both axes are logarithmic.
function measuredSection(said, groups) {
  const box = holder(420);
  section("measured", "Simulated against measured", "On the line both are equal. Each in the unit of its row.", box);
  const names = groups.map((each) => each.name);
  const most = Math.max(1, ...said.map((each) => each.measured)), least = Math.min(1, ...said.map((each) => each.measured));
  chart("measured", box, () => ({
    legend: {top: 0, type: "scroll", textStyle: {color: css("--ink")}}, grid: {left: 90, right: 30, top: 40, bottom: 46},
    tooltip: {trigger: "item", formatter: ({data: point}) => safe(point[2] ?? "")},
    xAxis: {type: "log", name: "measured", nameLocation: "middle", nameGap: 28},
    yAxis: {type: "log", name: "simulated"},
    series: [...names.map((name) => ({name, type: "scatter", symbolSize: 7, data: said.filter((each) => each.group === name).map((each) => [each.measured, each.simulated, `${each.id} ${each.system}, ${each.operation}, ${each.size}: ${each.measured} and ${each.simulated.toPrecision(4)} ${each.unit}`])})),
      {name: "equal", type: "line", symbol: "none", lineStyle: {type: "dashed", color: kColours.idle}, data: [[least, least], [most, most]]}],
  }), "svg").draw();
}

function errorsSection(said) {
  const box = holder(90 + 14 * said.length);
  section("errors", "Errors", "Simulated over measured, less one.", box);
  chart("errors", box, () => ({
    grid: {left: 300, right: 30, top: 10, bottom: 46},
    tooltip: {trigger: "axis", axisPointer: {type: "shadow"}, valueFormatter: (value) => `${fixed(value, 1)} %`},
    xAxis: {type: "value", name: "error (%)", nameLocation: "middle", nameGap: 28},
    yAxis: {type: "category", inverse: true, data: said.map((each) => `${each.id} ${each.operation} ${each.size}`.slice(0, 50)), axisLabel: {width: 280, overflow: "truncate"}},
    series: [{type: "bar", itemStyle: {color: kColours.mp}, data: said.map((each) => 100 * each.error)}],
  }), "svg").draw();
}

const kShortText = 90;
const short = (text) => (text.length > kShortText ? `${text.slice(0, kShortText)} …` : text);

function rowsSection(rows) {
  section("rows", "Rows", "What cannot be said counts as missed.",
    table("rows-table", [
      {title: "row", text: true, of: (each) => each.id},
      {title: "system", text: true, of: (each) => each.system},
      {title: "operation", text: true, of: (each) => each.operation},
      {title: "size", text: true, of: (each) => short(each.size)},
      {title: "measured", of: (each) => each.measured, show: (value) => (value === null ? "-" : value.toPrecision(4))},
      {title: "simulated", of: (each) => each.simulated, show: (value) => (value === null ? "-" : value.toPrecision(4))},
      {title: "unit", text: true, of: (each) => each.unit},
      {title: "error", of: (each) => each.error, show: errorText},
      {title: "how", text: true, of: (each) => short(each.how ?? each.reason ?? "")},
      {title: "source", text: true, of: (each) => short(each.source)},
    ], rows));
}
