// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/ranges.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/collectives/simulated.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

using Sizes = std::vector<std::uint64_t>;

TEST(Ranges, NpusAreNumbersAndRanges) {
  EXPECT_EQ(parse_npus("", 3), test::npus({0, 1, 2}));
  EXPECT_EQ(parse_npus("7", 8), test::npus({7}));
  EXPECT_EQ(parse_npus("4-6,0,2-2", 8), test::npus({4, 5, 6, 0, 2}));
  for (const char* const bad : {"x", "1,", ",1", "1-2-3", "-1", "1-", "1 ", "0x1", "1.5", "-"})
    EXPECT_EQ(test::refusal_of([&] { parse_npus(bad, 8); }),
              "'" + std::string(bad) + "' is not a list of NPUs; write it like 0-4,10");
  EXPECT_EQ(test::refusal_of([] { parse_npus("0,5-3", 8); }),
            "--npus 5-3: the first NPU is behind the last; write 3-5");
  EXPECT_EQ(test::refusal_of([] { parse_npus("0,3-8", 8); }), "--npus 3-8: the wafer has NPUs 0 to 7");
  EXPECT_EQ(test::refusal_of([] { parse_npus("8", 8); }), "--npus 8: the wafer has NPUs 0 to 7");
}

TEST(Ranges, SizesAreOneAListOrAGeometricRow) {
  EXPECT_EQ(parse_sizes("3kB"), Sizes{3000});
  EXPECT_EQ(parse_sizes("1KiB,5B,1KiB"), (Sizes{1024, 5, 1024}));
  EXPECT_EQ(parse_sizes("1KiB:16KiB:4"), (Sizes{1024, 4096, 16'384}));
  EXPECT_EQ(parse_sizes("10B:99B:3"), (Sizes{10, 30, 90}));
  EXPECT_EQ(parse_sizes("5B:5B:2"), Sizes{5});
  EXPECT_EQ(parse_sizes("1B:18446744073709551615B:4294967296"), (Sizes{1, 4'294'967'296}))
      << "without overflow";
  for (const char* const bad : {"1B:2B", "1B:2B:3:4"})
    EXPECT_EQ(test::refusal_of([&] { parse_sizes(bad); }),
              "--size " + std::string(bad) + ": write one size, a list, or FROM:TO:FACTOR");
  for (const char* const bad : {"1B:2B:1", "1B:2B:x", "0B:2B:2", "3B:2B:2", "1B:2B:1.5"})
    EXPECT_EQ(test::refusal_of([&] { parse_sizes(bad); }),
              "--size " + std::string(bad) + ": needs 0 < FROM <= TO and a whole FACTOR of at least 2");
  EXPECT_EQ(test::refusal_of([] { parse_sizes("1KiB,x"); }).rfind("--size x: ", 0), 0U);
  EXPECT_EQ(test::refusal_of([] { parse_sizes("1KiB,"); }).rfind("--size : ", 0), 0U);
}

// Its own choice for groups of some, then that of the type, then the general one if it can do it.
TEST(Ranges, ThePlatformsAlgorithmIsTheMostSpecialOne) {
  const auto algorithm = [](const std::vector<std::string>& keys, CollectiveType type, bool is_partial) {
    return platform_algorithm(test::platform(keys).collectives, type, is_partial);
  };
  const CollectiveType sum = CollectiveType::all_reduce, all = CollectiveType::all_to_all;
  EXPECT_EQ(algorithm({}, sum, false), "");
  EXPECT_EQ(algorithm({"collectives.algorithm=ring"}, sum, false), "ring");
  EXPECT_EQ(algorithm({"collectives.algorithm=tree"}, all, false), "") << "there is no tree for it";
  EXPECT_EQ(algorithm({"collectives.algorithm=fastest"}, all, false), "fastest");
  const std::vector<std::string> both = {"collectives.algorithm=direct",
                                         "collectives.by_type.all_reduce=ring",
                                         "collectives.partial_groups.all_reduce=tree"};
  EXPECT_EQ(algorithm(both, sum, false), "ring");
  EXPECT_EQ(algorithm(both, sum, true), "tree");
  EXPECT_EQ(algorithm(both, all, true), "direct");
}

}  // namespace
}  // namespace wafertlm
