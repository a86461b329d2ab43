// SPDX-License-Identifier: Apache-2.0
// The head of the page, and where the time of each iteration went.

function head(title, words) {
  const button = element("button", {id: "theme", type: "button"}, "light / dark");
  button.addEventListener("click", () => useTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  document.title = title;
  document.getElementById("report").append(element("header", {}, element("div", {}, element("h1", {}, title), element("p", {}, words)), button));
}

function tile(id, value, words, raw) {
  return element("div", {class: "tile"}, element("b", {id, "data-value": raw}, value), element("span", {}, words));
}

function partsOf(iteration) {
  return Object.keys(iteration.breakdown_s).filter((name) => iteration.breakdown_s[name] !== 0 || iteration.breakdown_max_s[name] !== 0);
}

function memoryWords(check) {
  if (!check) return "";
  if (!check.checked) return `Memory not checked: ${check.reason}.`;
  return check.fits ? "" : `It does not fit: rank ${check.rank} needs ${formatBytes(check.needed_bytes)} of memory, and an NPU has ${formatBytes(check.capacity_bytes)}.`;
}

function tiles(results) {
  const last = results.iterations.at(-1);
  const most = Object.entries(last.breakdown_s).filter(([name]) => name !== "compute").reduce((a, b) => (b[1] > a[1] ? b : a));
  const link = results.links.reduce((a, b) => (b.busy_fraction > (a?.busy_fraction ?? 0) ? b : a), null);
  const worst = most[1] > 0 ? most : ["nothing", 0];
  document.getElementById("report").append(element("div", {class: "tiles"},
    tile("iteration-time", formatSeconds(results.iteration_time_s) + plusMinus(results.iteration_time_half_width_s),
      results.iteration_time_half_width_s ? "last iteration; sampled, ± at 95 %" : "last iteration", results.iteration_time_s),
    tile("compute-share", formatPercent(last.breakdown_s.compute / last.time_s), "of it the compute units work", last.breakdown_s.compute),
    worst[1] > 0
      ? tile("worst-part", formatSeconds(worst[1]) + plusMinus(last.breakdown_half_width_s?.[worst[0]]), `${worst[0]}, ${formatPercent(worst[1] / last.time_s)}: the largest of the rest`, worst[1])
      : tile("worst-part", "nothing", "is on its way but compute", 0),
    link
      ? tile("busiest-link", formatPercent(link.busy_fraction), `busy: ${link.name}, the busiest link${results.iteration_time_half_width_s ? "; only what was simulated is counted" : ""}`, link.busy_fraction)
      : tile("busiest-link", "none", "of the links carried anything", 0)));
  const words = memoryWords(results.memory_check);
  if (words) document.getElementById("report").append(element("p", {id: "memory-check"}, words));
}

function breakdown(results) {
  const chosen = element("select", {id: "iteration", "aria-label": "iteration"},
    ...results.iterations.map((each, i) => element("option", {value: i}, `iteration ${each.number ?? i}`)));
  chosen.value = results.iterations.length - 1;
  const place = element("div"), bars = holder(320), grouped = element("div");
  section("breakdown", "Where the time went",
    "Of the rank that finishes last, and the least, mean and most over all ranks. Compute is time in which the rank computes; exposed_… is time in which it only waits for that kind of traffic, bubble in which it waits for another stage of the pipeline, cpu for its CPU; idle is the rest. The parts of a rank sum to the iteration's time exactly.",
    chosen, element("div", {class: "columns"}, place, bars), grouped);
  let iteration, groups;
  const drawn = chart("breakdown", bars, () => {
    const ranks = iteration.ranks;
    const rows = ranks.length === 0 ? [["min", iteration.breakdown_min_s], ["mean", iteration.breakdown_mean_s], ["max", iteration.breakdown_max_s]]
      : groups.length > 0 ? groups.map((each) => [`${each.ranks[0].rank} (×${each.ranks.length})`, each.mean_s]) : ranks.map((each) => [`rank ${each.rank}`, each.breakdown_s]);
    const {unit, of} = timeUnit(picoseconds(iteration.time_s));
    return {
      grid: {left: groups.length > 0 ? 100 : 70, right: 20, top: 60, bottom: 45},
      legend: {top: 0, type: "scroll", textStyle: {color: css("--ink")}},
      tooltip: {trigger: "axis", axisPointer: {type: "shadow"}, valueFormatter: (value) => `${value} ${unit}`},
      xAxis: {type: "value", name: `time of the iteration (${unit})`, nameGap: 28},
      yAxis: {type: "category", inverse: true, name: groups.length >= 10 ? "group: its first rank (how many ranks)" : groups.length > 0 ? "group" : "rank", nameGap: groups.length > 0 ? 84 : 55, data: rows.map(([name]) => name)},
      series: partsOf(iteration).map((name) => ({
        name, type: "bar", stack: "all", itemStyle: {color: colourOf(name)}, data: rows.map(([, parts]) => of(parts[name] * 1e12)),
      })),
    };
  }, "svg");
  const show = () => {
    iteration = results.iterations[chosen.value];
    const rows = partsOf(iteration);
    groups = iteration.ranks.length > kMostRanksAlone ? rankGroups(iteration) : [];
    bars.style.height = `${Math.max(220, 120 + 16 * (groups.length || Math.min(kMostRanksAlone, iteration.ranks.length)))}px`;
    grouped.replaceChildren(...(groups.length > 0 ? [groupsTable(groups, iteration)] : []));
    const widths = iteration.breakdown_half_width_s;
    const time = (part) => ({of: (name) => iteration[part][name], show: formatSeconds});
    place.replaceChildren(
      element("p", {}, `Iteration ${chosen.value}: `, element("b", {id: "breakdown-time", "data-value": iteration.time_s}, formatSeconds(iteration.time_s)),
        `${plusMinus(iteration.time_half_width_s)}, rank ${iteration.rank} finishes last`),
      table("breakdown-table", [
        {title: "part", text: true, of: (name) => name, show: (name) => element("span", {}, swatch(name), name)},
        {title: "time", ...time("breakdown_s")},
        ...(widths ? [{title: "± 95 %", of: (name) => widths[name] ?? 0, show: formatSeconds}] : []),
        {title: "share", of: (name) => iteration.breakdown_s[name] / iteration.time_s, show: formatPercent},
        {title: "min", ...time("breakdown_min_s")}, {title: "mean", ...time("breakdown_mean_s")}, {title: "max", ...time("breakdown_max_s")},
      ], rows));
    if (drawn.instance) drawn.instance.resize();
    drawn.draw();
  };
  chosen.addEventListener("change", show);
  show();
}
