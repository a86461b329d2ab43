// SPDX-License-Identifier: Apache-2.0
// `wafertlm rtl`: a recording of a run, played into the RTL alone. Needs Verilator in the program.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "models/rtl/clock.h"
#include "models/rtl/design.h"
#include "models/rtl/recording.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

using nlohmann::json;
using test::run_tool;
using test::ToolResult;

class RtlReplay : public testing::Test {
 protected:
  test::TempFolder folder_;
  const std::string recording_ = folder_.path() + "/chip.rec";

  void SetUp() override {
    if (!rtl_is_built()) GTEST_SKIP() << "no Verilator in this program";
  }
  static std::string run_of(const std::string& rtl) {
    return "collective " WAFERTLM_SOURCE_DIR
           "/configs/platforms/fred_d_physical.yaml --type all_reduce --size 16KiB --set "
           "'wafer.fabric.rtl=[" +
           rtl + "]'";
  }
  /// An all-reduce through the chip, with its RTL beside it.
  json recorded() {
    const ToolResult result = run_tool(
        run_of("{switch: l1_0_2, view: both, design: fred3_12, tolerance: none, record: " + recording_ +
               "}") +
        " --json");
    EXPECT_EQ(result.exit_code, 0) << result.error;
    return json::parse(result.out)["rows"][0]["rtl"][0];
  }
  ToolResult replay(const std::string& options) {
    return run_tool("rtl replay " + recording_ + " --design fred3_12 " + options);
  }
};

// The same packets, later: nothing is lost, and nothing said of times.
TEST_F(RtlReplay, PortsThatStandStillChangeTimesOnly) {
  recorded();
  const json usual = json::parse(replay("--json").out);
  std::vector<json> stalled;
  for (const char* seed : {"1", "2", "1"}) {
    const ToolResult result = replay("--json --stalls " + std::string(seed));
    ASSERT_EQ(result.exit_code, 0) << result.error;
    stalled.push_back(json::parse(result.out));
    EXPECT_EQ(stalled.back()["packets_compared"], usual["packets_compared"]);
    EXPECT_GT(stalled.back()["data_compared"], 0);
    EXPECT_TRUE(stalled.back()["equal"]);
    EXPECT_GT(stalled.back()["cycles"], usual["cycles"]);
  }
  EXPECT_EQ(stalled[0], stalled[2]);
  EXPECT_NE(stalled[0], stalled[1]);
  EXPECT_EQ(replay("--stalls 1 --tolerance 75").exit_code, 2);
  EXPECT_EQ(replay("--stalls -1").exit_code, 2);
  EXPECT_EQ(run_tool("rtl stress fred3_12 --long-cycles -5").exit_code, 2);
}

