// SPDX-License-Identifier: Apache-2.0
// Times of one access on an idle path, against sums written out here.
#include <gtest/gtest.h>

#include "tests/support/engine_bench.h"

namespace wafertlm {
namespace {

constexpr TimePs kDram = PlainMemory::kLatencyPs;
constexpr TimePs ps(double nanoseconds) { return static_cast<TimePs>(nanoseconds * 1000 + 0.5); }

struct Case {
  const char* name;
  bool encrypt;
  Integrity integrity;
  bool cut_through;
};
void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

class IdleTime : public ::testing::TestWithParam<Case> {};

/// 4 KiB on 12.5 GB/s 327.68 ns, with its tag 330.24; header 5.12; DRAM at 100 GB/s 40.96 and tag 0.32;
/// host DMA at 32 GB/s 128; AES at 16 B a cycle and 250 MHz 1024, MAC at 64 B 256.
TEST_P(IdleTime, IsTheSumOfItsParts) {
  const Case& of = GetParam();
  RequesterEngineParams params;
  params.pages = 16;
  params.cipher_mode = !of.encrypt      ? CipherMode::none
                       : of.cut_through ? CipherMode::cut_through
                                        : CipherMode::store_and_forward;
  params.integrity = of.integrity;
  params.cipher = {16, 250'000'000, 40};
  params.mac = {64, 250'000'000, 10};
  params.dma = {32'000'000'000, 400'000};
  params.validate_ps = 40'000;
  EngineNetworkParams net;
  net.hops = 3;
  net.hop_ps = 200'000;
  EngineBench bench(1 << 20, net);
  RequesterEngine& requester = bench.add(params);
  bench.grant_all(params.id, requester.layout());

  const bool mac = of.integrity != Integrity::none;
  const TimePs page_link = ps(of.encrypt ? 327.68 + 2.56 + 5.12 : 327.68 + 5.12), header = ps(5.12);
  const TimePs hops = 600'000, dma = 400'000 + 128'000, validate = 40'000;
  const TimePs dram = kDram + ps(of.encrypt ? 40.96 + 0.32 : 40.96);
  const TimePs cipher = of.encrypt ? ps(160 + 1024) : 0, verify = mac ? ps(40 + 256) : 0;
  const TimePs wire = page_link + header + 2 * hops;
  TimePs store = dma + validate + cipher + verify + wire + validate + dram;
  TimePs load = validate + wire + validate + dram + verify + cipher + dma;
  if (of.cut_through) {
    // Bytes stream from the DMA (128 ns, or the link's 335.36) through both: only the slowest counts.
    store -= 128'000 + ps(256);
    load -= page_link + ps(256);
  }
  EXPECT_EQ(bench.access(requester, true, 4096, 4096), Refusal::none);
  EXPECT_EQ(bench.ended.rbegin()->second.at, store);
  const TimePs before = bench.clock.now();
  EXPECT_EQ(bench.access(requester, false, 8192, 4096), Refusal::none);
  EXPECT_EQ(bench.ended.rbegin()->second.at - before, load);
  EXPECT_EQ(requester.page_times().mean_ps(), (load + store) / 2);
  EXPECT_EQ(requester.counters().busy_ps, load + store);
}
INSTANTIATE_TEST_SUITE_P(Ladder, IdleTime,
                         ::testing::Values(Case{"plain", false, Integrity::none, false},
                                           Case{"encrypted", true, Integrity::none, false},
                                           Case{"authenticated", true, Integrity::mac, false},
                                           Case{"cut_through", true, Integrity::mac, true}),
                         [](const auto& of) { return of.param.name; });

TEST(StreamStage, TakesWholeCycles) {
  const TimePs page = 4096;
  EXPECT_EQ(StreamStage(PipelineParams{16, 250'000'000, 0}, false).work_ps(page), 1'024'000U);
  EXPECT_EQ(StreamStage(PipelineParams{64, 250'000'000, 0}, false).work_ps(page), 256'000U);
  EXPECT_EQ(StreamStage(PipelineParams{64, 250'000'000, 0}, false).work_ps(65), 8'000U);
  StreamStage stage(PipelineParams{16, 250'000'000, 2}, true);
  const Span first = stage.pass({1000, 5'000'000}, page);  // slower than the stage: its tail waits for it
  EXPECT_EQ(first.head_ps, 9000U);
  EXPECT_EQ(first.tail_ps, 5'008'000U);
  EXPECT_EQ(stage.pass({0, 0}, 16).tail_ps, 5'012'000U);
}

TEST(PageTimes, AreTheMeanAndQuantilesOfAll) {
  PageTimes times, others;
  for (TimePs time = 1; time <= 100'000; ++time) (time % 3 == 0 ? others : times).add(time * 10);
  times.add(others);
  EXPECT_EQ(times.count(), 100'000U);
  EXPECT_EQ(times.mean_ps(), 500'005U);
  for (const std::uint32_t percent : {1U, 50U, 99U, 100U}) {
    EXPECT_GE(times.quantile_ps(percent), percent * 10'000U);
    EXPECT_LE(times.quantile_ps(percent), percent * 10'000U * 129 / 128);
  }
  PageTimes few;
  few.add(7);
  few.add(200);
  EXPECT_EQ(few.quantile_ps(50), 7U);
  EXPECT_EQ(few.quantile_ps(99), 200U);
}

/// Two requesters' pages meet at the provider's link in.
TEST(EngineNetwork, ServesMessagesInTheOrderOfTheirArrival) {
  EngineBench bench(1 << 20);
  RequesterEngineParams params;
  params.pages = 16;
  params.cipher_mode = CipherMode::none;
  params.integrity = Integrity::none;
  params.dma.latency_ps = 0;
  RequesterEngine& a = bench.add(params);
  params.id = RequesterId{1};
  params.base_address = 16 * 4096;
  RequesterEngine& b = bench.add(params);
  bench.grant_all(RequesterId{0}, a.layout());
  bench.grant_all(RequesterId{1}, b.layout());
  a.start(true, 0, 4096, nullptr, 1);
  b.start(true, 0, 4096, nullptr, 2);
  bench.clock.run();
  EXPECT_EQ(bench.ended.at(2).at - bench.ended.at(1).at, ps(327.68 + 5.12));
}

}  // namespace
}  // namespace wafertlm
