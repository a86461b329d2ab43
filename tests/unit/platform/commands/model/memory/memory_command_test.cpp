// SPDX-License-Identifier: Apache-2.0
// `wafertlm model memory`, beside the same measurement without the command.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "platform/commands/model/memory/memory_study.h"
#include "platform/spec/load.h"
#include "platform/spec/npu_spec.h"
#include "platform/text/format.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using test::run_tool;
using test::ToolResult;

nlohmann::json json_of(const std::string& arguments, int exit_code = 0) {
  const ToolResult result = run_tool("model memory " + arguments + " --json");
  EXPECT_EQ(result.exit_code, exit_code) << result.error;
  return nlohmann::json::parse(result.out);
}

void expect_text(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
}

const std::string kMap = "channel row bank group:1 column group:1";

ClosedLoop::Result run_again(const ClosedLoop& loop, std::uint64_t requests, const DramParams& params) {
  DramMemory memory(params);
  return loop.run_all(memory, requests);
}

TEST(MemoryCommand, StreamsWhatItsOptionsSay) {
  DramParams params;
  params.timing = dram_timing("hbm2");
  const std::uint64_t span = std::uint64_t{1} << 33;
  const auto expect = [&](const std::string& options, const ClosedLoop& loop, std::uint64_t requests) {
    const nlohmann::json json = json_of("stream hbm2 " + options);
    const ClosedLoop::Result again = run_again(loop, requests, params);
    EXPECT_DOUBLE_EQ(json["delivered_bytes_per_s"].get<double>(), again.bytes_per_s()) << options;
    EXPECT_DOUBLE_EQ(json["latency_s"].get<double>(), seconds(again.latency_ps)) << options;
    EXPECT_DOUBLE_EQ(json["worst_latency_s"].get<double>(), seconds(again.worst_latency_ps)) << options;
    EXPECT_EQ(json["channels"], params.map.stacks * params.timing.pseudo_channels);
    // 256 GB/s a stack.
    EXPECT_EQ(json["bandwidth_bytes_per_s"], params.map.stacks * 256'000'000'000);
    std::uint64_t sum = 0;
    for (const auto& part : json["time_of_all_channels_fs"]) sum += part.get<std::uint64_t>();
    EXPECT_EQ(sum, json["channels"].get<std::uint64_t>() * json["channel_time_fs"].get<std::uint64_t>());
    EXPECT_GE(json["channel_time_fs"].get<std::uint64_t>(), again.time_ps * 1000);
  };
  expect("", {65'536, 65'536, 0, 16, span, 1}, 2000);
  params.map.stacks = 2;
  params.queue.refresh = DramRefresh::all_bank;
  expect("--stacks 2 --refresh all_bank --bytes 4096 --stride 3 --writes 25 --outstanding 5 --requests 300",
         {4096, 3 * 4096, 25, 5, span, 1}, 300);
  params.map = {1, kMap};
  params.level = DramLevel::command;
  params.queue.refresh = DramRefresh::per_bank;
  expect("--map '" + kMap + "' --level command --bytes 256 --stride 0 --requests 200",
         {256, 0, 0, 16, span, 1}, 200);
}

// A row of 1 KiB is open while its 32 bursts come one after the other: 31 of 32 find it open.
TEST(MemoryCommand, PrintsOfTheStreamWhatTheJsonHas) {
  const std::string options =
      "stream hbm2 --map 'channel row bank group:1 column group:1' --bytes 128 "
      "--writes 40 --outstanding 3 --requests 500";
  const nlohmann::json json = json_of(options);
  const ToolResult result = run_tool("model memory " + options);
  const double rate = json["delivered_bytes_per_s"], whole = json["bandwidth_bytes_per_s"],
               latency = json["latency_s"], worst = json["worst_latency_s"];
  expect_text(result.out,
              fmt::format("1 x hbm2: {:.1f} GB/s of 256.0 GB/s ({:.1f} %), latency {} in the mean, "
                          "{} at worst\nWhere the time of the 16 data buses went",
                          rate / 1e9, rate / whole * 100,
                          format_time(static_cast<TimePs>(std::llround(latency * 1e12))),
                          format_time(static_cast<TimePs>(std::llround(worst * 1e12)))));
  const double all = json["channels"].get<double>() * json["channel_time_fs"].get<double>();
  for (const auto& [name, fs] : json["time_of_all_channels_fs"].items()) {
    const std::string line = fmt::format("\n  {:<20} {:>6.2f} %\n", name, 100 * fs.get<double>() / all);
    EXPECT_EQ(result.out.find(line) != std::string::npos, fs != 0) << line << result.out;
  }
  const double visits = json["row_visits"], hits = json["row_hits"];
  EXPECT_GT(hits, 0);
  expect_text(result.out,
              fmt::format("\n{:.0f} row visits, {:.1f} % in an open row; ", visits, 100 * hits / visits));
}

TEST(MemoryCommand, ComparesOneOfSoManyPoints) {
  const std::vector<ClosedLoop> points = burst_command_points();
  const nlohmann::json json = json_of("compare hbm3 --every 64");
  EXPECT_EQ(json["generation"], "hbm3");
  ASSERT_EQ(json["burst_command"].size(), 3U);
  EXPECT_EQ(json["flow_burst"].size(), 0U);
  const ToolResult text = run_tool("model memory compare hbm3 --every 64");
  expect_text(text.out, "hbm3: part of the pins' bandwidth that requests get\n\nA pseudo-channel by bursts");
  double worst = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const LevelComparison row =
        burst_against_command(dram_timing("hbm3"), points[64 * k], DramRefresh::per_bank);
    EXPECT_EQ(json["burst_command"][k], (nlohmann::json{{"bytes", row.loop.bytes},
                                                        {"stride", row.loop.stride},
                                                        {"writes_percent", row.loop.writes_percent},
                                                        {"outstanding", row.loop.outstanding},
                                                        {"burst", row.fast},
                                                        {"command", row.detailed},
                                                        {"error_percent", row.error_percent()}}));
    expect_text(text.out,
                fmt::format("\n  {:>7} {:>7} {:>5} % {:>11} {:>7.2f} % {:>7.2f} % {:>+6.2f} %\n",
                            row.loop.bytes, row.loop.stride / row.loop.bytes, row.loop.writes_percent,
                            row.loop.outstanding, 100 * row.fast, 100 * row.detailed, row.error_percent()));
    worst = std::max(worst, std::abs(row.error_percent()));
  }
  EXPECT_GT(worst, 0);
  expect_text(text.out, fmt::format("\n  3 of 3 within 3 %; worst {:.2f} %\n", worst));
  const nlohmann::json all_bank = json_of("compare hbm3 --every 192 --refresh all_bank");
  EXPECT_EQ(all_bank["burst_command"][0]["burst"],
            burst_against_command(dram_timing("hbm3"), points[0], DramRefresh::all_bank).fast);
}

