// SPDX-License-Identifier: Apache-2.0
// What the last iteration's end waited for, operation by operation, and the resolved configuration.

function criticalPath() {
  const path = data.results.critical_path;
  const parts = Object.entries(path.breakdown_ps).map(([name, ps]) => `${name} ${formatTime(ps)}`).join(", ");
  const rows = path.steps.map((step, i) => ({...step, i, before: path.steps[i - 1]}));
  section("critical-path", "Critical path of the last iteration",
    `${path.length} operations${path.beginning_not_kept ? ", the first of them not kept" : ""}: ${parts}. Each waited for the one above it.`,
    table("path-table", [
      {title: "#", key: true, of: (each) => each.i},
      {title: "rank", of: (each) => each.rank},
      {title: "start", of: (each) => each.start_s, show: formatSeconds},
      {title: "time", of: (each) => each.end_s - each.start_s, show: formatSeconds},
      {title: "what", text: true, of: (each) => each.category, show: (name) => element("span", {}, swatch(name), name)},
      {title: "operation", text: true, long: true, of: (each) => each.name, show: (name, each) => `${name} (node ${each.node})`},
      {title: "waited for", text: true, long: true, of: (each) => each.before?.name ?? "", show: (name, each) => each.before ? `${name} of rank ${each.before.rank}, ended ${formatSeconds(each.before.end_s)}` : "the start"},
    ], rows, {limit: 1000}));
}

/// Lines of the resolved YAML: {path, value, provenance, origin}.
function configurationRows(text) {
  const rows = [], parents = [];
  for (const line of text.split("\n")) {
    const match = /^( *)(- )?([^:#]+?): ?(.*)$/.exec(line);
    if (line.trim() === "" || line.startsWith("#")) continue;
    if (!match || match[2]) {
      rows.push({path: "", value: line.trim(), provenance: "", origin: ""});
      continue;
    }
    const depth = match[1].length / 2;
    parents.length = depth;
    parents[depth] = match[3];
    const hash = match[4].lastIndexOf("  # ");
    const origin = hash >= 0 ? match[4].slice(hash + 4) : match[4].startsWith("# ") ? match[4].slice(2) : match[4].startsWith(" # ") ? match[4].slice(3) : "";
    let value = hash >= 0 ? match[4].slice(0, hash) : origin ? "" : match[4], provenance = "";
    const annotated = /^\{value: (.*), provenance: (".*")\}$/.exec(value);
    if (annotated) {
      value = annotated[1];
      try { provenance = JSON.parse(annotated[2]); } catch { provenance = annotated[2]; }
    }
    if (value !== "" || origin !== "") rows.push({path: parents.join("."), value: value.trim(), provenance, origin});
  }
  return rows;
}

function configuration() {
  const made = section("configuration", "Resolved configuration", "Every value with where it was set and where it comes from: P the paper, R a reference, D derived, A assumed.",
    table("configuration-table", [
      {title: "key", text: true, of: (each) => each.path},
      {title: "value", text: true, long: true, of: (each) => each.value},
      {title: "provenance", text: true, long: true, of: (each) => each.provenance},
      {title: "set in", text: true, of: (each) => each.origin},
    ], configurationRows(data.resolved)));
  made.classList.add("breaks");
}
