// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/stimulus.h"

#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

std::string list(const std::vector<std::uint32_t>& ports) {
  std::string text;
  for (const std::uint32_t port : ports) text += (text.empty() ? "" : ",") + std::to_string(port);
  return text;
}

}  // namespace

std::string to_text(const RtlStimulus& stimulus, const RtlDesign& design) {
  std::string text;
  if (stimulus.cycles_before_reset != 0)
    text += say("  all this for ", stimulus.cycles_before_reset, " cycles, then a reset, then again:\n");
  if (stimulus.first_number != 0) text += say("  numbers begin at ", stimulus.first_number, "\n");
  if (stimulus.least_cycles != 0)
    text += say("  again and again for ", stimulus.least_cycles, " cycles, without a reset:\n");
  for (const auto& each : stimulus.settings)
    text += say("  configuration: entry ", each.entry, ", word ", each.word, " = ", each.value, "\n");
  for (const auto& each : stimulus.packets) {
    text += say("  round ", each.round, ", ", each.bytes, " B (",
                (each.bytes + design.flit_bytes() - 1) / design.flit_bytes(), " flits), ");
    if (each.branch) {
      const RtlStimulus::Branch& branch = stimulus.branches[*each.branch];
      text += say("flow ", list(branch.inputs), " -> ", list(branch.outputs), ", channel ", branch.channel,
                  ", priority ", branch.priority, ", ", to_string(branch.data_type));
      if (branch.from_above != 0) text += say(", input ", branch.from_above - 1, " from above");
    } else {
      text += say("message ", each.arrivals[0].port, " -> ", each.output, ", channel ", each.channel,
                  ", priority ", each.priority);
    }
    text += ", comes in cycle";
    for (const auto& arrival : each.arrivals)
      text += each.branch ? say(" ", arrival.cycle, " (input ", arrival.port, ")") : say(" ", arrival.cycle);
    if (each.cycles_per_flit != 1) text += say(", a flit in ", each.cycles_per_flit, " cycles");
    text += "\n";
  }
  for (const auto& each : stimulus.stalls)
    text += say("  round ", each.round, ", ", each.is_output ? "output " : "input ", each.port,
                " stands still for ", each.cycles, " cycles from cycle ", each.first, " on\n");
  if (stimulus.probes && stimulus.judged == RtlStimulus::Judged::nothing &&
      design.protocol == RtlProtocol::credit_stream)
    text += say("  then ", design.out_depth,
                " flits and two more to each output, which gets no credits, from channel ",
                stimulus.probed_channel, " on\n");
  return text;
}

}  // namespace wafertlm
