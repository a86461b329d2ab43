// SPDX-License-Identifier: Apache-2.0
#include "platform/text/suggest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>

namespace wafertlm::config {
namespace {

/// By the definition: the fewest letters that are added, removed, replaced, or swapped with their neighbour.
std::size_t distance_of(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  const std::string a1 = a.substr(1), b1 = b.substr(1);
  std::size_t best = distance_of(a1, b1) + (same(a[0], b[0]) ? 0 : 1);
  best = std::min({best, distance_of(a1, b) + 1, distance_of(a, b1) + 1});
  if (a.size() > 1 && b.size() > 1 && same(a[0], b[1]) && same(a[1], b[0]))
    best = std::min(best, distance_of(a.substr(2), b.substr(2)) + 1);
  return best;
}

TEST(EditDistance, IsThatOfItsDefinition) {
  std::mt19937_64 random(5);
  const auto word = [&] {
    std::string text(random() % 6, ' ');
    for (char& letter : text) letter = "abAB"[random() % 4];
    return text;
  };
  for (int k = 0; k < 500; ++k) {
    const std::string a = word(), b = word();
    EXPECT_EQ(edit_distance(a, b), distance_of(a, b)) << a << ' ' << b;
  }
  EXPECT_EQ(edit_distance("latency", "latnecy"), 1U);
}

using Words = std::vector<std::string>;

TEST(Nearest, IsTheClosestWithinHalfOfTheLetters) {
  EXPECT_EQ(nearest("rign", Words{"line", "ring", "rings"}), "ring");
  EXPECT_EQ(nearest("abcd", Words{"abxy"}), "abxy") << "two of four";
  EXPECT_EQ(nearest("abcd", Words{"axyz"}), "") << "three of four";
  EXPECT_EQ(nearest("abcde", Words{"abxyz"}), "") << "three of five";
  EXPECT_EQ(nearest("x", Words{}), "");
  EXPECT_EQ(nearest("first", Words{"firsta", "firstb"}), "firsta") << "of equal ones the first";
}

TEST(Nearest, TellsCasesApartAmongEqualOnes) {
  EXPECT_EQ(nearest("gB", Words{"Gb", "GB", "gb"}), "GB");
  EXPECT_EQ(nearest("GB/S", Words{"Gb/s", "GB/s"}), "GB/s");
}

TEST(Nearest, MayBeginWithTheText) {
  EXPECT_EQ(nearest("ab", Words{"abcdefghij"}), "abcdefghij");
  EXPECT_EQ(nearest("a", Words{"abcdefghij"}), "") << "a letter is too little";
  EXPECT_EQ(nearest("bc", Words{"abcdefghij"}), "");
}

TEST(Suggestion, NamesTheNearestAndAll) {
  EXPECT_EQ(suggestion("rign", {"ring", "mesh"}, "there are"),
            "; did you mean 'ring'? there are: ring, mesh");
  EXPECT_EQ(suggestion("zzzz", {"ring", "mesh"}, "there are"), "; there are: ring, mesh");
  EXPECT_EQ(did_you_mean("zzzz", {"ring"}), "");
}

}  // namespace
}  // namespace wafertlm::config
