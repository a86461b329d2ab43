// SPDX-License-Identifier: Apache-2.0
// The report of a study: charts of its cells, and all of them in a table.

function study(of) {
  const shown = of.cells.filter((cell) => cell.shown), failed = of.cells.filter((cell) => cell.error);
  head(of.study, `${of.cells.length} cells${failed.length ? `, ${failed.length} of them failed` : ""}, WaferTLM ${of.simulation.version}`);
  if (of.notes.length > 0) section("notes", "What is assumed", "", element("ul", {}, ...of.notes.map((note) => element("li", {}, note))));
  if (studyColumns(of).length > 0) studyCharts(of);
  if (shown.length >= 3 && studyColumns(of).length >= 2) studyPareto(of);
  summariesTable(of);
  cellsTable(of, shown);
}

const option = (value, words = value) => element("option", {value}, words);
function labelled(words, made) {
  return element("label", {class: "choice"}, words + " ", made);
}

/// A click on a point opens its cell's report.
function opensReport(made) {
  made.drawn.push(() => {
    made.instance.off("click");
    made.instance.on("click", ({data: point}) => { if (point?.cell?.report) window.open(point.cell.report, "_blank", "noopener"); });
  });
}

/// Charts of one column, over the axes that are chosen; other axes stand at one value.
function studyCharts(of) {
  const axes = studyAxes(of), columns = studyColumns(of), first = studyChoice(of);
  const select = (id, values, value) => {
    const made = element("select", {id, "aria-label": id}, ...values.map((each) => option(each)));
    made.value = value;
    return made;
  };
  const column = select("column", columns.map((each) => each.column), first.column.column);
  const x = axes.length > 1 ? select("x", axes.map((each) => each.name), first.x.name) : null;
  const controls = element("div", {class: "choices"}), more = element("span"), box = element("div"), words = element("p", {id: "charts-words"});
  controls.append(labelled("column", column), ...(x ? [labelled("over", x)] : []), more);
  section("charts", "Charts", "", controls, words, box);
  let asked = {};
  const show = () => {
    const choice = studyChoice(of, asked), kinds = studyKinds(of, choice).filter((kind) => kind !== "pareto");
    const change = (to) => () => { asked = {...asked, ...to()}; show(); };
    const others = axes.filter((axis) => axis !== choice.x);
    const series = others.length > 0 ? element("select", {id: "series", "aria-label": "series"}, ...others.filter((axis) => axis.values.length <= kMostSeries).map((axis) => option(axis.name)), option("", "none")) : null;
    if (series) {
      series.value = choice.series?.name ?? "";
      series.addEventListener("change", change(() => ({series: series.value || null})));
    }
    const wheres = Object.entries(choice.where).map(([axis, value]) => {
      const made = select(`where-${axis}`, axes.find((each) => each.name === axis).values, value);
      made.addEventListener("change", change(() => ({where: {...choice.where, [axis]: made.value}})));
      return labelled(axis, made);
    });
    more.replaceChildren(...(series ? [labelled("by", series)] : []), ...wheres);
    const published = of.cells.some((cell) => cell.references?.[choice.column.column]);
    words.textContent = (published ? "Published values: hollow diamonds, dashed bars, or in brackets. " : "") + (of.cells.some((cell) => cell.report) ? "A click on a point opens the report of its run." : "");
    for (const kind of ["line", "bar", "heat map"]) removeChart(kind);
    box.replaceChildren(...kinds.map((kind) => {
      const place = holder(kind === "heat map" ? 180 + 34 * choice.series.values.length : 400);
      place.dataset.kind = kind;
      return place;
    }));
    kinds.forEach((kind, i) => {
      const made = chart(kind, box.children[i], () => {
        const figure = studyFigure(of, kind, choice), text = {color: css("--ink")};
        return {...figure, ...(figure.legend ? {legend: {...figure.legend, textStyle: text}} : {}), ...(figure.visualMap ? {visualMap: {...figure.visualMap, textStyle: text}} : {})};
      }, "svg");
      opensReport(made);
      made.draw();
    });
  };
  column.addEventListener("change", () => { asked = {...asked, column: column.value}; show(); });
  x?.addEventListener("change", () => { asked = {column: column.value, x: x.value}; show(); });
  show();
}

