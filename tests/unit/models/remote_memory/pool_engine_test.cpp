// SPDX-License-Identifier: Apache-2.0
#include "models/remote_memory/pool_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

namespace wafertlm {
namespace {

PoolParams flat(PoolKind kind) {
  PoolParams params;
  params.kind = kind;
  params.npus = 6;
  params.npus_per_node = 3;
  params.bytes_per_s = 100'000'000'000;  // 10 ps a byte
  params.latency_ps = 2'000'000;
  return params;
}

TEST(Pool, TakesLatencyAndBytesByBandwidthWhenIdle) {
  for (const PoolKind kind : {PoolKind::per_npu, PoolKind::per_node, PoolKind::shared})
    for (const bool write : {false, true}) {
      PoolEngine pool(flat(kind));
      EXPECT_EQ(pool.advance(4, write, 65'536, 0, 1000), 1000U + 2'000'000 + 655'360);
    }
}

/// Who waits for whom: everybody asks for 1000 B (10 ns) at the same time.
TEST(Pool, ServesThoseWhoShareAServerInTheirOrder) {
  const auto ends = [](PoolKind kind) {
    PoolEngine pool(flat(kind));
    std::vector<TimePs> all;
    for (std::uint32_t npu = 0; npu < 6; ++npu)
      all.push_back((pool.advance(npu, npu % 2 == 0, 1000, 0, 0) - 2'000'000) / 10'000);
    return all;
  };
  EXPECT_EQ(ends(PoolKind::per_npu), (std::vector<TimePs>{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(ends(PoolKind::per_node), (std::vector<TimePs>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(ends(PoolKind::shared), (std::vector<TimePs>{1, 2, 3, 4, 5, 6}));
}

/// Whole accesses of 1000 B: 2 us and 10 ns each, one after the other; an NPU's own server has them all at
/// once.
TEST(Pool, MayServeWholeAccesses) {
  const auto first_bytes = [](PoolKind kind) {
    PoolParams params = flat(kind);
    params.service = PoolService::accesses;
    PoolEngine pool(params);
    std::vector<TimePs> all;
    for (const std::uint32_t npu : {0U, 0U, 1U, 3U}) all.push_back(pool.begin_access(npu, 1000, 500) - 500);
    return all;
  };
  constexpr TimePs kAccess = 2'010'000, kLatency = 2'000'000;
  using Times = std::vector<TimePs>;
  EXPECT_EQ(first_bytes(PoolKind::per_npu), (Times{kLatency, kLatency, kLatency, kLatency}));
  EXPECT_EQ(first_bytes(PoolKind::per_node),
            (Times{kLatency, kAccess + kLatency, 2 * kAccess + kLatency, kLatency}));
  EXPECT_EQ(first_bytes(PoolKind::shared),
            (Times{kLatency, kAccess + kLatency, 2 * kAccess + kLatency, 3 * kAccess + kLatency}));
}

TEST(Pool, CarriesFractionsWhileBusy) {
  PoolParams params = flat(PoolKind::shared);
  params.bytes_per_s = 3'000'000'000'000;
  params.latency_ps = 0;
  PoolEngine pool(params);
  TimePs end = 0;
  for (int i = 0; i < 1000; ++i) end = pool.advance(0, false, 64, 0, 0);
  EXPECT_EQ(end, (64'000 + 2) / 3);
}

PoolParams staged() {
  PoolParams params;
  params.kind = PoolKind::hierarchical;
  params.npus = 4;
  params.npus_per_node = 2;
  params.latency_ps = 700'000;
  params.stages = PoolStages{PoolStage{100'000'000'000, 3000, 1}, PoolStage{50'000'000'000, 1000, 1},
                             PoolStage{200'000'000'000, 0, 4}, PoolStage{400'000'000'000, 2000, 1}};
  return params;
}

/// Runs requests of one NPU through all stages in the order of time; the end of the last.
TimePs run(PoolEngine& pool, const std::vector<std::uint64_t>& chunks, bool write) {
  std::vector<TimePs> ready(chunks.size());
  for (std::uint32_t step = 0; step < pool.stages(); ++step)
    for (std::size_t i = 0; i < chunks.size(); ++i)
      ready[i] = pool.advance(0, write, chunks[i], step, ready[i]);
  return ready.back();
}

/// T = latency + Σ stages + (chunks - 1) × slowest, for any stages, in both directions.
TEST(Pool, HierarchyFollowsThePipelineFormulaExactly) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    PoolParams params = staged();
    const std::uint64_t bytes = 1 + random() % 65'536, chunks = 1 + random() % 40;
    for (PoolStage& stage : *params.stages)
      stage = {1'000'000'000 + random() % 1'000'000'000'000, random() % 50'000,
               static_cast<std::uint32_t>(1 + random() % 8)};
    TimePs sum = 0, slowest = 0;
    for (const PoolStage& stage : *params.stages) {
      const std::uint64_t part = (bytes + stage.fan_in - 1) / stage.fan_in;
      const TimePs time =
          stage.latency_ps +
          static_cast<TimePs>((Uint128{part} * kPsPerSecond + stage.bytes_per_s - 1) / stage.bytes_per_s);
      sum += time;
      slowest = std::max(slowest, time);
    }
    for (const bool write : {false, true}) {
      PoolEngine pool(params);
      EXPECT_EQ(run(pool, std::vector<std::uint64_t>(chunks, bytes), write),
                params.latency_ps + sum + (chunks - 1) * slowest);
    }
  }
}

TEST(Pool, InSwitchGatherDividesTheBytesOfALink) {
  const PoolEngine pool(staged());
  EXPECT_EQ(pool.stage_ps(0, 4000), 3000U + 40'000);
  EXPECT_EQ(pool.stage_ps(2, 4000), 5'000U);  // 1000 B on each of four links
}

TEST(Pool, HierarchySharesMemoryAndOutNodeSwitchAmongAllAndTheInNodeSwitchInANode) {
  PoolEngine pool(staged());
  EXPECT_EQ(pool.counters(0).size(), 1U);
  EXPECT_EQ(pool.counters(1).size(), 1U);
  EXPECT_EQ(pool.counters(2).size(), 2U);
  EXPECT_EQ(pool.counters(3).size(), 4U);
  const TimePs first = pool.advance(0, false, 4000, 0, 0);
  EXPECT_EQ(pool.advance(3, false, 4000, 0, 0), 2 * first);
  EXPECT_EQ(pool.counters(0)[0].wait_ps, first);
}

TEST(Pool, RefusesWhatCannotBe) {
  const auto refuses = [](PoolParams params, auto change) {
    change(params);
    EXPECT_THROW(PoolEngine{params}, std::invalid_argument);
  };
  refuses(flat(PoolKind::shared), [](PoolParams& p) { p.npus = 0; });
  refuses(flat(PoolKind::per_node), [](PoolParams& p) { p.npus_per_node = 4; });
  refuses(flat(PoolKind::shared), [](PoolParams& p) { p.bytes_per_s = 0; });
  refuses(staged(), [](PoolParams& p) { p.stages->at(3).bytes_per_s = 0; });
  refuses(staged(), [](PoolParams& p) { p.stages->at(1).fan_in = 0; });
}

}  // namespace
}  // namespace wafertlm