// A table that says twice as much as there is: code 1, and the rows beyond the limit are marked.
TEST(MemoryCommand, ATableThatIsFarOffIsAnError) {
  const test::TempFolder folder;
  config::EfficiencySpec spec = config::load_efficiency(WAFERTLM_SOURCE_DIR "/configs/memory/hbm2.yaml");
  const EfficiencyTable good = config::efficiency_table(spec);
  EfficiencyTable bad = good;
  for (EfficiencyTable::Row& row : bad.rows)
    for (double& each : row.efficiency) each = std::min(2 * each, 1.0);
  const std::string file = folder.write("bad.yaml", efficiency_yaml(dram_timing("hbm2"), bad));
  const std::string options = "compare hbm2 --every 150 --stacks 2 --table ";
  const nlohmann::json json = json_of(options + file, 1);
  ASSERT_EQ(json["flow_burst"].size(), 2U);
  const ToolResult text = run_tool("model memory " + options + file);
  EXPECT_EQ(text.exit_code, 1);
  expect_text(text.out, "\nBy flow against bursts\n");
  std::size_t beyond = 0;
  for (const auto& row : json["flow_burst"]) {
    const double error = row["error_percent"];
    EXPECT_NEAR(error, 100 * (row["flow"].get<double>() / row["burst"].get<double>() - 1), 1e-9);
    beyond += std::abs(error) > 5 ? 1 : 0;
    expect_text(text.out,
                fmt::format("{:>7.2f} % {:>7.2f} % {:>+6.2f} %{}\n", 100 * row["flow"].get<double>(),
                            100 * row["burst"].get<double>(), error, std::abs(error) > 5 ? "  <" : ""));
  }
  EXPECT_GT(beyond, 0U);
  expect_text(text.out, fmt::format("\n  {} of 2 within 5 %; worst ", 2 - beyond));
  const nlohmann::json right =
      json_of("compare hbm2 --every 150 --stacks 2 --table " WAFERTLM_SOURCE_DIR "/configs/memory/hbm2.yaml");
  const LevelComparison again = flow_against_burst(dram_timing("hbm2"), good, 2, flow_burst_points()[150]);
  EXPECT_EQ(right["flow_burst"][1]["flow"], again.fast);
  EXPECT_EQ(right["flow_burst"][1]["burst"], again.detailed);
  const ToolResult other = run_tool("model memory compare hbm3 --every 192 --table " + file);
  EXPECT_EQ(other.exit_code, 2);
  expect_text(other.error, file + " is not the table of hbm3");
}

TEST(MemoryCommand, RefusesWhatIsOutOfRange) {
  for (const char* const arguments : {"",
                                      "stream hbm9",
                                      "stream hbm2 --stacks 0",
                                      "stream hbm2 --stacks 17",
                                      "stream hbm2 --bytes 0",
                                      "stream hbm2 --bytes 1048577",
                                      "stream hbm2 --stride 1048577",
                                      "stream hbm2 --writes 101",
                                      "stream hbm2 --outstanding 0",
                                      "stream hbm2 --outstanding 4097",
                                      "stream hbm2 --requests 0",
                                      "stream hbm2 --level flow",
                                      "stream hbm2 --refresh none",
                                      "stream hbm2 --map nothing",
                                      "compare hbm2 --stacks 17",
                                      "compare hbm2 --every 0",
                                      "compare hbm2 --every 193",
                                      "stream",
                                      "compare",
                                      "table",
                                      "table hbm5"}) {
    const ToolResult result = run_tool(std::string("model memory ") + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

}  // namespace
}  // namespace wafertlm
