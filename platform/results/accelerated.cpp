// SPDX-License-Identifier: Apache-2.0
#include "platform/results/accelerated.h"

#include "platform/system/machine.h"

namespace wafertlm::results {
namespace {

const char* const kOffBecause = "What forbids it; then there is nothing else";

void describe_steady_states(Fields<SteadyCounts>& of) {
  const auto count = [&](const char* name, const char* meaning, std::uint64_t SteadyCounts::*member) {
    of.add(name, schema::count(meaning), [member](const SteadyCounts& counts) { return counts.*member; });
  };
  count("stretches", "Stretches of time that were skipped, of messages that share links",
        &SteadyCounts::stretches);
  count("periods", "Periods in them", &SteadyCounts::periods);
  count("packets", "Packets that left their NPUs or I/O controllers in them", &SteadyCounts::packets);
  count("verified", "run.acceleration: verify: stretches that were simulated and compared",
        &SteadyCounts::verified);
}

void describe_episodes(Fields<Episodes>& of) {
  const auto is_off = [](const Episodes& episodes) { return !episodes.off_because().empty(); };
  of.add_if(is_off, "off_because", schema::text(kOffBecause),
            [](const Episodes& episodes) { return episodes.off_because(); });
  const auto count = [&](const char* name, const char* meaning, std::uint64_t EpisodeCounts::*member) {
    of.add_if([is_off](const Episodes& episodes) { return !is_off(episodes); }, name, schema::count(meaning),
              [member](const Episodes& episodes) { return episodes.counts().*member; });
  };
  count("recorded", "That were simulated and recorded", &EpisodeCounts::recorded);
  count("played", "That were played to their end", &EpisodeCounts::played);
  count("abandoned", "That were played until something else began", &EpisodeCounts::abandoned);
  count("verified", "run.acceleration: verify: that were simulated again and compared",
        &EpisodeCounts::verified);
}

void describe(Fields<Machine>& of) {
  const auto is_on = [](const Machine& machine) { return machine.skipped() != nullptr; };
  static const Fields<SteadyCounts> steady(describe_steady_states);
  static const Fields<Episodes> episodes(describe_episodes);
  of.add_if([is_on](const Machine& machine) { return !is_on(machine); }, "off_because",
            schema::text(kOffBecause), [](const Machine& machine) { return machine.not_accelerated(); });
  of.add_if(is_on, "steady_states", steady.schema("What was skipped because it repeats"),
            [](const Machine& machine) { return steady.json(*machine.skipped()); });
  of.add_if(is_on, "episodes", episodes.schema("What was played instead of being simulated again"),
            [](const Machine& machine) { return episodes.json(*machine.episodes()); });
}

}  // namespace

const Fields<Machine>& accelerated_fields() {
  static const Fields<Machine> fields(describe);
  return fields;
}

}  // namespace wafertlm::results
