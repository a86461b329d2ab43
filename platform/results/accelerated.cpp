// SPDX-License-Identifier: Apache-2.0
#include "platform/results/accelerated.h"

#include <algorithm>

#include "platform/machine/machine.h"
#include "platform/machine/sampled/sampling.h"
#include "platform/machine/wafer.h"
#include "tlm/acceleration/episodes.h"
#include "tlm/acceleration/steady_states.h"

namespace wafertlm::results {
namespace {

const char* const kOffBecause = "What forbids it; then there is nothing else";

void describe_steady_states(Fields<SteadyCounts>& of) {
  of.add("stretches", schema::count("Stretches of time that were skipped, of messages that share links"),
         &SteadyCounts::stretches);
  of.add("periods", schema::count("Periods in them"), &SteadyCounts::periods);
  of.add("packets", schema::count("Packets that left their NPUs or I/O controllers in them"),
         &SteadyCounts::packets);
  of.add("put_back", schema::count("Stretches that something came into, so that their rest was simulated"),
         &SteadyCounts::put_back);
  of.add("verified", schema::count("run.acceleration: verify: stretches that were simulated and compared"),
         &SteadyCounts::verified);
}

/// Each packet that has left an endpoint is in one of them.
void describe_packets(Fields<Machine>& of) {
  of.add("simulated", schema::count("One by one"),
         [](const Machine& machine) { return machine.skipped()->started - machine.skipped()->packets; });
  of.add("of_short_messages", schema::count("Of those simulated: in messages too short to look for a period"),
         [](const Machine& machine) { return machine.skipped()->of_short; });
  of.add("in_periods", schema::count("Skipped because they repeat the period before"),
         [](const Machine& machine) { return machine.skipped()->packets; });
  of.add("in_episodes", schema::count("In episodes that were played"), [](const Machine& machine) {
    return machine.injected_packets() - std::min(machine.injected_packets(), machine.skipped()->started);
  });
}

void describe_episodes(Fields<Episodes>& of) {
  const auto is_off = [](const Episodes& episodes) { return !episodes.off_because().empty(); };
  of.add_if(is_off, "off_because", schema::text(kOffBecause), &Episodes::off_because);
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

void describe_places(Fields<Machine>& of) {
  const auto is_off = [](const Machine& machine) { return !machine.one_for_all(); };
  of.add_if(is_off, "off_because", schema::text(kOffBecause),
            [](const Machine& machine) { return machine.places().why_all; });
  of.add_if([](const Machine& machine) { return machine.one_for_all(); }, "npus",
            schema::count("That NPU 0 stands for, itself among them"),
            [](const Machine& machine) { return machine.wafer().npus(); });
}

void describe_sampling(Fields<Sampling>& of) {
  const auto count = [&](const char* name, const char* meaning, std::uint64_t SampledCounts::*member) {
    of.add(name, schema::count(meaning),
           [member](const Sampling& sampling) { return sampling.counts().*member; });
  };
  count("simulated", "Collectives (of a stream one for each I/O controller), messages, loads and stores",
        &SampledCounts::simulated);
  count("played", "The same, that took the time of one that was simulated", &SampledCounts::played);
  count("uncertain", "Simulated while others were played beside them", &SampledCounts::uncertain);
  count("classes", "Of transfers that are taken for alike", &SampledCounts::classes);
  count("audits", "Stretches in which all was simulated, and compared", &SampledCounts::audits);
  of.add("audited_deviation", {{"type", "number"}, {"description", "Of times in audits, relative"}},
         [](const Sampling& sampling) { return sampling.counts().audited_deviation; });
  of.add("relative_half_width", schema::number("At 95 %, of the sum of the times that were played"),
         &Sampling::relative_half_width);
  of.add("counted_while_simulated",
         schema::list(schema::text(), "Fields of results.json that know nothing of what was played"),
         [](const Sampling& sampling) {
           Json fields = Json::array();
           if (sampling.counts().played != 0)
             fields = {"links",    "memories",  "remote_memory",
                       "energy_j", "endpoints", "simulation.packet_hops"};
           return fields;
         });
}

void describe(Fields<Machine>& of) {
  const auto is_on = [](const Machine& machine) { return machine.episodes() != nullptr; };
  const auto skips = [](const Machine& machine) { return machine.skipped() != nullptr; };
  static const Fields<SteadyCounts> steady(describe_steady_states);
  static const Fields<Episodes> episodes(describe_episodes);
  static const Fields<Machine> packets(describe_packets);
  static const Fields<Sampling> sampling(describe_sampling);
  of.add_if([](const Machine& machine) { return !machine.not_accelerated().empty(); }, "off_because",
            schema::text(kOffBecause), [](const Machine& machine) { return machine.not_accelerated(); });
  of.add_if(skips, "packets", packets.schema("That have left NPUs or I/O controllers"),
            [](const Machine& machine) { return packets.json(machine); });
  of.add_if(skips, "steady_states", steady.schema("What was skipped because it repeats"),
            [](const Machine& machine) { return steady.json(*machine.skipped()); });
  of.add_if(is_on, "episodes", episodes.schema("What was played instead of being simulated again"),
            [](const Machine& machine) { return episodes.json(*machine.episodes()); });
  static const Fields<Machine> places(describe_places);
  of.add_if(
      [](const Machine& machine) { return machine.one_for_all() || !machine.places().why_all.empty(); },
      "equal_places",
      places.schema("On a fabric whose wiring is the same at all NPUs: one that stands for all, if they do "
                    "the same"),
      [](const Machine& machine) { return places.json(machine); });
  of.add_if([](const Machine& machine) { return machine.sampling() != nullptr; }, "sampled",
            sampling.schema("run.acceleration: sampled"),
            [](const Machine& machine) { return sampling.json(*machine.sampling()); });
}

}  // namespace

const Fields<Machine>& accelerated_fields() {
  static const Fields<Machine> fields(describe);
  return fields;
}

}  // namespace wafertlm::results
