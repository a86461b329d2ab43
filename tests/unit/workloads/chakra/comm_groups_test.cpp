// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/comm_groups.h"

#include "tests/unit/workloads/chakra/trace_files.h"

namespace wafertlm::chakra::test {
namespace {

using Ranks = std::vector<std::uint32_t>;

TEST(CommGroups, AllRanksHaveTwoNames) {
  const CommGroups groups(3);
  EXPECT_EQ(groups.ranks(""), (Ranks{0, 1, 2}));
  EXPECT_EQ(groups.ranks("0"), (Ranks{0, 1, 2}));
  EXPECT_EQ(groups.canonical("0"), "");
  EXPECT_TRUE(groups.holds("0", 2));
  EXPECT_FALSE(groups.holds("0", 3));
}

TEST(CommGroups, TheFileDefinesGroupsInItsOrder) {
  const auto groups = CommGroups::from_text(R"({"1": [3, 1], "0": [0, 2]})", 4, "g.json");
  EXPECT_EQ(groups.ranks("1"), (Ranks{3, 1}));
  EXPECT_EQ(groups.ranks("0"), (Ranks{0, 2}));
  EXPECT_EQ(groups.canonical("0"), "0") << "defined: another group than \"\"";
  EXPECT_EQ(groups.ranks("").size(), 4U);
  EXPECT_TRUE(groups.holds("1", 3));
  EXPECT_FALSE(groups.holds("1", 2));
}

TEST(CommGroups, ANumberIsOneNameHoweverItIsWritten) {
  const auto groups = CommGroups::from_map({{"2", {1, 3}}, {"1.5", {0, 1}}}, 4);
  for (const char* name : {"2", "2.0", "2.00"}) {
    EXPECT_TRUE(groups.has(name)) << name;
    EXPECT_EQ(groups.canonical(name), "2");
    EXPECT_EQ(groups.ranks(name), (Ranks{1, 3}));
  }
  for (const char* name : {"1", "1.50", "2.", "2.01", ".0", "3.0", "-2.0", "x"})
    EXPECT_EQ(groups.has(name), std::string(name) == "2.") << name;
  EXPECT_EQ(groups.ranks("0.0").size(), 4U);
  EXPECT_EQ(CommGroups::from_map(groups.to_map(), 4).to_map(), groups.to_map());
}

TEST(CommGroups, BadFilesAreRefused) {
  const auto refuse = [](const std::string& text, std::initializer_list<std::string> parts) {
    expect_error([&] { CommGroups::from_text(text, 4, "g.json"); }, parts);
    expect_error([&] { CommGroups::from_text(text, 4, "g.json"); }, {"g.json"});
  };
  refuse(R"({"1": [0, 1, 0]})", {"group \"1\"", "rank 0 twice"});
  refuse(R"({"1": [0, 4]})", {"group \"1\"", "4 is not a rank", "0 to 3"});
  refuse(R"({"1": [-1]})", {"-1 is not a rank"});
  refuse(R"({"1": ["0"]})", {"is not a rank"});
  refuse(R"({"1": []})", {"group \"1\" is empty"});
  refuse(R"({"1": 3})", {"not a list"});
  refuse(R"({"1": [0], "1": [1]})", {"\"1\" is given twice"});
  refuse("[]", {"expected an object"});
  refuse("{\"1\": [0,", {":1:10: JSON syntax: "});
  refuse("{\"1\": [1e999]}", {"JSON syntax"});
  expect_error([] { CommGroups::from_file("/nowhere/g.json", 4); }, {"/nowhere/g.json", "cannot be read"});
  expect_error([] { CommGroups(4).ranks("7"); }, {"group \"7\" is not defined"});
}

}  // namespace
}  // namespace wafertlm::chakra::test