TEST_F(RtlReplay, SeesWhatTheRunSaw) {
  const json run = recorded();
  EXPECT_EQ(run["switch"], "l1_0_2");
  EXPECT_EQ(run["view"], "both");
  EXPECT_EQ(run["design"], "fred3_12");
  EXPECT_EQ(run["clock_hz"], 75'000'000'000) << "600 GB/s in flits of 8 B";
  const ToolResult replayed = replay("--json");
  ASSERT_EQ(replayed.exit_code, 0) << replayed.error;
  json again = json::parse(replayed.out);
  EXPECT_EQ(again["packets_in"], run["packets_in"]);
  EXPECT_EQ(again["cycles"], run["cycles"]);
  EXPECT_EQ(again["properties"], run["properties"]);
  again.erase("properties");
  again.erase("packets_in");
  again.erase("cycles");
  EXPECT_EQ(again, run["scoreboard"]);
  EXPECT_TRUE(again["equal"].get<bool>());
  // Four contributions become one, and the result comes back for all four.
  EXPECT_EQ(run["packets_in"], 5);
  EXPECT_EQ(again["packets_compared"], 5);
  EXPECT_EQ(again["data_compared"], 5);
  EXPECT_EQ(again["latency_difference_cycles"], (json{{{"cycles", 9}, {"packets", 5}}}));
  // 9 and 0.6 cycles of 13.33 ps: heads come at an edge.
  EXPECT_NEAR(again["rtl_mean_latency_s"].get<double>(), 128e-12, 1e-15);
  EXPECT_NEAR(again["largest_difference_s"].get<double>(), 128e-12, 1e-15);
  const std::string text = replay("").out;
  EXPECT_EQ(text.rfind(fmt::format("{}: 5 packets into fred3_12 of l1_0_2, {} cycles\n  pipeline ",
                                   recording_, run["cycles"].get<int>()),
                       0),
            0U)
      << text;
  EXPECT_NE(text.find("\nscoreboard of l1_0_2: data equal, times not judged\n"), std::string::npos) << text;
}

TEST_F(RtlReplay, TheRunSaysWhatTheChipDid) {
  const json run = recorded();
  const ToolResult result =
      run_tool(run_of("{switch: l1_0_2, view: both, design: fred3_12, tolerance: none}"));
  ASSERT_EQ(result.exit_code, 0) << result.error;
  const std::string begin = fmt::format(
      "\nRTL of l1_0_2: view both, design fred3_12, clock 75000 MHz, 5 packets in, {} cycles\n"
      // The model has no pipeline; 44,768 and 8,192 B; packets of any size.
      "  pipeline                  TLM 0 ps, RTL 120 ps (LATENCY=9) — DIFFERS; equal with a pipeline of 120 "
      "ps "
      "in the fabric, or LATENCY\n"
      "  rate of a port            TLM 600000000000 B/s, RTL 8 B x 75000000000 Hz\n"
      "  flit                      TLM packets are not rounded, RTL 8 B — DIFFERS; equal with "
      "wafer.fabric.flit_bytes=8B\n"
      "  flits per packet          TLM 512 (4096 B with 0 B of header), RTL 512 (the header is beside them)\n"
      "  room at an input          TLM 5596 flits, RTL 1024 flits (DEPTH) — DIFFERS; equal with "
      "wafer.fabric.input_buffer=8192B, or DEPTH\n",
      run["cycles"].get<int>());
  const std::size_t at = result.out.find(begin),
                    speed = result.out.find("\n  speed                     a packet through the RTL ");
  ASSERT_NE(at, std::string::npos) << result.out;
  EXPECT_NE(speed, std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("  recording "), std::string::npos) << "a temporary one";
  ASSERT_EQ(run["properties"].size(), 9U);
  EXPECT_EQ(run["properties"][2], (json{{"property", "flit"},
                                        {"tlm", "packets are not rounded"},
                                        {"rtl", "8 B"},
                                        {"differs", true},
                                        {"set", "wafer.fabric.flit_bytes=8B"}}));
  // RTL alone: what leaves is compared with what came in.
  const ToolResult alone = run_tool(run_of("{switch: l1_0_2, view: rtl, design: fred3_12}"));
  ASSERT_EQ(alone.exit_code, 0) << alone.error;
  EXPECT_NE(alone.out.find("\nRTL of l1_0_2: view rtl, design fred3_12, clock 75000 MHz, 5 packets in, "),
            std::string::npos)
      << alone.out;
  EXPECT_NE(alone.out.find("\nscoreboard of l1_0_2: data equal, times not compared (no model beside it)\n"
                           "  packets                   5, data of 5 compared with what came in\n"),
            std::string::npos)
      << alone.out;
}

/// What a waveform shows: of each scope from when to when which flow, sequence and bytes are there.
using Shown = std::map<
    std::string,
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>>>;
Shown shown_in(const std::string& vcd) {
  std::map<std::string, std::pair<std::string, std::string>> signals;  // id: scope, name
  std::map<std::string, std::map<std::string, std::uint64_t>> values;
  std::map<std::string, std::uint64_t> since;
  Shown shown;
  std::istringstream lines(vcd);
  std::string scope;
  std::uint64_t now = 0;
  // What happens at one time holds at its end.
  std::map<std::string, std::uint64_t> valid_now;
  const auto settle = [&] {
    for (const auto& [of, valid] : valid_now) {
      if (valid == 1)
        since[of] = now;
      else if (since.count(of) == 1)
        shown[of].emplace_back(since[of], now, values[of]["flow"], values[of]["sequence"],
                               values[of]["bytes"]),
            since.erase(of);
    }
    valid_now.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, second, third, id, name;
    words >> first;
    if (first == "$scope") {
      words >> second >> scope;
    } else if (first == "$var") {
      words >> second >> third >> id >> name;
      if (const std::size_t at = scope.find("_tlm_"); at != std::string::npos)
        signals[id] = {scope.substr(at + 5), name};
    } else if (first[0] == '#') {
      settle();
      now = std::stoull(first.substr(1));
    } else if (first[0] == 'b') {
      words >> id;
      if (signals.count(id) == 1 && first.find('x') == std::string::npos)
        values[signals[id].first][signals[id].second] = std::stoull(first.substr(1), nullptr, 2);
    } else if ((first[0] == '0' || first[0] == '1') && signals.count(first.substr(1)) == 1) {
      valid_now[signals[first.substr(1)].first] = first[0] == '1' ? 1 : 0;
    }
  }
  settle();
  return shown;
}

// The RTL is 128 ps later than the model, which 1 ps does not allow.
TEST_F(RtlReplay, ADivergenceIsShownInWaveforms) {
  recorded();
  for (const TimePs window : {500U, 8'000U}) {
    const std::string waves = folder_.path() + "/w" + std::to_string(window) + ".vcd";
    const ToolResult result = replay(fmt::format("--tolerance 0 --window {}ps --waves {}", window, waves));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.error,
              fmt::format("waveform {0}   (gtkwave {0} {0}.gtkw)\nwafertlm: the RTL differs from "
                          "the model in 5 places\n",
                          waves));
    // The first head leaves at 21,366 ps.
    const TimePs from = 21'366 > window ? 21'366 - window : 0, to = 21'366 + window;
    Shown expected;
    RtlRecordingReader recording(recording_);
    for (RtlEvent event; recording.next(event);) {
      const bool arrives = event.kind == RtlEvent::Kind::arrive;
      if (!arrives && event.kind != RtlEvent::Kind::leave) continue;
      // 512 flits at 75 GHz.
      const TimePs tail = event.tail_ps;
      EXPECT_TRUE(arrives || tail == event.head_ps + 6827) << tail;
      if (event.now_ps > to || tail < from || event.head_ps > to) continue;
      expected[(arrives ? "in" : "out") + std::to_string(event.port)].emplace_back(
          std::max(event.head_ps, from), std::min(tail, to), event.flow, event.sequence, event.bytes);
    }
    EXPECT_GE(expected.size(), 5U);
    EXPECT_EQ(shown_in(test::read_text(waves)), expected) << window;
  }
}

/// The times at which a signal of this name, the outermost, changes to 1 and to 0.
std::pair<std::vector<TimePs>, std::vector<TimePs>> edges_of(const std::string& name,
                                                             const std::string& vcd) {
  std::pair<std::vector<TimePs>, std::vector<TimePs>> edges;
  std::istringstream lines(vcd);
  std::string id;
  TimePs now = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, type, bits, code, what;
    words >> first >> type >> bits >> code >> what;
    if (first == "$var" && what == name && id.empty()) id = code;
    if (first[0] == '#') now = std::stoull(first.substr(1));
    if (!id.empty() && first == "1" + id) edges.first.push_back(now);
    if (!id.empty() && first == "0" + id) edges.second.push_back(now);
  }
  return edges;
}

