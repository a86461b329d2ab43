// SPDX-License-Identifier: Apache-2.0
// What `wafertlm collective` prints: the numbers of its JSON by their definitions, the table by the JSON.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/text/format.h"
#include "tests/support/squeezed.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;
using test::run_tool;
using test::ToolResult;

const std::string kPlatforms = "collective " WAFERTLM_SOURCE_DIR "/configs/platforms/";
const std::string kMesh = kPlatforms + "wafer_mesh_5x4.yaml ", kFredD = kPlatforms + "fred_d.yaml ";

json json_of(const std::string& arguments) {
  const ToolResult result = run_tool(arguments + " --json");
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return json::parse(result.out);
}
std::string text_of(const std::string& arguments) {
  const ToolResult result = run_tool(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  return result.out;
}

void expect_near(const json& value, double expected) {
  EXPECT_NEAR(value.get<double>(), expected, 1e-9 * std::abs(expected)) << value;
}

/// The relations that hold in each row of a collective. @param bus_factor of nccl-tests
void expect_consistent(const json& row, double bus_factor, std::uint64_t late_ps = 0) {
  const double time_s = row["time_ps"].get<double>() * 1e-12;
  expect_near(row["time_s"], time_s);
  expect_near(row["predicted_s"], row["predicted_ps"].get<double>() * 1e-12);
  expect_near(row["bound_s"], row["bound_ps"].get<double>() * 1e-12);
  expect_near(row["algorithm_bandwidth_bytes_per_s"], row["bytes"].get<double>() / time_s);
  expect_near(row["bus_bandwidth_bytes_per_s"], row["bytes"].get<double>() / time_s * bus_factor);
  expect_near(row["time_over_bound"], time_s / row["bound_s"].get<double>());
  const double late_s = static_cast<double>(late_ps) * 1e-12;
  expect_near(row["skew_s"], late_s);
  expect_near(row["time_after_last_entry_s"], time_s - late_s);
  expect_near(row["time_over_predicted"], (time_s - late_s) / row["predicted_s"].get<double>());
}

/// The relations between a row and its groups.
void expect_of_groups(const json& row) {
  std::uint64_t slowest = 0, fastest = ~std::uint64_t{0};
  double predicted = 0, bound = 0;
  for (const json& group : row["groups"]) {
    slowest = std::max(slowest, group["time_ps"].get<std::uint64_t>());
    fastest = std::min(fastest, group["time_ps"].get<std::uint64_t>());
    predicted = std::max(predicted, group["predicted_s"].get<double>());
    bound = std::max(bound, group["bound_s"].get<double>());
    EXPECT_EQ(group["npus"].size(), row["group_size"].get<std::size_t>());
    expect_near(group["time_s"], group["time_ps"].get<double>() * 1e-12);
  }
  EXPECT_EQ(row["time_ps"], slowest);
  EXPECT_EQ(row["fastest_group_ps"], fastest);
  expect_near(row["fastest_group_s"], static_cast<double>(fastest) * 1e-12);
  EXPECT_GE(row["predicted_s"].get<double>(), predicted);
  EXPECT_GE(row["bound_s"].get<double>(), bound);
}

TEST(CollectiveReport, ARowHoldsWhatItsNamesSay) {
  // 5 NPUs: the bus factors of nccl-tests.
  for (const auto& [type, factor] :
       {std::pair{"all_reduce", 1.6}, std::pair{"all_gather", 0.8}, std::pair{"reduce_scatter", 0.8},
        std::pair{"all_to_all", 0.8}, std::pair{"broadcast", 1.0}, std::pair{"reduce", 1.0}}) {
    const json report = json_of(kMesh + "--npus 0,2-4,9 --size 100kB,1MiB --type " + type);
    EXPECT_EQ(report["platform"], "wafer mesh 5x4");
    EXPECT_EQ(report["type"], type);
    EXPECT_EQ(report["class"], "dp");
    EXPECT_EQ(report["group_size"], 5);
    ASSERT_EQ(report["rows"].size(), 2U);
    EXPECT_EQ(report["rows"][0]["bytes"], 100'000);
    EXPECT_EQ(report["rows"][1]["bytes"], 1 << 20);
    EXPECT_EQ(report["algorithm"], report["rows"][0]["algorithm"]);
    for (const json& row : report["rows"]) {
      expect_consistent(row, factor);
      expect_of_groups(row);
      EXPECT_EQ(row["groups"][0]["npus"], (std::vector<int>{0, 2, 3, 4, 9}));
      EXPECT_FALSE(row["values_proven"].get<bool>());
      EXPECT_EQ(row["decomposed_groups"], 0);
    }
  }
  expect_consistent(
      json_of(kMesh + "--npus 0-3 --size 100kB --type all_gather --late 1:3us,2:7us,0:1us")["rows"][0], 0.75,
      7'000'000);
}

// 50 kB each way in each of two rounds: 13 packets of 4 KiB, over the link between the routers and out of
// the second one.
TEST(CollectiveReport, CountsThePacketsOfARing) {
  const json row = json_of(
      kMesh +
      "--npus 0,1 --size 100kB --type all_reduce --algorithm ring --set run.functional=true")["rows"][0];
  EXPECT_EQ(row["packet_hops"], 2 * 2 * 13 * 2);
  EXPECT_EQ(row["busiest_link_payload_bytes"], 100'000);
  EXPECT_TRUE(row["values_proven"].get<bool>());
  EXPECT_GT(row["scheduler_events"], 0);
  EXPECT_EQ(row["starved_link"], (json{{"name", ""}, {"blocked_fraction", {{"credit", 0.0}}}}));
}

std::string ratio_text(const json& value) {
  return value.is_null() ? "-" : fmt::format("{:.3f}", value.get<double>());
}

/// The line of a row. @param last of its columns of numbers
std::string line_of(const json& row, const std::string& last, const std::string& behind) {
  const auto time = [&](const char* key) { return format_time(row[key].get<TimePs>()); };
  return fmt::format("{} {} {} {} {} {} {} {} {} {}{}\n", format_bytes(row["bytes"].get<std::uint64_t>()),
                     time("time_ps"), format_bandwidth(row["algorithm_bandwidth_bytes_per_s"].get<double>()),
                     format_bandwidth(row["bus_bandwidth_bytes_per_s"].get<double>()), time("predicted_ps"),
                     time("bound_ps"), ratio_text(row["time_over_bound"]),
                     ratio_text(row["time_over_predicted"]), last, row["algorithm"].get<std::string>(),
                     behind);
}
std::string chunks_text(const json& row) { return fmt::format(", chunks {}", row["chunks"].get<int>()); }
std::string fastest_text(const json& row) { return format_time(row["fastest_group_ps"].get<TimePs>()); }

std::string head(const std::string& last) {
  return "size time algbw busbw predicted bound /bound /predict " + last + " algorithm\n";
}

const std::string kMostlyLatency =
    "note: most of the collectives' time is latency, and the costs of the endpoints (npu.endpoint) are 0: "
    "launch, set-up and reception would add to every step (configs/endpoints has costs with their sources)\n";

TEST(CollectiveReport, SaysWhatFastestWouldTake) {
  const std::string run = kMesh + "--type all_reduce --size 64KiB,1MiB";
  const json report = json_of(run);
  const json& faster = report["rows"][1]["faster"];
  EXPECT_EQ(
      report["notes"].back(),
      "chosen as in the FRED paper's baseline (collectives.algorithm: paper); fastest would take: 1 MiB " +
          faster["algorithm"].get<std::string>() +
          fmt::format(" in {} chunks, ", faster["chunks"].get<int>()) +
          format_time(faster["predicted_ps"].get<TimePs>()) + " predicted");
  EXPECT_FALSE(report["rows"][0].contains("faster"));  // less than 5 % shorter
  const json named = json_of(kMesh + "--type all_reduce --size 1MiB --algorithm packed_trees");
  EXPECT_FALSE(named["rows"][0].contains("faster"));
  EXPECT_EQ(named["rows"][0]["predicted_ps"], faster["predicted_ps"]);
  EXPECT_LT(named["rows"][0]["time_ps"], report["rows"][1]["time_ps"]);
}

TEST(CollectiveReport, TheTableIsTheJson) {
  const std::string one =
      kMesh + "--npus 0-4 --type all_gather --size 256KiB,400kB --set run.functional=true";
  std::string expected =
      "all_gather of 5 NPUs on wafer mesh 5x4, class dp, values proven\n" + head("first group");
  const json both = json_of(one);
  for (const json& row : both["rows"]) expected += line_of(row, fastest_text(row), chunks_text(row));
  EXPECT_EQ(test::squeezed(text_of(one)), test::squeezed(expected));

  const std::string several =
      kMesh + "--type all_reduce --parallelism 'MP(2)-DP(5)-PP(2)' --class mp,all --size 300kB";
  expected =
      "all_reduce of 10 groups of 2 NPUs on wafer mesh 5x4, class mp\n"
      "all_reduce of 20 NPUs on wafer mesh 5x4, class dp\nall of these at once\n" +
      head("first group");
  const json report = json_of(several);
  EXPECT_EQ(report["class"], "mp,dp");
  EXPECT_EQ(report["group_size"], 2);
  for (const json& row : report["rows"]) {
    expect_of_groups(row);
    expected +=
        line_of(row, fastest_text(row), chunks_text(row) + ", class " + row["class"].get<std::string>());
  }
  EXPECT_EQ(test::squeezed(text_of(several)), test::squeezed(expected));

  const std::string at_once = kMesh + "--type all_reduce --parallelism 'DP(5)-PP(4)' --class dp --size 600kB";
  expected = "all_reduce of 4 groups at once of 5 NPUs on wafer mesh 5x4, class dp\n" + head("first group");
  const json row = json_of(at_once)["rows"][0];
  EXPECT_EQ(test::squeezed(text_of(at_once)),
            test::squeezed(expected + line_of(row, fastest_text(row), chunks_text(row))));
}

TEST(CollectiveReport, WithoutASizeItIsAMebibyteAndOfABarrierNothing) {
  EXPECT_EQ(json_of(kMesh + "--npus 0-3 --type broadcast")["rows"][0]["bytes"], 1 << 20);
  const json report = json_of(kMesh + "--npus 0-3 --type barrier");
  const json& row = report["rows"][0];
  EXPECT_EQ(row["bytes"], 0);
  EXPECT_EQ(row["bus_bandwidth_bytes_per_s"], 0.0);
  EXPECT_EQ("note: " + report["notes"][0].get<std::string>() + "\n", kMostlyLatency);
  EXPECT_EQ(test::squeezed(text_of(kMesh + "--npus 0-3 --type barrier")),
            test::squeezed("barrier of 4 NPUs on wafer mesh 5x4, class dp\n" + head("first group") +
                           line_of(row, fastest_text(row), chunks_text(row)) + kMostlyLatency));
  // With costs of endpoints nothing is missing.
  EXPECT_EQ(json_of(kMesh + "--npus 0-3 --type barrier --set npu.endpoint.launch_cost=1us")["notes"].size(),
            0U);
}

// Nothing is to be done, in no time; what would be divided by it is not there.
TEST(CollectiveReport, OfOneNpuTakesNoTime) {
  const std::string run =
      kMesh + "--npus 3 --type all_gather --size 4KiB --set npu.endpoint.receive_cost=1us";
  const json report = json_of(run), &row = report["rows"][0];
  for (const char* const key : {"time_ps", "predicted_ps", "bound_ps", "fastest_group_ps", "packet_hops"})
    EXPECT_EQ(row[key], 0) << key;
  EXPECT_EQ(row["algorithm_bandwidth_bytes_per_s"], 0.0);
  EXPECT_TRUE(row["time_over_bound"].is_null() && row["time_over_predicted"].is_null());
  EXPECT_EQ(test::squeezed(text_of(run)),
            test::squeezed("all_gather of 1 NPUs on wafer mesh 5x4, class dp\n" + head("first group") +
                           line_of(row, fastest_text(row), chunks_text(row))));
}

TEST(CollectiveReport, AStreamHasALineOfEachSixChannels) {
  const std::string run = kMesh + "--type weight_load --size 180kB --class dp";
  const json report = json_of(run), &row = report["rows"][0];
  EXPECT_EQ(report["class"], "dp");
  EXPECT_EQ(report["group_size"], 20);
  EXPECT_EQ(row["class"], "dp");
  expect_consistent(row, 1);
  // 18 controllers of 128 GB/s; each carries a share of 10 kB.
  expect_near(row["line_rate_bytes_per_s"], 18 * 128e9);
  expect_near(row["fraction_of_line_rate"], row["algorithm_bandwidth_bytes_per_s"].get<double>() / 2.304e12);
  EXPECT_EQ(row["planned_busiest_link_bytes"], row["busiest_link_shares"].get<int>() * 10'000);
  std::string expected = "weight_load over 18 controllers of 128.0 GB/s on wafer mesh 5x4, class dp\n" +
                         head("of line") +
                         line_of(row, fmt::format("{:.4f}", row["fraction_of_line_rate"].get<double>()), "") +
                         fmt::format("           chunks of 4 KiB, busiest link {} shares = {}; channels end:",
                                     row["busiest_link_shares"].get<int>(),
                                     format_bytes(row["busiest_link_payload_bytes"].get<std::uint64_t>()));
  EXPECT_EQ(row["chunk_bytes"], 4096);
  std::uint64_t slowest = 0;
  for (std::size_t k = 0; k < 18; ++k) {
    const json& channel = row["channels"][k];
    EXPECT_EQ(channel["name"], "io" + std::to_string(k));
    EXPECT_EQ(channel["bytes"], 10'000);
    expect_near(channel["time_s"], channel["time_ps"].get<double>() * 1e-12);
    slowest = std::max(slowest, channel["time_ps"].get<std::uint64_t>());
    expected += (k % 6 == 0 ? "\n           " : "  ") + channel["name"].get<std::string>() + " " +
                format_time(channel["time_ps"].get<TimePs>());
  }
  EXPECT_EQ(row["time_ps"], slowest);
  EXPECT_EQ(test::squeezed(text_of(run)), test::squeezed(expected + "\n"));
}

// 24 KiB for each 40 ns and a packet's 5.46 ns are 540.6 of 750 GB/s: the line waits for the rest.
TEST(CollectiveReport, SaysHowLongALineHadNoCredit) {
  const std::string run = kMesh +
                          "--type all_reduce --npus 0,1 --size 16MiB --algorithm ring --set "
                          "'wafer.fabric.input_buffer=24 KiB'";
  const json report = json_of(run), &row = report["rows"][0];
  EXPECT_EQ(row["starved_link"]["name"], "router0->router1");
  const double blocked = row["starved_link"]["blocked_fraction"]["credit"];
  EXPECT_NEAR(blocked, 1 - 540.6 / 750, 0.001);
  ASSERT_EQ(report["notes"].size(), 1U);
  EXPECT_EQ(test::squeezed(text_of(run)),
            test::squeezed("all_reduce of 2 NPUs on wafer mesh 5x4, class dp\nnote: " +
                           report["notes"][0].get<std::string>() + "\n" + head("first group") +
                           line_of(row, fastest_text(row), chunks_text(row)) +
                           fmt::format("           no credit: router0->router1 idle for {:.2f} % of the "
                                       "time with a packet ready\n",
                                       100 * blocked)));
}

TEST(CollectiveReport, SaysWhatGoBackNRepeated) {
  const std::string run = kMesh + "--type all_reduce --size 64KiB --set wafer.fabric.bit_error_rate=1e-7";
  const json of = json_of(run)["rows"][0]["reliability"];
  EXPECT_EQ(of["bit_error_rate"], 1e-7);
  const double sent = of["sent_bytes"], again = of["retransmitted_bytes"];
  EXPECT_GT(again, 0);
  expect_near(of["goodput"], (sent - again) / sent);
  const auto bytes = [&](const char* key) { return format_bytes(of[key].get<std::uint64_t>()); };
  EXPECT_NE(text_of(run).find(fmt::format(
                "\n           goodput {:.4f} at a bit error rate of 1e-07: {} sent, {} of it again, {} "
                "discarded\n",
                (sent - again) / sent, bytes("sent_bytes"), bytes("retransmitted_bytes"),
                bytes("discarded_bytes"))),
            std::string::npos)
      << text_of(run);
}

TEST(CollectiveReport, ChoicesAreATableOfTheirJson) {
  const std::string choices = kMesh + "--npus 0-4,7 --type all_gather --choices --size 1KiB,1MiB";
  const json rows = json_of(choices)["rows"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["bytes"], 1024);
  EXPECT_EQ(rows[1]["group_size"], 6);
  std::string expected = "size ranks algorithm chunks predicted bound /bound\n";
  for (const json& row : rows)
    expected += fmt::format("{} {} {} {} {} {} {:.3f}\n", format_bytes(row["bytes"].get<std::uint64_t>()),
                            row["group_size"].get<int>(), row["algorithm"].get<std::string>(),
                            row["chunks"].get<int>(), format_time(row["predicted_ps"].get<TimePs>()),
                            format_time(row["bound_ps"].get<TimePs>()),
                            row["predicted_ps"].get<double>() / row["bound_ps"].get<double>());
  EXPECT_EQ(test::squeezed(text_of(choices)), test::squeezed(expected));
  // As it is when it is run.
  const json run = json_of(kMesh + "--npus 0-4,7 --type all_gather --size 1KiB,1MiB")["rows"];
  for (std::size_t k = 0; k < 2; ++k)
    for (const char* const key : {"algorithm", "chunks", "predicted_ps", "bound_ps"})
      EXPECT_EQ(rows[k][key], run[k][key]) << key;
  const ToolResult stream = run_tool(kMesh + "--type weight_load --choices");
  EXPECT_EQ(stream.exit_code, 2);
  EXPECT_NE(stream.error.find("a stream over the I/O controllers has one algorithm"), std::string::npos);
}

// In the ring of five L1 switches that the pairs make, the last two of ten find no route.
TEST(CollectiveReport, ATimeOfDecomposedGroupsIsThatOfTheirSteps) {
  const std::string run = kFredD +
                          "--type all_reduce --size 64KiB --parallelism 'MP(10)-DP(2)' --class dp --set "
                          "wafer.fabric.middle_switches=2 --set wafer.fabric.flow_conflict=decompose";
  const json row = json_of(run)["rows"][0];
  expect_of_groups(row);
  expect_consistent(row, 1);
  double network = 0, steps = 0;
  for (std::size_t k = 0; k < 10; ++k) {
    const json& group = row["groups"][k];
    const bool decomposed = group["algorithm"] != "in_network";
    EXPECT_EQ(decomposed, k >= 8);
    (decomposed ? steps : network) = group["predicted_s"];
  }
  EXPECT_GT(steps, 1.2 * network);
  EXPECT_EQ(row["predicted_s"], steps);
  EXPECT_EQ(row["algorithm"],
            "in_network; 2 of 10 groups " + row["groups"][9]["algorithm"].get<std::string>());
}

TEST(CollectiveReport, ARandomPlacementDependsOnItsSeed) {
  const std::string run = kMesh +
                          "--type all_reduce --size 4KiB --parallelism 'MP(2)-DP(5)-PP(2)' --class mp "
                          "--placement random ";
  const auto groups = [&](const std::string& seed) {
    std::vector<json> npus;
    const json row = json_of(run + seed)["rows"][0];
    for (const json& group : row["groups"]) npus.push_back(group["npus"]);
    return npus;
  };
  EXPECT_EQ(groups("--seed 5"), groups("--set run.seed=5"));
  EXPECT_EQ(groups("--seed 5"), groups("--seed 5 --set run.seed=6"));
  EXPECT_NE(groups("--seed 5"), groups("--seed 6"));
  const ToolResult bad = run_tool(run + "--seed 5x");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.error.find("--seed 5x: expected a whole number"), std::string::npos) << bad.error;
}

}  // namespace
}  // namespace wafertlm
