// SPDX-License-Identifier: Apache-2.0
// The switches that were RTL, or had it beside them.

function divergenceWords(scoreboard) {
  const first = scoreboard?.first_divergence;
  if (!first) return "";
  const where = first.kind === "protocol" ? `port ${first.output}` : `output ${first.output}${first.link ? ` (${first.link})` : ""}: ${first.packet}`;
  return `${first.kind} at ${first.at_ps} ps, ${where}; expected ${first.expected}, got ${first.got}`;
}

function rtl() {
  const switches = data.results.rtl;
  if (!switches?.length) return;
  section("rtl", "RTL", "View both: beside the model, which answers; rtl: in its place; tlm: recorded only.", table("rtl-table", [
    {title: "switch", text: true, of: (each) => each.switch},
    {title: "view", text: true, of: (each) => each.view},
    {title: "design", text: true, of: (each) => each.design},
    {title: "packets in", of: (each) => each.packets_in},
    {title: "cycles", of: (each) => each.cycles},
    {title: "verdict", text: true, long: true, of: (each) => each.scoreboard?.verdict ?? ""},
    {title: "first divergence", text: true, long: true, of: (each) => divergenceWords(each.scoreboard)},
  ], switches));
}
