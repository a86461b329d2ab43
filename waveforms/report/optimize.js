// SPDX-License-Identifier: Apache-2.0
// What `wafertlm optimize` found: the candidates, the front of two goals, cheaper models against simulations.

const kGoalOf = {time: (each) => each.time_s, cost: (each) => each.cost, energy: (each) => each.energy_j, time_cost: (each) => each.time_s * each.cost};

function optimize(outcome) {
  const simulated = outcome.candidates.filter((each) => each.time_s !== null);
  const goals = outcome.goals;
  head(outcome.optimize, `${simulated.length} candidates simulated, least ${goals.join(" and ")}; ${outcome.methods.join(", then ")}`);
  const named = [["middle of the ranges", outcome.middle], ["optimum", outcome.optimum]].map(([name, each]) => ({...each, name}));
  section("optimum", "Optimum", `Against equal shares, or the middle of all ranges. ${stepsOf(outcome.axes)}`,
    table("optimum-table", [
      {title: "", text: true, of: (each) => each.name},
      {title: "at", text: true, long: true, of: (each) => each.words},
      {title: "time", of: (each) => each.time_s, show: formatSeconds},
      ...(named.every((each) => each.cost !== null) ? [{title: "cost ($)", of: (each) => each.cost, show: (value) => fixed(value, 2)}] : []),
    ], named));
  if (goals.length === 2) frontOfGoals(outcome, simulated);
  searchPath(simulated, goals[0], outcome.goals_with_units[0]);
  modelAgainstSimulation(outcome, simulated);
  difference(outcome.difference);
}

/// Which ranges are searched by factors.
function stepsOf(axes) {
  const names = (steps) => axes.filter((each) => each.steps === steps).map((each) => each.variable + (each.unit ? ` (${each.unit})` : "")).join(", ");
  return [["geometric", "in geometric steps (equal factors)"], ["equal", "in equal steps"]].filter(([steps]) => names(steps)).map(([steps, words]) => `${names(steps)}: searched ${words}.`).join(" ");
}

function difference(found) {
  if (!found || found.problem) return;
  section("difference", "LIBRA's model and the simulation at the optimum", `The model says ${formatSeconds(found.model_s)}, the simulation ${formatSeconds(found.simulated_s)}; the parts sum to the difference. Themis off ${formatSeconds(found.themis.off_s)}, on ${formatSeconds(found.themis.on_s)}.`,
    table("difference-table", [
      {title: "part", text: true, of: (each) => each.part},
      {title: "us", of: (each) => each.time_ps / 1e6, show: (value) => fixed(value, 6)},
      {title: "", text: true, long: true, of: (each) => each.how},
    ], found.parts));
}

function scatter(id, holderOf, x, y, series) {
  chart(id, holderOf, () => ({
    legend: {top: 0, textStyle: {color: css("--ink")}}, grid: {left: 90, right: 30, top: 36, bottom: 46},
    tooltip: {trigger: "item", formatter: ({data: point}) => safe(point[2] ?? "")},
    xAxis: {type: "value", name: x, nameLocation: "middle", nameGap: 28, scale: true},
    yAxis: {type: "value", name: y, scale: true}, series,
  }), "svg").draw();
}

function frontOfGoals(outcome, simulated) {
  const [first, second] = outcome.goals.map((name) => kGoalOf[name]);
  const box = holder(360), of = (each) => [first(each), second(each), each.words];
  section("front", "Pareto front", `Every point is a simulation. Hypervolume: ${fixed(outcome.hypervolume, 4)}.`, box);
  scatter("front", box, ...outcome.goals_with_units, [
    {name: "candidates", type: "scatter", symbolSize: 6, itemStyle: {color: kColours.idle}, data: simulated.map(of)},
    {name: "front", type: "line", step: "end", itemStyle: {color: kColours.mp}, data: outcome.front.map(of)},
  ]);
}

function searchPath(simulated, goal, named) {
  const box = holder(300);
  section("path", "Search", "The goal of each candidate, in the order in which they were simulated.", box);
  scatter("path", box, "simulation", named, [{name: named, type: "scatter", symbolSize: 7, itemStyle: {color: kColours.compute}, data: simulated.map((each, i) => [i + 1, kGoalOf[goal](each), each.words])}]);
}

function modelAgainstSimulation(outcome, simulated) {
  const models = [["libra", "LIBRA's model", "libra_s", kColours.dp], ["predictions", "predictions", "predicted_s", kColours.mp], ["coarse", "coarse runs", "coarse_s", kColours.pp]];
  const series = models.filter(([, , field]) => simulated.some((each) => each[field] !== null)).map(([key, name, field, color]) => ({
    name: `${name}, rank correlation ${outcome.rank_correlation[key] === null ? "-" : fixed(outcome.rank_correlation[key], 3)}`, type: "scatter", symbolSize: 7,
    itemStyle: {color}, data: simulated.filter((each) => each[field] !== null).map((each) => [each[field], each.time_s, each.words])}));
  if (series.length === 0) return;
  const box = holder(320);
  section("models", "Cheaper models against simulations", "What falls apart from a rising line is ranked differently.", box);
  scatter("models", box, "cheaper model (s)", "simulation (s)", series);
}
