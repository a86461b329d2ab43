// SPDX-License-Identifier: Apache-2.0
#include "platform/parallel/dealing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "tests/support/random_cases.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

using Dealing = std::vector<std::uint32_t>;

/// Wafers of three NPUs, and `ranks` of them used on each.
struct Usage {
  explicit Usage(const std::vector<std::uint32_t>& used) : ranks(used) {
    wafers.count = static_cast<std::uint32_t>(used.size());
    for (std::uint32_t wafer = 0; wafer < used.size(); ++wafer)
      for (std::uint32_t n = 0; n < 3; ++n) {
        if (n < used[wafer]) npus.push_back(static_cast<NpuId>(wafers.of_npu.size()));
        wafers.of_npu.push_back(wafer);
      }
  }
  std::uint32_t most(const Dealing& dealing, std::uint32_t processes) const {
    std::vector<std::uint32_t> sums(processes);
    for (std::uint32_t wafer = 0; wafer < dealing.size(); ++wafer) sums[dealing[wafer]] += ranks[wafer];
    return *std::max_element(sums.begin(), sums.end());
  }
  /// The least of most() over all dealings that are contiguous, by trying them.
  std::uint32_t least_most(std::uint32_t processes, std::uint32_t first = 0) const {
    if (processes == 1) return std::accumulate(ranks.begin() + first, ranks.end(), 0U);
    std::uint32_t best = ~0U, own = 0;
    for (std::uint32_t end = first + 1; end + processes - 1 <= ranks.size(); ++end) {
      own += ranks[end - 1];
      best = std::min(best, std::max(own, least_most(processes - 1, end)));
    }
    return best;
  }

  std::vector<std::uint32_t> ranks;
  Wafers wafers;
  Placement npus;
};

TEST(Dealing, SharesNeighboursOutByTheirRanks) {
  const auto dealt = [](const std::vector<std::uint32_t>& ranks, std::uint32_t processes) {
    const Usage usage(ranks);
    return deal_wafers(usage.wafers, usage.npus, processes);
  };
  EXPECT_EQ(dealt({3, 3, 3, 3}, 2), (Dealing{0, 0, 1, 1}));
  EXPECT_EQ(dealt({3, 3, 3, 3}, 4), (Dealing{0, 1, 2, 3}));
  EXPECT_EQ(dealt({3, 0, 0, 0}, 4), (Dealing{0, 1, 2, 3}));  // each has a wafer
  EXPECT_EQ(dealt({0, 0, 0, 3}, 2), (Dealing{0, 0, 0, 1}));
}

TEST(Dealing, IsContiguousGivesEachAWaferAndIsNearTheBest) {
  std::mt19937_64 random(3);
  for (int number = test::random_cases(400, 40); number != 0; --number) {
    std::vector<std::uint32_t> ranks(2 + random() % 8);
    for (std::uint32_t& each : ranks) each = static_cast<std::uint32_t>(random() % 4);
    if (std::accumulate(ranks.begin(), ranks.end(), 0U) == 0) ranks.front() = 1;
    const auto processes = static_cast<std::uint32_t>(2 + random() % (ranks.size() - 1));
    const Usage usage(ranks);
    const Dealing dealing = deal_wafers(usage.wafers, usage.npus, processes);
    ASSERT_EQ(dealing.size(), ranks.size());
    EXPECT_EQ(dealing.front(), 0U);
    EXPECT_EQ(dealing.back(), processes - 1);
    for (std::size_t wafer = 1; wafer < dealing.size(); ++wafer)
      EXPECT_LE(dealing[wafer] - dealing[wafer - 1], 1U);
    // A share ends within a wafer, which then lies on one side of it: at both ends half a wafer more.
    EXPECT_LE(usage.most(dealing, processes), usage.least_most(processes) + 3) << processes;
  }
}

TEST(Dealing, ATableIsReadInTheOrderOfTheWafers) {
  const test::TempFolder folder;
  const auto read = [&](const std::string& text, std::uint32_t wafers, std::uint32_t processes) {
    return read_dealing(folder.write("dealing.txt", text), wafers, processes);
  };
  EXPECT_EQ(read("1 0\n# two more\n\n0 1 # here", 4, 2), (Dealing{1, 0, 0, 1}));
  const std::string file = folder.path() + "/dealing.txt";
  const auto refusal = [&](const std::string& text) {
    const std::string all = test::refusal_of([&] { read(text, 3, 2); });
    EXPECT_EQ(all.rfind(file, 0), 0U) << all;
    return all.substr(std::min(file.size(), all.size()));
  };
  EXPECT_EQ(refusal("0 1\n2\n"), ":2: '2' is no process; they are 0 to 1");
  EXPECT_EQ(refusal("0 1 -1\n"), ":1: '-1' is no process; they are 0 to 1");
  EXPECT_EQ(refusal("0\n1x\n"), ":2: '1x' is no process; they are 0 to 1");
  EXPECT_EQ(refusal("0\n1\n\n1 0\n"), ":4: there are 3 wafers, this is one too many");
  EXPECT_EQ(refusal("0 1\n"), ": the process of each of 3 wafers, in their order; found 2");
  EXPECT_EQ(refusal(""), ": the process of each of 3 wafers, in their order; found 0");
  EXPECT_EQ(refusal("1 1 1"), ": process 0 has no wafer");
  EXPECT_EQ(refusal("0 0 0"), ": process 1 has no wafer");
  EXPECT_NE(test::refusal_of([&] { read_dealing(folder.path() + "/none", 3, 2); }).find("/none"),
            std::string::npos);
}

TEST(Dealing, ProcessesAreCalledByTheirWafers) {
  EXPECT_EQ(process_names({0, 1, 0}, 2),
            (std::vector<std::string>{"process 0 (wafers 0, 2)", "process 1 (wafer 1)"}));
}

}  // namespace
}  // namespace wafertlm
