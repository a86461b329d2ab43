// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/stress.h"

#include <chrono>
#include <utility>

#include "models/rtl/stress/generate.h"
#include "models/rtl/stress/shrink.h"
#include "tlm/kernel/say.h"

namespace wafertlm {

RtlStimulus one_by_one(const RtlDesign& design) {
  RtlStimulus made;
  const std::uint32_t apart = design.latency + 32;
  for (std::uint32_t input = 0; input < design.ports; ++input)
    for (std::uint32_t output = 0; output < design.ports; ++output) {
      RtlStimulus::Packet packet;
      packet.id = made.packets.size();
      packet.output = output;
      packet.channel = static_cast<std::uint32_t>(packet.id % design.channels);
      packet.bytes = design.flit_bytes();
      packet.arrivals = {{input, packet.id * apart}};
      made.packets.push_back(std::move(packet));
    }
  return made;
}

RtlStressResult stress(const RtlDesign& design, RtlModel& model, const RtlStressParams& params,
                       const RtlFlowRules& rules, const RtlStressOptions& options,
                       const RtlStressProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  RtlStressResult result({design.ports, design.flows != 0 && rules.order != nullptr, design.depth != 0});
  double told_s = 0;
  const auto play = [&](const RtlStimulus& stimulus, const RtlStressParams& with) {
    const RtlStressOutcome outcome = play_stimulus(design, model, with, stimulus, &result.coverage);
    result.packets += outcome.packets;
    result.cycles += outcome.cycles;
    result.wait_cycles += outcome.wait_cycles;
    result.most_early = std::max(result.most_early, outcome.most_early);
    if (outcome.passed()) return true;
    const auto fails = [&](const RtlStimulus& smaller) {
      ++result.plays;
      return !play_stimulus(design, model, with, smaller).passed();
    };
    result.outcome = outcome;
    result.stimulus = stimulus;
    result.repeats = fails(stimulus);
    if (result.repeats && options.shrink_plays != 0) {
      RtlStimulus smaller = shrink(stimulus, fails, options.shrink_plays);
      // A reset that leaves something behind would make all that follows fail.
      if (RtlStimulus at_once = smaller;
          std::exchange(at_once.cycles_before_reset, 0) != 0 && !fails(one_by_one(design)) && fails(at_once))
        smaller = std::move(at_once);
      const RtlStressOutcome again = play_stimulus(design, model, with, smaller);
      if (!again.passed()) {
        result.stimulus = std::move(smaller);
        result.outcome = again;
      }
    }
    return false;
  };
  RtlStressParams alone = params;
  alone.alone_cycles = design.latency;
  if (!play(one_by_one(design), alone)) return result;
  for (std::uint32_t i = 0; options.cases == 0 || i < options.cases; ++i) {
    if (options.seconds != 0 && seconds() > options.seconds) break;
    result.failed_seed = options.seed + i;
    ++result.cases;
    if (!play(random_stimulus(design, rules, options.packets, options.seed + i), params)) return result;
    if (progress && seconds() > told_s + 1) {
      told_s = seconds();
      progress(say(result.cases, " cases, ", result.packets, " packets, ", result.cycles, " cycles, ",
                   result.coverage.reached(), " of ", result.coverage.bins(), " bins"));
    }
  }
  result.failed_seed = 0;
  return result;
}

}  // namespace wafertlm
