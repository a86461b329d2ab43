// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/service.h"

#include <algorithm>

#include "models/rtl/stress/directed.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

/// Cycles for so many flits: at the design's rate, or as its buffers allow when credits take as long as there
/// and back again through the module. A packet needs room for all of it.
std::uint64_t cycles_for(const RtlDesign& design, std::uint64_t flits) {
  constexpr std::uint64_t kHost = 8;  // cycles of a credit's way outside
  const std::uint64_t each = rate_flits(design), loop = each + 2 * design.latency + kHost;
  const std::uint64_t at_rate = (flits * 100 + design.rate - 1) / design.rate;
  if (design.depth == 0) return at_rate;
  const std::uint64_t inside = std::min(design.depth, design.out_depth) / each * each;
  return std::max(at_rate, (flits * loop + inside - 1) / inside);
}

}  // namespace

void RtlService::begin_round(std::uint32_t round) {
  contenders_.clear();
  streaks_.clear();
  if (stimulus_.judged != RtlStimulus::Judged::turns) return;
  for (const RtlStimulus::Packet& each : stimulus_.packets)
    if (each.round == round)
      contenders_[each.output][{each.arrivals[0].port, each.channel}].packets.push_back(&each);
}

void RtlService::head_in(const RtlStimulus::Packet& packet) {
  const auto output = contenders_.find(packet.output);
  if (output != contenders_.end()) ++output->second[{packet.arrivals[0].port, packet.channel}].inside;
}

std::optional<RtlService::Fault> RtlService::head_out(const RtlStimulus::Packet& packet, std::uint64_t edge,
                                                      std::uint64_t waited) {
  switch (stimulus_.judged) {
    case RtlStimulus::Judged::alone:
      if (design_.latency == 0 || waited == design_.latency) return {};
      return Fault{&packet, say("a head alone leaves LATENCY = ", design_.latency, " cycles after it came"),
                   say("it took ", waited, " cycles")};
    case RtlStimulus::Judged::rate:
      streaks_.try_emplace({packet.arrivals[0].port, packet.output}, Streak{edge, 0});
      return {};
    case RtlStimulus::Judged::turns:
      return take_turn(packet);
    case RtlStimulus::Judged::nothing:
      break;
  }
  return {};
}

std::optional<RtlService::Fault> RtlService::take_turn(const RtlStimulus::Packet& packet) {
  auto& all = contenders_[packet.output];
  Contender& served = all[{packet.arrivals[0].port, packet.channel}];
  ++served.gone;
  --served.inside;
  served.passed = 0;
  for (auto& [place, each] : all) {
    if (&each == &served || each.inside == 0) continue;
    most_passed_ = std::max(most_passed_, ++each.passed);
    if (each.passed > design_.turns * all.size())
      return Fault{
          each.packets[each.gone],
          say("of ", all.size(), " inputs and channels that contend none lets ", design_.turns, " x ",
              all.size(), " packets pass"),
          say(each.passed, " have passed this one of input ", place.first, ", channel ", place.second)};
  }
  return {};
}

std::optional<RtlService::Fault> RtlService::tail_out(const RtlStimulus::Packet& packet, std::uint64_t edge) {
  const auto found = streaks_.find({packet.arrivals[0].port, packet.output});
  if (found == streaks_.end() || flits_of(packet) < rate_flits(design_)) return {};
  Streak& streak = found->second;
  streak.flits += flits_of(packet);
  const std::uint64_t took = edge + 1 - streak.first_head, may = cycles_for(design_, streak.flits);
  if (took <= may) return {};
  return Fault{
      &packet,
      say("with nothing else in the module flits leave at its RATE, ", design_.rate, " in 100 cycles"),
      say(streak.flits, " flits from input ", packet.arrivals[0].port, " took ", took, " cycles, ", may,
          " may")};
}

}  // namespace wafertlm
