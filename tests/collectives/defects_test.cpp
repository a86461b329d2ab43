// SPDX-License-Identifier: Apache-2.0
// Meshes with holes and slow links against closed forms; random ones are in random_defects_test.cpp.
#include <gtest/gtest.h>

#include "tests/collectives/simulated.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

/// Of a message from one NPU to another.
TimePs message_ps(const std::string& defects, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  const config::PlatformSpec spec = test::platform({"wafer.defects=" + defects});
  return test::outcome(spec, {CollectiveType::broadcast, test::npus({from, to}), bytes, "direct"})["time"]
      .get<TimePs>();
}

// 6 to 8 X-Y is two links; around router 7 it is four, each 20 ns more.
TEST(Defects, AMessageGoesAroundADeadRouter) {
  EXPECT_EQ(message_ps("{routers: [7]}", 6, 8, 750'000), message_ps("{}", 6, 8, 750'000) + 2 * 20'000);
  EXPECT_EQ(message_ps("{npus: [7]}", 6, 8, 750'000), message_ps("{}", 6, 8, 750'000));
  EXPECT_EQ(message_ps("{links: [\"7->8\"]}", 6, 8, 750'000), message_ps("{}", 6, 8, 750'000) + 2 * 20'000);
  EXPECT_EQ(message_ps("{links: [\"8->7\"]}", 6, 8, 750'000), message_ps("{}", 6, 8, 750'000));
}

// An idle path takes its latency and the time of the bytes on its slowest link.
TEST(Defects, AMessageTakesAsLongAsItsSlowestLink) {
  const auto slow = [](const std::string& link, std::uint32_t to) {
    return message_ps("{slow_links: [{link: " + link + ", speed_percent: 25}]}", 6, to, 750'000);
  };
  const TimePs near = message_ps("{}", 6, 7, 750'000), far = message_ps("{}", 6, 8, 750'000);
  EXPECT_EQ(slow("6->7", 7), near + 3 * 1'000'000);
  EXPECT_EQ(slow("7-8", 8), far + 3 * 1'000'000);
  EXPECT_EQ(slow("7->6", 7), near);
}

// A dead column leaves two parts, in each of which all is as on a mesh of that size.
TEST(Defects, BesideADeadColumnNothingChanges) {
  const Group left = test::npus({0, 1, 5, 6, 10, 11, 15, 16});
  for (const char* algorithm : {"hierarchical_2d", "ring", "packed_trees"}) {
    const CollectiveRequest request{CollectiveType::all_reduce, left, 8'000'000, algorithm};
    const auto whole = test::outcome(test::platform({}), request);
    const auto cut = test::outcome(test::platform({"wafer.defects={routers: [2, 7, 12, 17]}"}), request);
    EXPECT_EQ(cut["time"], whole["time"]) << algorithm;
  }
  const auto refused = [&] {
    test::outcome(test::platform({"wafer.defects={routers: [2, 7, 12, 17]}"}),
                  {CollectiveType::all_reduce, test::npus({0, 4}), 4096, "ring"});
  };
  EXPECT_NE(test::refusal_of(refused).find("no links that work join router 0 to router 4"),
            std::string::npos);
  const auto all = [&] {
    test::outcome(test::platform({"wafer.defects={routers: [2, 7, 12, 17]}"}),
                  {CollectiveType::all_reduce, test::npus({0, 1, 3, 4}), 4096, "ring"});
  };
  EXPECT_NE(test::refusal_of(all).find("no links that work join NPU 0, NPU 1 to NPU 3, NPU 4"),
            std::string::npos);
}

// Without the link to NPU 1 the corner gets all other blocks over one of 750 GB/s: (n - 1) / n S.
TEST(Defects, ADeadLinkOfTheCornerBoundsAnAllGather) {
  const std::uint64_t bytes = 64 << 20;
  const auto result = test::outcome(test::platform({"wafer.defects={links: [0-1]}"}),
                                    {CollectiveType::all_gather, test::whole_wafer(), bytes, "packed_trees"});
  const double line_ps = 19.0 / 20 * static_cast<double>(bytes) / 750e9 * 1e12;
  EXPECT_GE(result["bound"].get<double>(), line_ps);
  EXPECT_LE(result["bound"].get<double>(), 1.001 * line_ps + 100'000);
  EXPECT_LE(result["time"].get<double>(), 1.03 * line_ps);
}

// The corner's links have 25 and 50 % of theirs: three quarters of a link together. Messages over a slow link
// do not hold up others: they have a window of their own in the buffer behind an NPU.
TEST(Defects, SlowLinksOfTheCornerBoundAnAllGather) {
  const std::uint64_t bytes = 64 << 20;
  const auto result = test::outcome(
      test::platform(
          {"wafer.defects={slow_links: [{link: 0-1, speed_percent: 25}, {link: 5->0, speed_percent: "
           "50}]}"}),
      {CollectiveType::all_gather, test::whole_wafer(), bytes, "packed_trees"});
  const double line_ps = 19.0 / 20 * static_cast<double>(bytes) / (0.75 * 750e9) * 1e12;
  EXPECT_GE(result["bound"].get<double>(), line_ps);
  EXPECT_LE(result["bound"].get<double>(), 1.001 * line_ps + 100'000);
  EXPECT_LE(result["time"].get<double>(), 1.01 * line_ps);
}

}  // namespace
}  // namespace wafertlm
