// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/dimensions.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

using Kind = FabricDimension::Kind;

TEST(Dimensions, LinksOfAnNpu) {
  const auto links = [](Kind kind) {
    std::vector<std::uint32_t> of;
    for (std::uint32_t size = 1; size <= 5; ++size) of.push_back(FabricDimension{kind, size, 1, 1}.links());
    return of;
  };
  using Links = std::vector<std::uint32_t>;
  EXPECT_EQ(links(Kind::ring), (Links{0, 2, 2, 2, 2}));
  EXPECT_EQ(links(Kind::fully_connected), (Links{0, 1, 2, 3, 4}));
  EXPECT_EQ(links(Kind::switched), (Links{0, 1, 1, 1, 1}));
  EXPECT_EQ(links(Kind::line), (Links{0, 1, 2, 2, 2}));
}

TEST(Dimensions, HopsBetweenCoordinates) {
  const auto hops = [](Kind kind, std::uint32_t from) {
    std::vector<std::uint32_t> to;
    for (std::uint32_t there = 0; there < 5; ++there)
      to.push_back(FabricDimension{kind, 5, 1, 1}.hops(from, there));
    return to;
  };
  using Hops = std::vector<std::uint32_t>;
  EXPECT_EQ(hops(Kind::ring, 1), (Hops{1, 0, 1, 2, 2}));
  EXPECT_EQ(hops(Kind::line, 1), (Hops{1, 0, 1, 2, 3}));
  EXPECT_EQ(hops(Kind::fully_connected, 1), (Hops{1, 0, 1, 1, 1}));
  EXPECT_EQ(hops(Kind::switched, 1), (Hops{2, 0, 2, 2, 2}));
  // Two NPUs at 0, one at 1 and one at 3 of a line: 2 (2 x 1 + 2 x 3 + 1 x 2).
  EXPECT_EQ(static_cast<std::uint64_t>(all_pairs_hops({Kind::line, 5, 1, 1}, {0, 3, 0, 1})), 20U);
}

// A ring of 4 (NPU n at n mod 4), a line of 1, switches of 3.
TEST(Dimensions, AnswersAreSumsAndMinimaOverTheDimensions) {
  const Dimensions all({{Kind::ring, 4, 700, 5}, {Kind::line, 1, 1, 1}, {Kind::switched, 3, 300, 90}});
  EXPECT_EQ(all.npus(), 12U);
  EXPECT_EQ(all.count(), 3U);
  EXPECT_EQ(all.stride(2), 4U);
  EXPECT_EQ(all.coordinate(NpuId{10}, 0), 2U);
  EXPECT_EQ(all.coordinate(NpuId{10}, 2), 2U);
  EXPECT_EQ(all.at(NpuId{10}, 2, 0), NpuId{2});
  EXPECT_EQ(all.at(NpuId{2}, 2, 1), NpuId{6});
  EXPECT_EQ(all.at(NpuId{10}, 0, 3), NpuId{11});
  EXPECT_EQ(all.hops(NpuId{0}, NpuId{10}), 2U + 2);
  EXPECT_EQ(all.head_latency_ps(NpuId{0}, NpuId{11}), 5U + 2 * 90);
  EXPECT_EQ(all.path_bytes_per_s(NpuId{0}, NpuId{1}, 900), 700U);
  EXPECT_EQ(all.path_bytes_per_s(NpuId{0}, NpuId{9}, 900), 300U);
  EXPECT_EQ(all.path_bytes_per_s(NpuId{0}, NpuId{9}, 200), 200U);
  EXPECT_EQ(all.path_bytes_per_s(NpuId{3}, NpuId{3}, 900), 900U);
  EXPECT_EQ(all.npu_bytes_per_s(), 2U * 700 + 300);
  EXPECT_EQ(all.shortest_latency_ps(), 5U);
  EXPECT_EQ(Dimensions({{Kind::switched, 3, 300, 90}}).shortest_latency_ps(), 2U * 90);
  EXPECT_EQ(Dimensions({{Kind::ring, 1, 300, 90}}).shortest_latency_ps(), kNever);
}

TEST(Dimensions, RefuseWhatIsTooLargeOrNothing) {
  const auto refusal = [](const std::vector<std::uint32_t>& sizes) {
    std::vector<FabricDimension> list;
    for (const std::uint32_t size : sizes) list.push_back({Kind::ring, size, 1, 1});
    return test::refusal_of([&] { Dimensions{list}; });
  };
  const std::string too_many = "the sizes of the dimensions multiply to more than 65536 NPUs";
  EXPECT_EQ(refusal({}), "a fabric needs at least one dimension");
  EXPECT_EQ(refusal({3, 0}), "a dimension needs at least one NPU");
  EXPECT_EQ(refusal({256, 256}), "");
  EXPECT_EQ(refusal({257, 255, 2}), too_many);
  EXPECT_EQ(refusal({65'537}), too_many);
  EXPECT_EQ(refusal({1}), "");
}

TEST(Dimensions, KindsByName) {
  EXPECT_STREQ(to_string(Kind::ring), "ring");
  EXPECT_STREQ(to_string(Kind::fully_connected), "fully_connected");
  EXPECT_STREQ(to_string(Kind::switched), "switch");
  EXPECT_STREQ(to_string(Kind::line), "mesh");
}

}  // namespace
}  // namespace wafertlm
