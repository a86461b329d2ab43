// SPDX-License-Identifier: Apache-2.0

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
if (data.optimize) {
  optimize(data.optimize);
} else if (data.study) {
  study(data.study);
} else if (data.validate) {
  validate(data.validate);
} else if (data.explain) {
  explain(data.explain);
} else if (data.runs) {
  compare(data.runs);
} else {
  const {results} = data;
  head(results.experiment, `platform ${results.platform}${results.workload ? `, workload ${results.workload}` : ""}, WaferTLM ${results.simulation.version}`);
  tiles(results);
  breakdown(results);
  timeline();
  wafer();
  rtl();
  collectives();
  bounds();
  memory();
  criticalPath();
  configuration();
}
window.addEventListener("resize", () => charts.forEach((each) => each.instance.resize()));
let screenTheme;
window.addEventListener("beforeprint", () => { screenTheme = document.documentElement.dataset.theme; useTheme("light"); charts.forEach((each) => each.instance.resize()); });
window.addEventListener("afterprint", () => { useTheme(screenTheme); charts.forEach((each) => each.instance.resize()); });
window.wafertlm.readyMs = performance.now();  // since the page was asked for
window.wafertlm.ready = true;
