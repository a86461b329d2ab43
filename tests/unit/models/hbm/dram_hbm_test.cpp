// SPDX-License-Identifier: Apache-2.0
// The HBM's levels behind its socket, with the NPU's requester and a checker.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "models/hbm/dram/dram_memory.h"
#include "models/hbm/hbm.h"
#include "tests/support/requester_module.h"
#include "tlm/memory/checker.h"

namespace wafertlm {
namespace {

HbmParams params(DramLevel level, TimePs latency_ps = 0) {
  HbmParams made;
  made.timing.latency_ps = latency_ps;
  made.capacity_bytes = 1 << 30;
  made.dram = DramParams{dram_timing("hbm3"), level, {1, "row bank group:1 channel column group:1"}, {}};
  return made;
}

struct Pair : MemoryRequesterHost {
  Pair(const HbmParams& hbm_params, const MemoryRequesterParams& requests)
      : hbm("hbm", hbm_params, scheduler), npu("npu", requests, scratch, scheduler, *this) {
    bind_checked(npu.requester.socket, hbm.socket, &checkers, "checker");
  }
  void memory_done(std::uint64_t, bool ok) override {
    EXPECT_TRUE(ok);
    done.push_back(scheduler.now());
  }
  void run() {
    sc_core::sc_start();
    checkers.finish();
    EXPECT_TRUE(npu.requester.idle());
  }
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;
  ScratchMemory scratch{};
  Hbm hbm;
  RequesterModule npu;
  std::vector<TimePs> done;
};

class DramHbm : public testing::TestWithParam<DramLevel> {};

TEST_P(DramHbm, AnIdleReadTakesTheClosedForm) {
  Pair pair(params(GetParam(), 7000), {65536, 16});
  pair.npu.requester.start(::tlm::TLM_READ_COMMAND, 0, 32, 1);
  pair.run();
  EXPECT_EQ(pair.done, (std::vector<TimePs>{33'125 + 7000}));  // 53 cycles of 625 ps, and the latency
}

TEST_P(DramHbm, ALongLoadStreamsAndItsAccountCloses) {
  Pair pair(params(GetParam()), {65536, 16});
  constexpr std::uint64_t kBytes = 4 << 20;
  pair.npu.requester.start(::tlm::TLM_READ_COMMAND, 0, kBytes, 1);
  pair.run();
  const double peak = 819.2e9;
  EXPECT_LT(static_cast<double>(kBytes) / static_cast<double>(pair.done[0]) * 1e12, peak);
  EXPECT_GT(static_cast<double>(kBytes) / static_cast<double>(pair.done[0]) * 1e12, 0.95 * peak);
  const MemoryLosses losses = attribute_losses(*pair.hbm.dram(), pair.done[0]);
  EXPECT_EQ(losses.sum.span_fs(), losses.channels * losses.total_fs);
  EXPECT_EQ(losses.sum.accesses_read * 32, kBytes);
  EXPECT_EQ(pair.hbm.counters(HbmCommand::read).bytes, kBytes);
}

INSTANTIATE_TEST_SUITE_P(All, DramHbm, testing::Values(DramLevel::burst, DramLevel::command),
                         [](const auto& each) {
                           return std::string(each.param == DramLevel::burst ? "burst" : "command");
                         });

TEST(BurstHbm, ASequentialRequestIsOneEvent) {
  Pair pair(params(DramLevel::burst), {65536, 16});
  pair.npu.requester.start(::tlm::TLM_READ_COMMAND, 0, 256 << 16, 1);
  pair.run();
  // One for the memory and one for the requester, each.
  EXPECT_LE(pair.scheduler.events(), 2U * 256 + 64);
}

TEST(BurstHbm, LoadsAndStoresShareTheBus) {
  Pair alone(params(DramLevel::burst), {65536, 16});
  alone.npu.requester.start(::tlm::TLM_READ_COMMAND, 0, 4 << 20, 1);
  alone.npu.requester.start(::tlm::TLM_WRITE_COMMAND, 512 << 20, 4 << 20, 2);
  alone.run();
  // 8 MiB at 819.2 GB/s, less what the write buffers still hold.
  EXPECT_GT(std::max(alone.done[0], alone.done[1]), 9'000'000U);
}

/// A table of one row per part of writes: the efficiency is 0.1 · depth, up to 0.8.
FlowMemoryParams tenth_per_request() {
  FlowMemoryParams made;
  made.table.depths = {1, 8};
  for (const std::uint32_t writes : {0U, 100U}) made.table.rows.push_back({1000, 1, writes, {0.1, 0.8}});
  made.stack_bytes_per_s = 1'000'000'000'000;
  made.stack_channels = 8;  // a request is in one of them
  return made;
}

TEST(FlowMemory, FollowsLittlesLaw) {
  FlowMemory memory(tenth_per_request());
  // One at a time: 1000 B at 100 GB/s. Eight: 8000 B at 800 GB/s.
  EXPECT_EQ(memory.wait_for(memory.submit({false, 0, 1000}, 0)), 10'000U);
  for (std::uint64_t k = 0; k < 8; ++k)
    EXPECT_NEAR(static_cast<double>(memory.wait_for(memory.submit({false, 1000 * (k + 1), 1000}, 50'000))),
                60'000, 2);
  EXPECT_EQ(memory.idle_ps(), 40'000U);
}

TEST(FlowMemory, WhatComesToAMemoryAtRestWaitsForTheFirstData) {
  FlowMemoryParams params = tenth_per_request();
  params.stack_channels = 1;
  FlowMemory memory(params);
  // 9 ns until the first data; then 1000 B pass the pins in each nanosecond.
  for (std::uint64_t k = 0; k < 8; ++k)
    EXPECT_NEAR(static_cast<double>(memory.wait_for(memory.submit({false, 1000 * k, 1000}, 0))),
                10'000 + 1000.0 * static_cast<double>(k), 2);
}

TEST(FlowMemory, RefusesATableWithGaps) {
  FlowMemoryParams params = tenth_per_request();
  params.table.rows.push_back({1000, 2, 0, {0.1, 0.8}});
  EXPECT_THROW(FlowMemory{params}, std::invalid_argument);
  params = tenth_per_request();
  params.table.rows[0].efficiency = {0.1};
  EXPECT_THROW(FlowMemory{params}, std::invalid_argument);
  params = tenth_per_request();
  params.table.rows[0].efficiency = {0.1, 1.1};
  EXPECT_THROW(FlowMemory{params}, std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
