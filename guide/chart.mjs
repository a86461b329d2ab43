// SPDX-License-Identifier: Apache-2.0
// A chart of a study's report as SVG, without a browser:  node chart.mjs DIR/report.html KIND CHOICE.json [OUT.svg]
// KIND is line, bar, "heat map" or pareto; CHOICE says {"column", "x", "series", "where"}, what it leaves out is chosen
// as the report does. The data are those of the report: nothing is drawn that no run has measured.
import fs from "node:fs";
import {createRequire} from "node:module";

const folder = new URL("../waveforms/report/", import.meta.url);
const echarts = createRequire(import.meta.url)("echarts");
const kColours = {ink: "#1d2733", faint: "#5d6b7a", line: "#dde2e8", card: "#ffffff"};

/// The functions of the report's page that draw.
function figures() {
  const source = ["format", "figures"].map((name) => fs.readFileSync(new URL(`${name}.js`, folder), "utf8")).join("\n");
  return new Function(`${source}\nreturn {styled, studyChoice, studyKinds, studyFigure};`)();
}

export function chartOf(report, kind, asked) {
  const page = fs.readFileSync(report, "utf8"), {study} = JSON.parse(/id="data"[^>]*>(.*?)<\/script>/s.exec(page)[1]);
  const {styled, studyChoice, studyKinds, studyFigure} = figures(), choice = studyChoice(study, asked), kinds = studyKinds(study, choice);
  if (!kinds.includes(kind)) throw new Error(`${report} has no ${kind}: it has ${kinds.join(", ")}`);
  const option = styled({...studyFigure(study, kind, choice), backgroundColor: kColours.card}, kColours);
  const chart = echarts.init(null, null, {renderer: "svg", ssr: true, width: 760, height: 360});
  chart.setOption(option);
  const svg = chart.renderToSVGString();
  chart.dispose();
  // Ids of clip paths and gradients count from what was drawn before.
  return svg.replace(/zr\d+-/g, "zr-") + "\n";
}

const [report, kind, choice, out] = process.argv.slice(2);
const svg = chartOf(report, kind, JSON.parse(choice));
if (out) fs.writeFileSync(out, svg);
else process.stdout.write(svg);