function studyPareto(of) {
  const columns = studyColumns(of), place = holder(400);
  const chosen = paretoColumns(of).map((each) => ({...each, less: lessIsBetter(each)}));
  place.dataset.kind = "pareto";
  const controls = chosen.map((each, i) => {
    const column = element("select", {id: `pareto-${i}`, "aria-label": "column"}, ...columns.map((one) => option(one.column)));
    const goal = element("select", {id: `goal-${i}`, "aria-label": "which is better"}, option("less"), option("more"));
    column.value = each.column;
    goal.value = each.less ? "less" : "more";
    column.addEventListener("change", () => {
      const other = columns.find((one) => one.column === column.value);
      chosen[i] = {...other, less: lessIsBetter(other)};
      goal.value = chosen[i].less ? "less" : "more";
      made.draw();
    });
    goal.addEventListener("change", () => { chosen[i].less = goal.value === "less"; made.draw(); });
    return [labelled(i === 0 ? "across" : "up", column), labelled("better:", goal)];
  });
  section("pareto", "Pareto front of two columns", "Cells on the front are beaten by no other in both.", element("div", {class: "choices"}, ...controls.flat()), place);
  const made = chart("pareto", place, () => {
    const figure = paretoFigure(of, ...chosen);
    return {...figure, legend: {...figure.legend, textStyle: {color: css("--ink")}}};
  }, "svg");
  opensReport(made);
  made.draw();
}

function summariesTable(of) {
  if (of.calibrations.length > 0)
    section("calibrations", "Calibration", "Keys whose values were searched for, so that a column has a known value in one cell.", table("calibrations-table", [
      {title: "calibration", text: true, of: (each) => each.calibration}, {title: "key", text: true, of: (each) => each.key}, {title: "value", text: true, of: (each) => each.value ?? each.error},
      {title: "column", text: true, of: (each) => each.column}, {title: "target", of: (each) => each.target}, {title: "reached", of: (each) => each.reached ?? "", show: (value) => (value === "" ? "-" : shownAs("number", value))},
      {title: "of", text: true, long: true, of: (each) => each.target_provenance},
    ], of.calibrations));
  if (of.summaries.length === 0) return;
  section("summaries", "Over all cells", "", table("summaries-table", [
    {title: "summary", text: true, long: true, of: (each) => each.summary}, {title: "value", of: (each) => each.value, show: (value) => shownAs("number", value)},
    {title: "published", of: (each) => each.reference?.value ?? "", show: (value) => (value === "" ? "" : shownAs("number", value))}, {title: "of", text: true, long: true, of: (each) => each.reference?.provenance ?? ""},
  ], of.summaries));
}

function cellsTable(of, shown) {
  const reports = shown.some((cell) => cell.report), errors = shown.some((cell) => cell.error);
  const columns = of.columns.flatMap(({column, as}) => {
    const published = shown.some((cell) => cell.references?.[column]);
    const half = (cell) => cell.half_widths?.[column];
    return [
      {title: column, of: (cell) => cell.values[column], show: (value, cell) => shownAs(as, value) + (half(cell) ? ` ± ${shownAs(as, half(cell))}` : "")},
      ...(published ? [
        {title: `${column}, published`, of: (cell) => publishedOf(cell, column) ?? "", show: (value) => (value === "" ? "" : shownAs(as, value))},
        {title: `${column}, off by`, of: (cell) => cell.references?.[column]?.difference ?? "", show: (value) => (value === "" ? "" : formatPercent(value))},
      ] : []),
    ];
  });
  const provenances = [...new Set(shown.flatMap((cell) => Object.values(cell.references ?? {}).map((each) => each.provenance)))].filter(Boolean);
  section("cells", "All cells", reports ? "" : "With `wafertlm study --report` every cell has a report of its own, and a link to it here.",
    table("cells-table", [
      ...of.axes.map(({axis}) => ({title: axis, text: true, of: (cell) => cell.at[axis]})), ...columns,
      ...(reports ? [{title: "report", text: true, of: (cell) => cell.report ?? "", show: (file) => (file ? element("a", {href: file}, "open") : "")}] : []),
      ...(errors ? [{title: "error", text: true, long: true, of: (cell) => cell.error ?? ""}] : []),
    ], shown),
    ...(provenances.length > 0 ? [element("p", {}, `Published values: ${provenances.join("; ")}`)] : []));
}
