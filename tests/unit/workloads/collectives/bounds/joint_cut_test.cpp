// SPDX-License-Identifier: Apache-2.0
// Cuts that several collectives share against all sets of NPUs of a small mesh, counted from the definitions.
#include "workloads/collectives/bounds/joint_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/random_cases.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kSide = 3, kNpus = kSide * kSide;

/// Links of the mesh from the set to the rest, and bytes of a request that must take them.
std::uint64_t links_out(std::uint32_t set) {
  std::uint64_t links = 0;
  for (std::uint32_t a = 0; a < kNpus; ++a)
    for (std::uint32_t b = 0; b < kNpus; ++b) {
      const std::uint32_t across = a % kSide > b % kSide ? a % kSide - b % kSide : b % kSide - a % kSide,
                          down = a / kSide > b / kSide ? a / kSide - b / kSide : b / kSide - a / kSide;
      if (across + down == 1 && (set >> a & 1U) != 0 && (set >> b & 1U) == 0) ++links;
    }
  return links;
}
std::uint64_t bytes_out(const CollectiveRequest& request, std::uint32_t set) {
  std::uint64_t inside = 0;
  for (const NpuId npu : request.group) inside += set >> index_of(npu) & 1U;
  const std::uint64_t members = request.group.size(), outside = members - inside;
  if (inside == 0 || outside == 0) return 0;
  const std::uint64_t block = request.bytes / members;  // sizes are multiples
  switch (request.type) {
    case CollectiveType::all_gather:
      return inside * block;
    case CollectiveType::reduce_scatter:
      return outside * block;
    case CollectiveType::all_to_all:
      return inside * outside * block;
    default:
      return request.bytes;
  }
}

TEST(JointCut, OfSeveralGroupsIsTheBestOfAllCuts) {
  static constexpr CollectiveType kTypes[] = {CollectiveType::all_gather, CollectiveType::reduce_scatter,
                                              CollectiveType::all_to_all, CollectiveType::all_reduce};
  std::mt19937_64 random(1);
  const FabricTraits wafer = test::wafer_of(kSide, kSide);
  const std::uint64_t rate = wafer.topology->path_bytes_per_s(static_cast<NpuId>(0), static_cast<NpuId>(1));
  int shared = 0;
  for (int number = 0, cases = test::random_cases(60, 10); number < cases; ++number) {
    std::vector<CollectiveRequest> requests;
    TimePs alone = 0;
    bool sums = false;
    for (std::uint64_t k = 0, count = 2 + random() % 3; k < count; ++k) {
      CollectiveRequest request;
      request.type = kTypes[random() % 4];
      sums = sums || request.type == CollectiveType::all_reduce;
      request.group = test::first_npus(kNpus);
      std::shuffle(request.group.begin(), request.group.end(), random);
      request.group.resize(2 + random() % (kNpus - 1));
      request.bytes = 4 * request.group.size() * (1 + random() % 1'000'000);
      requests.push_back(request);
      if (const auto tight = bounds::tight_bound(request, wafer)) alone = std::max(alone, tight->time_ps);
    }
    TimePs best = 0;
    for (std::uint32_t set = 1; set + 1 < 1U << kNpus; ++set) {
      Uint128 bytes = 0;
      for (const CollectiveRequest& request : requests) bytes += bytes_out(request, set);
      best = std::max(best, at_least_ps(bytes, Uint128{rate} * links_out(set)));
    }
    const auto joint = joint_cut(requests, wafer);
    ASSERT_TRUE(joint);
    EXPECT_GE(joint->time_ps, best) << number;
    if (!sums) {
      EXPECT_EQ(joint->time_ps, best) << number;
    }
    shared += joint->time_ps > alone ? 1 : 0;
    EXPECT_GE(joint_bound_ps(requests, wafer), joint->time_ps);
  }
  EXPECT_GT(shared, 10);
}

TEST(JointCut, IsNoneOfOneCollective) {
  const FabricTraits wafer = test::wafer_of(kSide, kSide);
  EXPECT_FALSE(joint_cut({{CollectiveType::all_gather, test::first_npus(4), 4000, "", 1}}, wafer));
}

}  // namespace
}  // namespace wafertlm
