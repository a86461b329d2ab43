// SPDX-License-Identifier: Apache-2.0
// The collectives as a table, and their times against their lower bounds.

function collectives() {
  const {collectives: rows, collectives_total: total} = data.results;
  if (rows.length === 0) return section("collectives", "Collectives", "The workload has none.");
  const place = holder(380);
  const time = (title, of) => ({title, of, show: formatSeconds});
  section("collectives", "Collectives",
    `${total} in all${total > rows.length ? `, of which results.json lists the ${rows.length} furthest from their bounds` : ""}. Time runs from the first rank's entry to the last rank's exit; predicted is the closed form on an idle fabric, bound is what no algorithm can beat. Click a title to sort.`,
    table("collectives-table", [
      {title: "id", key: true, of: (each) => each.id},
      {title: "name", text: true, long: true, of: (each) => each.name},
      {title: "type", text: true, of: (each) => each.type},
      {title: "algorithm", text: true, of: (each) => each.algorithm},
      {title: "class", text: true, of: (each) => each.class, show: (name) => element("span", {}, swatch(name), name)},
      {title: "ranks", of: (each) => each.group_size},
      {title: "size", of: (each) => each.bytes, show: formatBytes},
      time("start", (each) => each.start_s),
      {title: "time", of: (each) => each.time_s, show: (value, each) => formatSeconds(value) + plusMinus(each.time_half_width_s)}, time("skew", (each) => each.skew_s),
      time("predicted", (each) => each.predicted_s), time("bound", (each) => each.bound_s),
      {title: "time/bound", of: (each) => (each.bound_s > 0 ? each.time_s / each.bound_s : 0), show: (value) => (value > 0 ? fixed(value, 2) : "–")},
      {title: "bus bandwidth", of: (each) => each.bus_bandwidth_bytes_per_s, show: formatBandwidth},
    ], rows, {limit: 500, sortBy: "time", dropZeros: true}), place);
  chart("collectives", place, () => {
    const classes = [...new Set(rows.map((each) => each.class))];
    const dots = rows.filter((each) => each.bound_s > 0 && each.time_s > 0);
    const bounds = dots.map((each) => each.bound_s * 1e6), times = dots.map((each) => each.time_s * 1e6);
    const least = 10 ** Math.floor(Math.log10(Math.min(...bounds, ...times))), most = 10 ** Math.ceil(Math.log10(Math.max(...bounds, ...times)));
    return {
      title: {text: "Time against the lower bound", left: 0, textStyle: {fontSize: 13, color: css("--ink")}},
      legend: {top: 22, textStyle: {color: css("--ink")}},
      grid: {left: 70, right: 24, top: 56, bottom: 50},
      tooltip: {formatter: ({data: dot}) => dot.row ? `${safe(dot.row.name)} (${dot.row.id})<br>${safe(dot.row.type)} by ${safe(dot.row.algorithm)}, ${formatBytes(dot.row.bytes)}<br>time ${formatSeconds(dot.row.time_s)}, bound ${formatSeconds(dot.row.bound_s)}` : ""},
      xAxis: {type: "log", name: "lower bound (us)", nameGap: 30, min: least, max: most, axisLabel: {formatter: (value) => String(Number(value.toPrecision(2)))}},
      yAxis: {type: "log", name: "simulated time (us)", nameGap: 50, min: least, max: most, axisLabel: {formatter: (value) => String(Number(value.toPrecision(2)))}},
      series: [
        ...classes.map((name) => ({
          name, type: "scatter", symbolSize: 9, itemStyle: {color: colourOf(name), opacity: 0.8},
          data: dots.filter((each) => each.class === name).map((row) => ({value: [row.bound_s * 1e6, row.time_s * 1e6], row})),
        })),
        {name: "time = bound", type: "line", showSymbol: false, silent: true, lineStyle: {type: "dashed", color: css("--faint"), width: 1}, itemStyle: {color: css("--faint")}, data: [[least, least], [most, most]]},
      ],
    };
  }).draw();
}