// A window is shown of a run that finds nothing as well. The clock of 75 GHz rises at each edge and falls 7
// ps later.
TEST_F(RtlReplay, AWindowOfCyclesIsShownWithItsClock) {
  recorded();
  const std::string waves = folder_.path() + "/w.vcd";
  const ToolResult result = replay("--waves-window 1600:1619 --waves " + waves);
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.error, fmt::format("waveform {0}   (gtkwave {0} {0}.gtkw)\n", waves));
  const std::string vcd = test::read_text(waves);
  const auto [rises, falls] = edges_of("clk", vcd);
  const RtlClock clock{75'000'000'000};
  // It stands until the packets come, in cycle 1603.
  std::vector<TimePs> expected;
  for (std::uint64_t cycle = 1603; cycle < 1620; ++cycle) expected.push_back(clock.edge_ps(cycle));
  EXPECT_EQ(rises, expected);
  for (TimePs& each : expected) each += 7;
  EXPECT_EQ(falls, expected);
  EXPECT_EQ(test::read_text(waves + ".packets.txt"),
            "00000000 -\n00000001 0+1+2+3 -> flow, collective 1 flow 0, packet 1\n");
  const std::string view = test::read_text(waves + ".gtkw");
  const std::size_t model = view.find("-input 3\n"), pins = view.find("-TLM: packets, in numbers\n"),
                    wires = view.find("-RTL: pins\n");
  EXPECT_LT(model, pins);
  EXPECT_LT(pins, wires);
  EXPECT_NE(view.find("@2022\n^1 " + waves +
                      ".packets.txt\n+{RTL packet} l1_0_2_pins_in3.packet[31:0]\n@28\n#{in_valid} "
                      "(8)rtl_again.fred_switch.in_valid[11:0]\n"),
            std::string::npos)
      << view;
  EXPECT_NE(view.find("@28\nrtl_again.fred_switch.clk\n"), std::string::npos) << view;
  EXPECT_NE(view.find("@22\nrtl_again.fred_switch.in_header[767:0]\n"), std::string::npos) << view;
  const ToolResult wrong = replay("--waves-window 20:10 --waves " + waves);
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.error, "wafertlm: --waves-window 20:10: the first cycle is behind the last; write 10:20\n");
}

