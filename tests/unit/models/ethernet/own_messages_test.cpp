// SPDX-License-Identifier: Apache-2.0
// Messages that have a queue pair of their own, against queue pairs that are there all the time.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "models/nic/congestion/presets.h"
#include "tests/unit/models/ethernet/engine_run.h"

namespace wafertlm::ethernet {
namespace {

struct OwnSent {
  TimePs at;
  std::uint32_t from, to;
  std::uint64_t bytes;
};

std::vector<OwnSent> own_all_to_all(std::uint32_t hosts, std::uint64_t bytes) {
  std::vector<OwnSent> all;
  for (std::uint32_t from = 0; from < hosts; ++from)
    for (std::uint32_t distance = 1; distance < hosts; ++distance)
      all.push_back({0, from, (from + distance) % hosts, bytes});
  return all;
}

/// Of every message; the sums of the counters.
using OwnOutcome = std::tuple<std::map<std::uint64_t, std::vector<TimePs>>, std::map<std::uint64_t, TimePs>,
                              std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

OwnOutcome own_outcome(EngineRun& run, const std::vector<OwnSent>& all, bool alone) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    run.engine.run(all[i].at);
    if (alone)
      run.engine.send_alone(all[i].from, all[i].to, all[i].bytes, i, all[i].at);
    else
      run.engine.send(run.engine.open(all[i].from, all[i].to), all[i].bytes, i, all[i].at);
  }
  run.engine.run();
  const QueuePairCounters sum = run.engine.all_queue_pairs();
  return {run.delivered, run.acknowledged, sum.packets, sum.repeated, sum.timeouts, sum.cnps};
}

Network own_leaf_spine(std::uint32_t leaves, std::uint32_t per_leaf) {
  Network network;
  network.add_hosts(leaves * per_leaf);
  std::vector<std::uint32_t> switches;
  for (std::uint32_t i = 0; i < leaves + 2; ++i)
    switches.push_back(network.add_switch("s" + std::to_string(i)));
  for (std::uint32_t host = 0; host < leaves * per_leaf; ++host)
    network.add_cable(host, switches[host / per_leaf], 100 * kGigabit, kMicrosecond / 2);
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
    for (std::uint32_t spine = 0; spine < 2; ++spine)
      network.add_cable(switches[leaf], switches[leaves + spine], 100 * kGigabit, kMicrosecond);
  network.find_routes();
  return network;
}

/// 4032 messages, each at some time under way; queue pairs there are no more than a few.
TEST(OwnMessages, KeepAQueuePairOnlyForWhatHappens) {
  EngineRun run(own_leaf_spine(8, 8), ns3_params());
  own_outcome(run, own_all_to_all(64, 3500), true);
  EXPECT_EQ(run.acknowledged.size(), 64U * 63);
  EXPECT_EQ(run.engine.queue_pairs(), 64U * 63);
  EXPECT_EQ(run.engine.all_queue_pairs().packets, 64U * 63 * 4);
  EXPECT_LE(run.engine.live_queue_pairs(), 4U);
}

class OwnMessagesAre : public testing::TestWithParam<const char*> {};

/// Random messages to few receivers, with marks, losses and time-outs: the same to the picosecond.
TEST_P(OwnMessagesAre, AsQueuePairsThatStay) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    std::mt19937_64 random(seed);
    EthernetParams params = ns3_params();
    params.seed = seed;
    params.nics.scheme = nic::scheme_preset(GetParam());
    params.switches.ecn = {20'000, 80'000, 0.5};
    const bool drops = seed % 2 == 0;
    if (drops) {
      params.switches.loss = Loss::drop;
      params.switches.queue_limit_bytes = 60'000;
      params.nics.timeout_ps = 100 * kMicrosecond;
    }
    if (seed % 3 == 0) params.nics.transport = {nic::Repair::selective_repeat, 1, drops ? 0U : 1U};
    if (seed % 3 == 1) params.nics.window = WindowLimit::bdp_of_rate;
    if (seed % 4 == 3) params.switches.balance = LoadBalance::spray;
    if (seed % 8 == 5) params.switches.balance = LoadBalance::flowlet;
    std::vector<OwnSent> all;
    TimePs now = 0;
    for (int i = 0; i < 150; ++i) {
      now += random() % 4 == 0 ? random() % (3 * kMicrosecond) : 0;
      const auto from = static_cast<std::uint32_t>(random() % 16),
                 to = static_cast<std::uint32_t>(random() % 3);
      if (from != to) all.push_back({now, from, to, 1 + random() % 20'000});
    }
    EngineRun stays(own_leaf_spine(4, 4), params), own(own_leaf_spine(4, 4), params);
    const OwnOutcome expected = own_outcome(stays, all, false);
    EXPECT_EQ(own_outcome(own, all, true), expected) << seed;
    EXPECT_EQ(own.acknowledged.size(), all.size()) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, OwnMessagesAre, testing::Values("none", "dcqcn", "hpcc", "swift"));

}  // namespace
}  // namespace wafertlm::ethernet
