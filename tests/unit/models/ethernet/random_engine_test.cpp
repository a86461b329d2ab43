// SPDX-License-Identifier: Apache-2.0
// Random networks, losses, schemes and ways: every message once, nothing left over, nothing lost under PFC,
// the same again.
#include <gtest/gtest.h>

#include <random>

#include "models/nic/congestion/presets.h"
#include "tests/support/random_cases.h"
#include "tests/unit/models/ethernet/engine_run.h"

namespace wafertlm::ethernet {
namespace {

struct RandomCase {
  Network network;
  EthernetParams params;
  struct Flow {
    std::uint32_t from, to;
    std::uint64_t bytes;
    TimePs start;
  };
  std::vector<Flow> flows;
};

RandomCase random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::uint64_t rates[] = {10, 25, 50, 100, 200, 400};
  const CableParams cables{rates[pick(6)] * kGigabit, rates[pick(6)] * kGigabit, random() % 1'000'000,
                           random() % 1'000'000};
  RandomCase made;
  switch (pick(4)) {
    case 0:
      made.network = star(2 + pick(8), cables);
      break;
    case 1:
      made.network = leaf_spine(2 + pick(3), 1 + pick(4), 1 + pick(3), cables);
      break;
    case 2:
      made.network = fat_tree(4, 1 + pick(2), cables);
      break;
    default:
      made.network = rail_optimised(2 + pick(3), 1 + pick(4), 1 + pick(2), cables);
      break;
  }
  EthernetParams& params = made.params;
  params.seed = random();
  params.format.mtu_bytes = 256U << pick(5);
  EthernetSwitchParams& at = params.switches;
  at.loss = static_cast<Loss>(pick(3));
  at.buffer_bytes = 4'000'000;
  at.threshold.dynamic = pick(2) == 0;
  at.threshold.xoff_bytes = 10'000 + random() % 100'000;
  at.threshold.xon_bytes = random() % at.threshold.xoff_bytes;
  if (at.threshold.dynamic) at.threshold.xon_bytes = 3'000;
  at.cut_through = pick(2) == 0;
  at.fair_inputs = pick(2) == 0;
  at.pipeline_ps = pick(2) * (random() % 500'000);
  at.ecn = {5'000 + random() % 50'000, 100'000, .5};
  if (at.loss != Loss::pause) at.queue_limit_bytes = 10'000 + random() % 60'000;
  at.balance = static_cast<LoadBalance>(pick(5));
  const bool keeps_order = at.balance == LoadBalance::ecmp;
  params.nics.transport.repair =
      keeps_order && pick(2) == 0 ? nic::Repair::go_back_n : nic::Repair::selective_repeat;
  params.nics.transport.ack_every = 1 + pick(4);
  params.nics.transport.reordering = keeps_order ? 1 : 0;
  params.nics.timeout_ps = 500 * kMicrosecond;
  const auto& presets = nic::scheme_presets();
  params.nics.scheme = presets[pick(presets.size())].params;
  const auto needs = nic::needs_of(params.nics.scheme);
  // Without a window that losses shrink, go-back-N can repeat the same packets for ever.
  if (at.loss != Loss::pause && (!needs.marks || needs.cnps))
    params.nics.transport.repair = nic::Repair::selective_repeat;
  if (needs.telemetry) params.format.telemetry_bytes = 42;
  const std::uint32_t hosts = made.network.hosts(), flows = 1 + pick(10);
  for (std::uint32_t i = 0; i < flows; ++i) {
    const std::uint32_t from = pick(hosts);
    made.flows.push_back({from, (from + 1 + pick(hosts - 1)) % hosts, 1 + random() % 200'000, 0});
  }
  return made;
}

struct Outcome {
  std::map<std::uint64_t, std::vector<TimePs>> delivered;
  std::uint64_t hops;
};

Outcome run_case(const RandomCase& of, std::uint64_t seed) {
  EngineRun run(of.network, of.params);
  for (const auto& flow : of.flows) run.flow(flow.from, flow.to, flow.bytes);
  run.engine.run(2'000'000 * kMicrosecond);
  EXPECT_EQ(run.engine.next_ps(), kNever) << "case " << seed;
  EXPECT_EQ(run.delivered.size(), of.flows.size()) << "case " << seed;
  EXPECT_EQ(run.acknowledged.size(), of.flows.size()) << "case " << seed;
  for (const auto& [message, times] : run.delivered) {
    EXPECT_EQ(times.size(), 1U) << "case " << seed;
    const auto& flow = of.flows[message];
    const Port& port = of.network.ports()[of.network.host_port(flow.from)];
    EXPECT_GE(times.front(),
              transfer_time_ps(of.params.format.write_wire_bytes(flow.bytes), port.bytes_per_s))
        << seed;
    EXPECT_GE(run.acknowledged[message], times.front());
  }
  EXPECT_EQ(run.engine.frames(), 0U) << "case " << seed;
  for (std::uint32_t node = of.network.hosts(); node < of.network.nodes(); ++node)
    EXPECT_EQ(run.engine.buffered_bytes(node), 0U) << "case " << seed;
  if (of.params.switches.loss == Loss::pause) {
    EXPECT_EQ(run.engine.drops(), 0U) << "case " << seed;
  }
  return {run.delivered, run.engine.packet_hops()};
}

TEST(RandomEthernet, DeliversEveryByteOnce) {
  const auto cases = static_cast<std::uint64_t>(test::random_cases(300, 60));
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const RandomCase made = random_case(seed);
    const Outcome outcome = run_case(made, seed);
    if (seed % 10 != 0) continue;
    const Outcome again = run_case(made, seed);
    EXPECT_EQ(outcome.delivered, again.delivered) << seed;
    EXPECT_EQ(outcome.hops, again.hops) << seed;
  }
}

}  // namespace
}  // namespace wafertlm::ethernet
