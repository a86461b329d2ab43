// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "platform/commands/model/fred/fred_sweep.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using test::run_tool;
using test::ToolResult;

TEST(FredCommand, FlowsOfThePapersExample) {
  const ToolResult result = run_tool("model fred routes --parallelism 'MP(2)-DP(5)-PP(2)'");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  // A column holds MP(2) x PP(2): these phases stay within L1, the DP groups share the uplinks.
  EXPECT_NE(result.out.find("    L1[0]   #0: 0,1->0,1  #1: 2,3->2,3\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("    L1[0]   #0: 0->2,3\n"), std::string::npos);
  EXPECT_NE(result.out.find("    L2[1]   #2: 0,2,4,6,8->0,2,4,6,8  #3: 1,3,5,7,9->1,3,5,7,9\n"),
            std::string::npos);
}

TEST(FredCommand, PrintsTheMicroSwitches) {
  const ToolResult result = run_tool("model fred routes --parallelism 'MP(4)-DP(5)' --m 2 --print");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("    L1[4] = FRED_2(11), 7 µswitch stages\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("      in0            R      0+1->0  reduces\n"), std::string::npos);
}

// The pairs of DP(2) make a ring of five L1 switches.
TEST(FredCommand, SaysWhyAndWhetherItIsProven) {
  const ToolResult result = run_tool("model fred routes --parallelism 'MP(10)-DP(2)' --json");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out, nlohmann::ordered_json::parse(result.out).dump(2) + "\n");
  const nlohmann::json json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["phases"].size(), 2U);
  const nlohmann::json& dp = json["phases"][1];
  EXPECT_EQ(dp["name"], "dp");
  EXPECT_EQ(dp["groups"], 10);
  std::map<std::pair<int, std::string>, std::string> status;
  for (const auto& route : dp["routes"]) status[{route["m"], route["way"]}] = route["status"];
  EXPECT_EQ((status[{2, "first colouring"}]), "not found");
  EXPECT_EQ((status[{2, "uplinks too"}]), "impossible");
  EXPECT_EQ((status[{3, "first colouring"}]), "routed");
  EXPECT_NE(dp["routes"][0]["reason"].get<std::string>().find("need more than 2 middle switches"),
            std::string::npos);
  EXPECT_EQ(json["shape"]["l2_switches"], 2);
}

// The switches and m of the platform, in its logical view.
TEST(FredCommand, TakesThePlatform) {
  const std::string d = "model fred routes " WAFERTLM_SOURCE_DIR "/configs/platforms/fred_d.yaml ";
  const ToolResult result = run_tool(d + "--parallelism 'MP(2)-DP(5)-PP(2)'");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_NE(result.out.find("FRED-D: m = 3\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("5 L1 switches of 4 NPUs, 4 uplinks and 4,4,4,3,3 I/O controllers; 1 L2 switch"),
            std::string::npos);
  const ToolResult other = run_tool(
      d +
      "--set wafer.fabric.l1_switches=8 --set wafer.fabric.npus_per_l1=2 --set "
      "wafer.fabric.l1_uplink=6TB/s --set wafer.fabric.middle_switches=5 --parallelism 'DP(16)' --json");
  ASSERT_EQ(other.exit_code, 0) << other.error;
  const nlohmann::json json = nlohmann::json::parse(other.out);
  EXPECT_EQ(json["shape"]["l1_switches"], 8);
  EXPECT_EQ(json["shape"]["npus_per_l1"], 2);
  EXPECT_EQ(json["shape"]["uplinks"], 2);
  std::set<int> ms;
  for (const auto& route : json["phases"][0]["routes"]) ms.insert(route["m"].get<int>());
  EXPECT_EQ(ms, (std::set<int>{2, 3, 5}));
  const ToolResult mesh = run_tool("model fred routes " WAFERTLM_SOURCE_DIR
                                   "/configs/platforms/wafer_mesh_5x4.yaml --parallelism 'DP(20)'");
  EXPECT_EQ(mesh.exit_code, 2);
  EXPECT_NE(mesh.error.find("is no FRED wafer"), std::string::npos) << mesh.error;
}

// FRED_3(12) by hand: see network_test.cpp.
TEST(FredCommand, PrintsTheCountsOfMicroSwitches) {
  const ToolResult result = run_tool("model fred counts --ports 10-12 --m 2,3 --json");
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const nlohmann::json rows = nlohmann::json::parse(result.out)["rows"];
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[5], (nlohmann::json{{"ports", 12},
                                     {"m", 3},
                                     {"r", 15},
                                     {"d", 15},
                                     {"rd", 27},
                                     {"demux", 0},
                                     {"mux", 0},
                                     {"stages", 7}}));
  EXPECT_EQ(run_tool("model fred counts --ports 12-10").exit_code, 2);
}

TEST(FredCommand, AllParallelisms) {
  // 20 = 2 x 2 x 5: 6 ways for the twos, 3 for the five.
  EXPECT_EQ(all_parallelisms(20).size(), 18U);
  EXPECT_EQ(all_parallelisms(19).size(), 3U);
  EXPECT_EQ(all_parallelisms(18).size(), 18U);
  std::set<std::string> different;
  for (const Parallelism& each : all_parallelisms(20)) {
    EXPECT_EQ(each.workers(), 20U);
    different.insert(to_string(each));
  }
  EXPECT_EQ(different.size(), 18U);
}

// m = 3 never conflicts in a switch with 20 NPUs; what is left are two parallelisms whose groups of four
// cannot be spread over two L2 chips. More freedom never conflicts more. The counts of m = 2 are those of
// this router, recorded here so that a change is seen.
TEST(FredCommand, ConflictRatesOfTwentyNpus) {
  FredSweepQuery query;
  query.routes.ms = {2, 3};
  query.seeds = 5;
  const FredSweep sweep = sweep_routes(query);
  EXPECT_EQ(sweep.parallelisms, 18U);
  fmt::print("{}", sweep_text(query, sweep));
  for (const SweepRow& row : sweep.rows) {
    const std::uint64_t per_placement = row.phase == "any" ? 18 : 12;  // 6 of 18 have a degree of 1
    EXPECT_EQ(row.cases, per_placement * (row.placement == "random" ? 5 : 1));
    for (std::size_t way = 0; way < 6; ++way) {
      const SweepCount& count = row.counts[way];
      EXPECT_EQ(count.conflicts, count.uplinks + count.l1 + count.l2);
      EXPECT_LE(count.impossible, count.conflicts);
      if (way % 3 != 0) {
        EXPECT_LE(count.conflicts, row.counts[way - 1].conflicts);
      }
      if (way >= 3) {
        EXPECT_LE(count.conflicts, row.counts[way - 3].conflicts);
        EXPECT_EQ(count.l1 + count.l2, 0U);
      }
    }
    const bool split = (row.placement == "paper" && row.phase == "dp") ||
                       (row.placement == "row_major" && row.phase == "mp");
    if (split) {
      EXPECT_EQ(row.counts[2].conflicts, 6U);
      EXPECT_EQ(row.counts[5].uplinks, 2U);
    } else if (row.placement == "paper" && row.phase != "any") {
      EXPECT_EQ(row.counts[0].conflicts, 0U);
    }
  }
}

nlohmann::json json_of(const std::string& arguments) {
  const ToolResult result = run_tool(arguments + " --json");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return nlohmann::json::parse(result.out);
}

// What the rows count are the entries of the conflicts; of "any" phase, parallelisms with an entry.
TEST(FredCommand, TheRowsOfASweepCountItsConflicts) {
  const nlohmann::json json = json_of(
      "model fred routes --sweep --placement paper,random --seeds 2 --seed 5 "
      "--workers 18-20 --m 2,3");
  EXPECT_EQ(json["parallelisms"], 39);
  EXPECT_EQ(json["seed"], 5);
  EXPECT_EQ(json["seeds"], 2);
  EXPECT_EQ(json["workers"], (nlohmann::json{18, 20}));
  ASSERT_EQ(json["rows"].size(), 8U);
  std::map<std::string, std::map<std::string, std::uint64_t>> counted;
  std::set<std::string> any;
  for (const auto& each : json["conflicts"]) {
    EXPECT_EQ(each.contains("seed"), each["placement"] == "random");
    if (each.contains("seed")) {
      EXPECT_TRUE(each["seed"] == 5 || each["seed"] == 6);
    }
    bool conflict = false;
    for (const auto& route : each["routes"]) {
      const std::string of = each["placement"].get<std::string>() + " ",
                        way = " " + route["m"].dump() + " " + route["way"].get<std::string>();
      const bool routed = route["status"] == "routed", impossible = route["status"] == "impossible";
      conflict |= !routed;
      if (routed) continue;
      EXPECT_FALSE(route["reason"].get<std::string>().empty());
      auto& of_phase = counted[of + each["phase"].get<std::string>() + way];
      ++of_phase["conflicts"];
      of_phase["impossible"] += impossible ? 1 : 0;
      if (any.insert(of + "any" + way + each["parallelism"].dump() +
                     nlohmann::json(each.value("seed", 0)).dump())
              .second)
        ++counted[of + "any" + way]["conflicts"];
    }
    EXPECT_TRUE(conflict) << each;
  }
  std::uint64_t all = 0;
  for (const auto& row : json["rows"])
    for (const auto& count : row["counts"]) {
      auto& found = counted[row["placement"].get<std::string>() + " " + row["phase"].get<std::string>() +
                            " " + count["m"].dump() + " " + count["way"].get<std::string>()];
      EXPECT_EQ(count["conflicts"], found["conflicts"]) << row["phase"] << count;
      EXPECT_EQ(count["conflicts"],
                count["in_l1"].get<int>() + count["in_l2"].get<int>() + count["on_uplinks"].get<int>());
      if (row["phase"] != "any") {
        EXPECT_EQ(count["impossible"], found["impossible"]);
      }
      all += count["conflicts"].get<std::uint64_t>();
    }
  EXPECT_GT(all, 0U);
}

TEST(FredCommand, TheTextOfASweepIsItsJson) {
  const std::string sweep =
      "model fred routes --sweep --placement paper,random --seeds 2 --seed 5 --workers 20 --m 2";
  const nlohmann::json json = json_of(sweep);
  const auto rate = [](double part, double cases) { return fmt::format("{:.1f} %", 100 * part / cases); };
  std::string expected = fmt::format(
      "5 L1 switches of 4 NPUs, 4 uplinks and 4,4,4,3,3 I/O controllers; 2 L2 switches; 5 planes, all alike\n"
      "18 parallelisms MP x DP x PP of 20 workers; all_reduce of MP and DP groups, multicasts between "
      "stages\n"
      "Cases that do not route, and the part of all cases:\n\n{:<12}{:<6}{:>6}",
      "placement", "phase", "cases");
  for (const char* const way : {"first colouring", "backtracking", "uplinks too"})
    expected += fmt::format("  {:>19}", std::string("m=2 ") + way);
  expected += "\n";
  std::map<std::string, std::map<std::string, int>> sums;
  int cases = 0;
  for (const auto& row : json["rows"]) {
    expected += fmt::format("{:<12}{:<6}{:>6}", row["placement"].get<std::string>(),
                            row["phase"].get<std::string>(), row["cases"].get<int>());
    if (row["phase"] != "any") cases += row["cases"].get<int>();
    for (const auto& count : row["counts"]) {
      expected += fmt::format("  {:>10} {:>8}", count["conflicts"].get<int>(),
                              rate(count["conflicts"].get<double>(), row["cases"].get<double>()));
      if (row["phase"] == "any") continue;
      for (const char* const key : {"conflicts", "impossible", "in_l1", "in_l2", "on_uplinks"})
        sums[count["way"].get<std::string>()][key] += count[key].get<int>();
    }
    expected += "\n";
  }
  const std::string text = run_tool(sweep).out;
  EXPECT_EQ(text.substr(0, expected.size()), expected);
  EXPECT_NE(text.find("with one placement (2 random ones, seeds from 5); all groups"), std::string::npos);
  EXPECT_EQ(cases, 3 * 12 * 3);
  for (auto& [way, sum] : sums) {
    const std::string line = fmt::format(
        "m = 2, {:<16} {:>5} of {} cases conflict ({}): {} in L1, {} in L2, {} on the uplinks; {} proven "
        "impossible\n",
        way + ":", sum["conflicts"], cases, rate(sum["conflicts"], cases), sum["in_l1"], sum["in_l2"],
        sum["on_uplinks"], sum["impossible"]);
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  const std::string one = run_tool("model fred routes --sweep --placement paper --workers 1-2 --m 3").out;
  EXPECT_NE(one.find("\n4 parallelisms MP x DP x PP of 1 to 2 workers; "), std::string::npos) << one;
  EXPECT_NE(one.find("\nA case is a phase of one parallelism with one placement; all groups"),
            std::string::npos);
}

TEST(FredCommand, TheTextOfRoutesIsTheirJson) {
  const std::string routes = "model fred routes --parallelism 'MP(10)-DP(2)' --m 2,3";
  const nlohmann::json json = json_of(routes);
  EXPECT_EQ(json["placement"], "paper");
  const std::string text = run_tool(routes).out;
  EXPECT_EQ(text.rfind("MP(10)-DP(2)-PP(1), paper placement\n5 L1 switches of 4 NPUs, ", 0), 0U) << text;
  std::string table = fmt::format("\n{:<7}{:>7}{:>7}", "phase", "groups", "steps"), reasons;
  for (const auto& route : json["phases"][0]["routes"])
    table += fmt::format("  {:>20}", "m=" + route["m"].dump() + " " + route["way"].get<std::string>());
  table += "\n";
  for (const auto& phase : json["phases"]) {
    const std::string name = phase["name"];
    const std::size_t steps = phase["steps"].size();
    EXPECT_NE(
        text.find(fmt::format("\n{}: {}, {} groups, {} step{}\n", name, phase["what"].get<std::string>(),
                              phase["groups"].get<int>(), steps, steps == 1 ? "" : "s")),
        std::string::npos)
        << text;
    table += fmt::format("{:<7}{:>7}{:>7}", name, phase["groups"].get<int>(), steps);
    for (const auto& route : phase["routes"]) {
      table += fmt::format("  {:>20}", route["status"].get<std::string>());
      EXPECT_EQ(route.contains("reason"), route["status"] != "routed");
      if (route.contains("reason"))
        reasons += fmt::format("{}, m = {}, {}: step {}: {}\n", name, route["m"].get<int>(),
                               route["way"].get<std::string>(), route["step"].get<int>(),
                               route["reason"].get<std::string>());
    }
    table += "\n";
  }
  ASSERT_GE(text.size(), (table + reasons).size());
  EXPECT_EQ(text.substr(text.size() - (table + reasons).size()), table + reasons);
}

TEST(FredCommand, ShowsTwoStepsAndSaysHowManyThereAre) {
  const std::string scatter = "model fred routes --parallelism 'MP(4)-DP(5)' --type scatter --m 3";
  const std::size_t steps = json_of(scatter)["phases"][0]["steps"].size();
  ASSERT_GT(steps, 2U);
  const std::string text = run_tool(scatter).out;
  EXPECT_NE(
      text.find(fmt::format("\n  … {} more step{}; --json has all\n", steps - 2, steps == 3 ? "" : "s")),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("  step 1, from"), std::string::npos);
  EXPECT_EQ(run_tool(scatter + " --print").out.find("more step"), std::string::npos);
}

// NPU n is port n mod 4 of L1 switch n / 4.
TEST(FredCommand, AFilePlacesWorkersOnNpus) {
  const test::TempFolder folder;
  const std::string routes =
      "model fred routes --parallelism 'MP(3)' --m 3 --placement file:" + folder.write("place", "7\n18\n5\n");
  const std::string text = run_tool(routes).out;
  EXPECT_NE(
      text.find(
          "\nmp: all_reduce, 1 group, 1 step\n  step 0, from NPUs -> to NPUs:\n    #0: 7,18,5->7,18,5\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("\n    L1[1]   #0: 1,3->"), std::string::npos) << text;
  EXPECT_NE(text.find("\n    L1[4]   #0: 2->"), std::string::npos) << text;
}

TEST(FredCommand, TheCountsOfMicroSwitchesAreATable) {
  const std::string counts = "model fred counts --ports 5-6 --m 1,3";
  std::string expected;
  const nlohmann::json json = json_of(counts);
  ASSERT_EQ(json["rows"].size(), 4U);
  for (const auto& row : json["rows"]) {
    expected += fmt::format("{:>6}{:>4}", row["ports"].get<int>(), row["m"].get<int>());
    for (const char* const key : {"r", "d", "rd", "demux", "mux"})
      expected += fmt::format("{:>9}", row[key].get<int>());
    expected += fmt::format("{:>8}\n", row["stages"].get<int>());
  }
  const std::string text = run_tool(counts).out;
  EXPECT_EQ(text, fmt::format("{:>6}{:>4}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}\n", "ports", "m", "r", "d", "rd",
                              "demux", "mux", "stages") +
                      expected);
}

struct Bad {
  std::string arguments, message;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.arguments; }

class FredBadInput : public testing::TestWithParam<Bad> {};

TEST_P(FredBadInput, IsRefusedWithAWayOut) {
  const ToolResult result = run_tool("model fred " + GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2) << result.out;
  EXPECT_NE(result.error.find(GetParam().message), std::string::npos) << result.error;
  EXPECT_EQ(result.out, "");
}

const std::string kOne = "routes --parallelism 'MP(2)-DP(5)-PP(2)' ";
INSTANTIATE_TEST_SUITE_P(
    Input, FredBadInput,
    testing::Values(Bad{"routes", "give --parallelism"}, Bad{"", "subcommand"},
                    Bad{"routes --parallelism 'MP(7)-DP(3)'", "the wafer has 20"},
                    Bad{"routes --parallelism 'MP(1)'", "nothing to communicate"},
                    Bad{kOne + "--placement papre", "did you mean 'paper'?"},
                    Bad{kOne + "--type allreduce", "did you mean 'all_reduce'?"},
                    Bad{kOne + "--view logcal", "did you mean 'logical'?"},
                    Bad{kOne + "--view logical --l2 2", "the logical view has one L2 switch"},
                    Bad{kOne + "--m 2,x", "--m 2,x: expected whole numbers from 1, joined by ','"},
                    Bad{kOne + "--m 0", "--m 0: expected whole numbers from 1"},
                    Bad{kOne + "--m 32", "there are 1 to 31 middle switches"},
                    Bad{kOne + "--io 4,4", "I/O controllers are given for 2 L1 switches and there are 5"},
                    Bad{kOne + "--uplinks 5", "5 uplinks cannot be shared equally by 2 L2 switches"},
                    Bad{kOne + "--workers 18", "--workers belongs to --sweep"},
                    Bad{kOne + "--seeds 3", "--seeds belongs to --sweep"},
                    Bad{kOne + "--seed 3", "only --placement random has a seed"},
                    Bad{kOne + "--sweep", "leave --parallelism out"},
                    Bad{"routes --sweep --print", "--print shows one parallelism"},
                    Bad{"routes --sweep --workers 18-21",
                        "--workers 18-21: expected a number up to 20, or FROM-TO"},
                    Bad{"routes --sweep --placement file:x", "a file places the workers of one parallelism"},
                    Bad{"routes --sweep --placement paper,paper", "paper is listed twice"},
                    Bad{"routes --sweep --placement paper --seeds 4", "only --placement random has seeds"},
                    Bad{kOne + "--lod", "--lod"}));

TEST(FredCommand, HelpHasExamples) {
  const ToolResult result = run_tool("model fred routes --help");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("Examples:"), std::string::npos);
}

}  // namespace
}  // namespace wafertlm
