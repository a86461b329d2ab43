// SPDX-License-Identifier: Apache-2.0
// Every program of every collective, run without time in shuffled orders: whatever the order, every rank must
// hold what the definition gives.
#include <gtest/gtest.h>

#include "tests/support/sanitized.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/algorithm/proof.h"

namespace wafertlm {
namespace {

using test::first_npus;
using test::npus;
using test::wafer_of;

/// Runs it in two orders; the number of programs that were right.
int proven(const CollectiveRequest& request, const FabricTraits& wafer) {
  const auto program = plan_collective(request, wafer);
  const ExpectedValues expected(*program, 7);
  for (const std::uint64_t order : {1U, 2U}) {
    const Buffers after = run_untimed(*program, untimed_start(*program, 7), order);
    for (std::uint32_t rank = 0; rank < after.size(); ++rank)
      if (const std::string wrong = expected.wrong_value(rank, after[rank]); !wrong.empty()) {
        ADD_FAILURE() << request.algorithm << " of " << request.group.size() << " ranks, chunks "
                      << request.chunks << ": " << wrong;
        return 0;
      }
  }
  return 1;
}

std::uint64_t sized(CollectiveType type, std::uint64_t bytes) {
  return type == CollectiveType::barrier ? 0 : bytes;
}

class Programs : public testing::TestWithParam<CollectiveType> {};

TEST_P(Programs, GiveWhatTheCollectiveIsDefinedToGive) {
  FabricTraits wafer = wafer_of(5, 4);
  wafer.in_network = true;
  const Group groups[] = {first_npus(20), npus({5, 6, 7, 8, 9}),      npus({2, 7, 12, 17}),
                          npus({0, 19}),  npus({17, 3, 8, 0, 11, 6}), npus({4})};
  int cases = 0, right = 0;
  for (const Group& group : groups)
    for (const std::string& algorithm : algorithms_for(GetParam(), group, wafer))
      for (const DataType data : kDataTypes)
        for (const std::uint64_t elements : {0U, 1U, 3U, 250U, 1001U})
          for (const std::uint32_t chunks : {0U, 1U, 3U, 64U}) {
            const auto root = static_cast<std::uint32_t>(group.size() / 2);
            right += proven({GetParam(), group, sized(GetParam(), elements * bytes_of(data)), algorithm,
                             chunks, group.size() == 1 ? 0 : root, data},
                            wafer);
            ++cases;
          }
  EXPECT_EQ(right, cases);
  std::printf("%d programs proven\n", right);
}

TEST_P(Programs, AreRightOn200RandomGroups) {
  std::mt19937_64 random(11);
  int cases = 0, right = 0;
  for (int number = 0; number < (test::kSanitized ? 40 : 200); ++number) {
    FabricTraits wafer =
        wafer_of(1 + static_cast<std::uint32_t>(random() % 7), 1 + static_cast<std::uint32_t>(random() % 7));
    wafer.in_network = true;
    const Group group = test::random_group(random, wafer.npus());
    const auto root = static_cast<std::uint32_t>(random() % group.size());
    const std::uint64_t elements = random() % 700;
    const auto chunks = static_cast<std::uint32_t>(random() % 9);
    for (const std::string& algorithm : algorithms_for(GetParam(), group, wafer))
      for (const DataType data : kDataTypes) {
        right += proven(
            {GetParam(), group, sized(GetParam(), elements * bytes_of(data)), algorithm, chunks, root, data},
            wafer);
        ++cases;
      }
  }
  EXPECT_EQ(right, cases);
  std::printf("%d programs proven\n", right);
}

// 1024 ranks where that is quick, else 144: rings and direct programs have p² steps.
TEST_P(Programs, AreRightOnLargeWafers) {
  for (const std::string& algorithm : algorithms_for(GetParam(), first_npus(144), wafer_of(12, 12))) {
    const bool few_steps = algorithm == "tree" || algorithm == "double_binary_tree" ||
                           algorithm == "halving_doubling" || algorithm == "recursive_halving_doubling";
    const std::uint32_t side = test::kSanitized ? 8 : few_steps ? 32 : 12;
    EXPECT_EQ(proven({GetParam(), first_npus(side * side), sized(GetParam(), 4 * 200), algorithm, 2, 33,
                      DataType::int32},
                     wafer_of(side, side)),
              1);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Programs, testing::ValuesIn(kCollectiveTypes),
                         [](const auto& of) { return std::string(to_string(of.param)); });

}  // namespace
}  // namespace wafertlm
