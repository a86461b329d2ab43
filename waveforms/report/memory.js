// SPDX-License-Identifier: Apache-2.0
// What the memories moved over time, and where their bandwidth was lost.

function memory() {
  const {memories} = data.results, {bucket_ps: width, read, written} = data.memories;
  const moved = memories.some((each) => each.bytes_read || each.bytes_written);
  if (!moved) {
    section("memory", "Memory", "No memory moved any data in this run: operations need no more than the links, or npu.endpoint.memory is off.");
    return;
  }
  const rows = table("memories-table", [
    {title: "memory", text: true, of: (each) => each.name},
    {title: "read", of: (each) => each.bytes_read, show: formatBytes},
    {title: "written", of: (each) => each.bytes_written, show: formatBytes},
    {title: "busy", of: (each) => each.busy_fraction, show: formatPercent},
    ...Object.keys(memories[0]?.lost ?? {}).map((cause) => ({title: "lost: " + cause.replace(/_s$/, "").replaceAll("_", " "), of: (each) => each.lost[cause], show: formatSeconds})),
  ], memories, {limit: 500, dropZeros: true});
  const chosen = element("select", {id: "memory-npu", "aria-label": "NPU"}, element("option", {value: -1}, "all NPUs"),
    ...memories.map((each, i) => element("option", {value: i}, each.name)));
  const place = holder(280);
  section("memory", "Memory", "Bandwidth over time, and bandwidth lost by cause.", chosen, place, rows);
  const made = chart("memory", place, () => {
    const npu = Number(chosen.value), buckets = Math.max(...read.map((each) => each.length), ...written.map((each) => each.length));
    const {unit, of} = timeUnit(buckets * width);
    const line = (series) => Array.from({length: buckets}, (_, i) => {
      const bytes = npu < 0 ? series.reduce((sum, each) => sum + (each[i] ?? 0), 0) : series[npu][i] ?? 0;
      return [of((i + 0.5) * width), bytes / (width * 1e-12) / 1e9];
    });
    return {
      legend: {top: 0, textStyle: {color: css("--ink")}}, grid: {left: 76, right: 20, top: 36, bottom: 46},
      tooltip: {trigger: "axis", valueFormatter: (value) => `${fixed(value, 1)} GB/s`},
      xAxis: {type: "value", name: `simulated time (${unit})`, nameGap: 28, max: of(buckets * width)},
      yAxis: {type: "value", name: "bandwidth (GB/s)", nameGap: 56},
      series: [["read", read, "#3d8fd1"], ["written", written, "#c2578f"]].map(([name, series, color]) => ({name, type: "line", step: "middle", showSymbol: false, color, areaStyle: {opacity: 0.25}, data: line(series)})),
    };
  }, "svg");
  chosen.addEventListener("change", () => made.draw());
  made.draw();
}
