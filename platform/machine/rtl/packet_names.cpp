// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/packet_names.h"

#include <fmt/format.h>

#include <memory>

#include "models/rtl/recording.h"
#include "models/rtl/stream.h"

namespace wafertlm {
namespace {

constexpr unsigned kStepBits = 32;

/// "NPU 4", "NPUs 4, 5", and the same of inputs.
std::string list_of(const char* one, const std::set<std::uint32_t>& numbers) {
  return fmt::format("{}{} {}", one, numbers.size() > 1 ? "s" : "", fmt::join(numbers, ", "));
}

std::string within(const RtlOrigin& origin, const char* what) {
  if (origin.collective == 0) return origin.step == 0 ? "" : fmt::format(", tag {}", origin.step);
  return fmt::format(", {} {} of collective {}", what, rtl_step_name(origin.step), origin.collective);
}

}  // namespace

std::string rtl_step_name(std::uint64_t step) {
  const std::uint64_t part = step >> kStepBits, number = step & ((std::uint64_t{1} << kStepBits) - 1);
  return part == 0 ? std::to_string(number) : fmt::format("{} (part {})", number, part);
}

void RtlPacketNames::see(const RtlEvent& event) {
  if (event.kind != RtlEvent::Kind::arrive) return;
  Named& named = packets_[{event.flow, event.sequence & RtlHeader::kSequenceMask}];
  named.inputs.insert(event.port);
  if (!event.origin) return;
  named.has_origin = true;
  named.origin = *event.origin;
  if (event.origin->source != RtlOrigin::kNobody) named.sources.insert(event.origin->source);
}

std::string RtlPacketNames::name(std::uint64_t flow, std::uint64_t sequence) const {
  const auto found = packets_.find({flow, sequence & RtlHeader::kSequenceMask});
  if (found == packets_.end()) return "a packet that did not come in";
  const Named& named = found->second;
  const std::string inputs = list_of("input", named.inputs);
  const auto number = static_cast<std::uint32_t>(flow);
  if (!named.has_origin)
    return RtlEntry::is_message(number)
               ? fmt::format("packet {} to output {}, {}", sequence, RtlEntry::output_of(number), inputs)
               : fmt::format("packet {} of in-network flow {}, {}", sequence, flow, inputs);
  const RtlOrigin& origin = named.origin;
  if (origin.destination == RtlOrigin::kNobody)
    return fmt::format("packet {} of {}{}, {}", origin.packet, list_of("NPU", named.sources),
                       within(origin, "in-network flow"), inputs);
  return fmt::format("packet {} of NPU {} to NPU {}{}, {}", origin.packet, origin.source, origin.destination,
                     within(origin, "step"), inputs);
}

std::string RtlPacketNames::label(std::uint64_t flow, std::uint64_t sequence) const {
  const auto found = packets_.find({flow, sequence & RtlHeader::kSequenceMask});
  if (found == packets_.end() || !found->second.has_origin) return name(flow, sequence);
  const RtlOrigin& origin = found->second.origin;
  const bool is_flow = origin.destination == RtlOrigin::kNobody;
  std::string text = fmt::format("{} -> {}", fmt::join(found->second.sources, "+"),
                                 is_flow ? "flow" : std::to_string(origin.destination));
  if (origin.collective != 0)
    text += fmt::format(", collective {} {} {}", origin.collective, is_flow ? "flow" : "step",
                        rtl_step_name(origin.step));
  return text + fmt::format(", packet {}", origin.packet);
}

RtlNames rtl_names_of(const std::string& recording, const RtlScoreboard& board,
                      std::map<std::uint32_t, std::string> links) {
  RtlNames names;
  names.output = [links = std::move(links)](std::uint32_t output) {
    const auto found = links.find(output);
    return found == links.end() ? "" : found->second;
  };
  const auto packets = std::make_shared<RtlPacketNames>();
  const auto wanted = [&](const RtlEvent& event) {
    return board.first_divergence()->flow == event.flow &&
           board.first_divergence()->sequence == event.sequence;
  };
  if (board.first_divergence()) {
    RtlRecordingReader reader(recording);
    for (RtlEvent event; reader.next(event);)
      if (wanted(event)) packets->see(event);
  }
  names.packet = [packets](std::uint64_t flow, std::uint64_t sequence) {
    return packets->name(flow, sequence);
  };
  return names;
}

}  // namespace wafertlm