TEST_F(RtlReplay, AToleranceOfTheRunIsThatOfItsReplay) {
  const ToolResult result =
      run_tool(run_of("{switch: l1_0_2, view: both, design: fred3_12, tolerance: 0, window: 1 ns, record: " +
                      recording_ + "}"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(
      result.error.find(
          "the RTL of l1_0_2 differs from the model in 5 places, first time at 21366 ps, l1_0_2, output 4 "
          "(l1_0_2->l2_4_0): packet 1 of NPUs 0, 1, 2, 3, in-network flow 0 of collective 1, inputs 0, 1, "
          "2, 3 (flow 0, sequence 0): expected head at 21366 ps"),
      std::string::npos)
      << result.error;
  EXPECT_EQ(replay("--window 1ns --waves " + folder_.path() + "/w.vcd").exit_code, 1);
  EXPECT_EQ(replay("--tolerance 75").exit_code, 0);
  for (const char* const file : {"rtl_l1_0_2.vcd", "rtl_l1_0_2.vcd.gtkw", "rtl_l1_0_2.vcd.packets.txt"})
    EXPECT_EQ(std::remove(file), 0) << file;
}

// The benches run in tests/rtl/sv.
TEST_F(RtlReplay, IsExportedAsText) {
  recorded();
  const std::string out = folder_.path() + "/stimulus";
  const ToolResult result = run_tool("rtl export " + recording_ + " --design fred3_12 -o " + out);
  ASSERT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.out.rfind(
                recording_ + ": 5 packets in, 5 out, for fred_switch\n  " + out + "/stimulus.txt\n", 0),
            0U)
      << result.out;
  const std::string text = test::read_text(out + "/stimulus.txt");
  for (const char* const line :
       {"\ncycle 0: configuration of entry 0, word 0 = 0000000f   (config.hex line 1)\n",
        "\ncycle 1603: input 3, channel 6: packet 1 of NPUs 0, 1, 2, 3, in-network flow 0 of collective 1, "
        "inputs 0, "
        "1, 2, 3; flow 0, number 0, 4096 B in 512 flits   (packets.hex line 4)\n",
        "\ncycle 5106: output 4, channel 6: room for 512 flits\n",
        "\nexpected: output 4: packet 1 of NPUs 0, 1, 2, 3, in-network flow 0 of collective 1, inputs 0, 1, "
        "2, 3; flow "
        "0, number 0, its head in cycle 1603 of the model   (expected.hex line 1)\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line;
}

// Credits come back as many cycles early as the switch takes: a limit of 0 makes the first packet a failure.
TEST_F(RtlReplay, StressShowsThePacketsOfAFailure) {
  const std::string waves = folder_.path() + "/s.vcd";
  const ToolResult result = run_tool("rtl stress fred3_12 --early-credits 0 --cases 1 --waves " + waves);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.error,
            fmt::format("waveform {0}   (gtkwave {0} {0}.gtkw)\nwafertlm: stress found a fault in fred3_12\n",
                        waves));
  const std::string names = test::read_text(waves + ".packets.txt");
  EXPECT_EQ(names.rfind("00000000 -\n00000001 packet ", 0), 0U) << names;
  EXPECT_NE(names.find(" to output "), std::string::npos) << names;
  const auto [rises, falls] = edges_of("clk", test::read_text(waves));
  ASSERT_GE(rises.size(), 9U);
  for (std::size_t i = 0; i < falls.size(); ++i) EXPECT_EQ(falls[i], rises[i] + 500);
}

TEST_F(RtlReplay, DesignsAreListed) {
  const ToolResult result = run_tool("rtl designs");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("fred3_12     fred_switch credit_stream, P=12 M=3 "), std::string::npos)
      << result.out;
  EXPECT_EQ(run_tool("rtl replay /no/such/file --design fred3_12").exit_code, 2);
}

}  // namespace
}  // namespace wafertlm
