// SPDX-License-Identifier: Apache-2.0
// Which of several values a rule blames.
#include <gtest/gtest.h>

#include <stdexcept>

#include "platform/describe/document.h"
#include "platform/describe/override.h"
#include "platform/describe/value_types.h"
#include "tests/support/refusal.h"
#include "tests/support/temp_folder.h"

namespace wafertlm::config {
namespace {

struct Pair {
  std::uint32_t low = 1, high = 2;
};

Struct<Pair> pair_with(const std::function<void(const Pair&, const Check&)>& rule) {
  Struct<Pair> type("pair");
  type.optional("low", &Pair::low, integer<std::uint32_t>(0, 9), "Below")
      .optional("high", &Pair::high, integer<std::uint32_t>(0, 9), "Above")
      .check(rule);
  return type;
}

void check_order(const Pair& pair, const Check& check) {
  if (pair.low >= pair.high) check.fail({&pair.low, &pair.high}, "not in order");
}

TEST(Checks, BlameWhatWasWrittenLast) {
  const test::TempFolder folder;
  const Struct<Pair> type = pair_with(check_order);
  folder.write("base.yaml", "low: 3\nhigh: 5\n");
  const auto refusal = [&](const std::string& text, const std::string& set) {
    const std::string file = folder.write("a.yaml", text);
    const std::string what = test::refusal_of<ConfigError>([&] {
      Node root = load_document(file);
      if (!set.empty()) apply_override(root, type, set);
      Origins origins;
      type.read(Reader(root, "", origins));
    });
    return what.rfind(file, 0) == 0 ? what.substr(file.size()) : what;
  };
  EXPECT_EQ(refusal("low: 3\n", ""), ":1:6: low: not in order");
  EXPECT_EQ(refusal("low: 5\nhigh: 4\n", ""), ":1:6: low: not in order");
  EXPECT_EQ(refusal("extends: base.yaml\nhigh: 2\n", ""), ":2:7: high: beside low: not in order");
  EXPECT_EQ(refusal("extends: base.yaml\nlow: 7\n", ""), ":2:6: low: not in order");
  EXPECT_EQ(refusal("extends: base.yaml\nlow: 4\n", "high=1"), "--set high: high: beside low: not in order");
}

TEST(Checks, OfACopyAreAnInternalError) {
  const Struct<Pair> type = pair_with([](const Pair& pair, const Check& check) {
    const Pair copy = pair;
    check.fail({&pair.low, &copy.high}, "never said");
  });
  const Node root = Node::map({{"low", Node::scalar("3", {"a.yaml", 1, 1})}});
  Origins origins;
  EXPECT_THROW(type.read(Reader(root, "", origins)), std::logic_error);
}

}  // namespace
}  // namespace wafertlm::config
