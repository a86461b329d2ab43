// SPDX-License-Identifier: Apache-2.0
// Golden numbers: computed independently (../shared/reference/tuning.md, section 1).
#include "platform/commands/tune/backend.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "platform/commands/tune/assignment.h"
#include "platform/commands/tune/timeline.h"

namespace wafertlm::backends {
namespace {

constexpr TimePs kMicrosecond = 1'000'000, kMillisecond = 1'000'000'000;
constexpr std::uint64_t kGiga = 1'000'000'000, kAny = ~std::uint64_t{0};
constexpr CollectiveType kAllReduce = CollectiveType::all_reduce, kAllToAll = CollectiveType::all_to_all;

Backend backend_x() {
  return {"X",
          {{kAllReduce, {{kAny, 12 * kMicrosecond, 8 * kGiga}}},
           {kAllToAll, {{kAny, 15 * kMicrosecond, 12 * kGiga}}}}};
}

Backend backend_y() {
  return {"Y",
          {{kAllReduce, {{kAny, 40 * kMicrosecond, 20 * kGiga}}},
           {kAllToAll, {{kAny, 50 * kMicrosecond, 9 * kGiga}}}}};
}

TEST(Backends, TimeIsAlphaAndSizeOverBandwidthRoundedUp) {
  EXPECT_EQ(backend_x().time_ps(kAllToAll, 2 << 20), 15 * kMicrosecond + 174'762'667);  // 174,762,666.67
  EXPECT_EQ(backend_x().time_ps(kAllReduce, 0), 12 * kMicrosecond);
  EXPECT_EQ(backend_x().time_ps(CollectiveType::broadcast, 8), std::nullopt);
}

TEST(Backends, RangesHoldUpToTheirSize) {
  Backend both{"both", {{kAllReduce, {{100, 1, kPsPerSecond}, {200, 5, kPsPerSecond / 2}}}}};
  EXPECT_EQ(both.time_ps(kAllReduce, 100), 101U);
  EXPECT_EQ(both.time_ps(kAllReduce, 101), 5 + 202U);
  EXPECT_EQ(both.time_ps(kAllReduce, 200), 405U);
  EXPECT_EQ(both.time_ps(kAllReduce, 201), std::nullopt);
  EXPECT_NO_THROW(require_valid(both));
  both.costs[kAllReduce][1].up_to_bytes = 100;
  EXPECT_THROW(require_valid(both), std::invalid_argument);
  both.costs[kAllReduce] = {{100, 1, 0}};
  EXPECT_THROW(require_valid(both), std::invalid_argument);
  both.costs[kAllReduce] = {};
  EXPECT_THROW(require_valid(both), std::invalid_argument);
  EXPECT_THROW(require_valid(Backend{}), std::invalid_argument);
  Backend stream{"stream", {}, "", Progress::stream, 1};
  EXPECT_THROW(require_valid(stream), std::invalid_argument);
  stream.progress = Progress::host;
  EXPECT_NO_THROW(require_valid(stream));
}

TEST(Backends, CrossOverOfAllReduce) {
  const Backend x = backend_x(), y = backend_y();
  const CostRange &low = x.costs.at(kAllReduce).front(), &high = y.costs.at(kAllReduce).front();
  EXPECT_EQ(cross_over_bytes(low, high), 373'333U);
  EXPECT_LT(x.time_ps(kAllReduce, 373'333), y.time_ps(kAllReduce, 373'333));
  EXPECT_GT(x.time_ps(kAllReduce, 373'334), y.time_ps(kAllReduce, 373'334));
  EXPECT_EQ(cross_over_bytes(high, low), std::nullopt);
  EXPECT_EQ(cross_over_bytes(low, low), std::nullopt);
}

TEST(Backends, AllToAllsAlwaysGoToX) {
  const Backend x = backend_x(), y = backend_y();
  EXPECT_EQ(cross_over_bytes(x.costs.at(kAllToAll).front(), y.costs.at(kAllToAll).front()), std::nullopt);
  for (std::uint64_t bytes = 1; bytes < std::uint64_t{1} << 40; bytes *= 2)
    EXPECT_LT(x.time_ps(kAllToAll, bytes), y.time_ps(kAllToAll, bytes)) << bytes;
}

TEST(Backends, CrossOverBeyondEverySize) {
  EXPECT_EQ(
      cross_over_bytes({kAny, 0, 9'000'000'000'000'000 - 1}, {kAny, kPsPerSecond, 9'000'000'000'000'000}),
      kAny);
}

/// 24 all-to-alls of 2 MiB, 24 all-reduces of 64 KiB and 12 of 32 MiB, 60 ms of computation.
TimePs iteration_ps(const std::vector<Backend>& backends, std::size_t all_to_all, std::size_t small,
                    std::size_t large) {
  std::vector<Action> actions{{Action::Kind::compute, 60 * kMillisecond}};
  const auto add = [&](std::size_t count, CollectiveType type, std::uint64_t bytes, std::size_t backend) {
    for (std::size_t i = 0; i < count; ++i)
      actions.push_back({Action::Kind::communicate, *backends[backend].time_ps(type, bytes), backend});
  };
  add(24, kAllToAll, 2 << 20, all_to_all);
  add(24, kAllReduce, 64 << 10, small);
  add(12, kAllReduce, 32 << 20, large);
  return run_timeline(actions, backends).time_ps;
}

TEST(Backends, GoldenIteration) {
  const std::vector<Backend> backends{backend_x(), backend_y()};
  const auto rounded = [](TimePs time) { return (time + 500'000) / 1'000'000; };  // to 0.001 ms
  EXPECT_EQ(rounded(iteration_ps(backends, 0, 0, 0)), 115'515U);
  EXPECT_EQ(rounded(iteration_ps(backends, 1, 1, 1)), 88'444U);
  EXPECT_EQ(rounded(iteration_ps(backends, 0, 0, 1)), 85'652U);
}

}  // namespace
}  // namespace wafertlm::backends
