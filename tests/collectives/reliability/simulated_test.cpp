// SPDX-License-Identifier: Apache-2.0
// Go-Back-N on whole platforms: the values are right, the bytes add up, and nothing depends on who is built
// first.
#include <gtest/gtest.h>

#include "platform/machine/machine.h"
#include "platform/machine/reliability.h"
#include "platform/machine/wafer.h"
#include "tests/collectives/simulated.h"
#include "tests/support/program_run.h"

namespace wafertlm {
namespace {

config::PlatformSpec spec_of(const std::string& name, std::vector<std::string> overrides) {
  return config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + name + ".yaml",
                               overrides);
}

nlohmann::json run(const config::PlatformSpec& spec, std::uint64_t bytes, const Group& group,
                   bool reverse = false) {
  return run_in_child([&]() -> nlohmann::json {
    const CollectiveResult result =
        run_collective(spec, {CollectiveType::all_reduce, group, bytes, "", 0, 0, {}}, "dp", reverse);
    nlohmann::json json = {{"time", result.time_ps}, {"proven", result.proven}, {"events", result.events}};
    if (result.reliability) json["of"] = to_json(*result.reliability, 0);
    return json;
  });
}

class ReliablePlatform : public testing::TestWithParam<const char*> {};

TEST_P(ReliablePlatform, ProvesItsValues) {
  for (const char* type : {"int32", "bf16"}) {
    const auto result =
        run(spec_of(GetParam(), {"run.functional=true", "run.checkers=true",
                                 std::string("run.data_type=") + type, "wafer.fabric.bit_error_rate=1e-7"}),
            100'000, test::whole_wafer());
    EXPECT_TRUE(result["proven"].get<bool>());
    EXPECT_GT(result["of"]["nacks"].get<std::uint64_t>(), 0U);
    EXPECT_GT(result["of"]["retransmitted_bytes"].get<std::uint64_t>(), 0U);
    EXPECT_LT(result["of"]["goodput"].get<double>(), 1);
  }
}

TEST_P(ReliablePlatform, DependsOnNothingButTheSeed) {
  const auto of = [&](const char* checkers, const char* seed, bool reverse) {
    return run(spec_of(GetParam(), {std::string("run.checkers=") + checkers, std::string("run.seed=") + seed,
                                    "wafer.fabric.bit_error_rate=3e-8"}),
               400'000, test::whole_wafer(), reverse);
  };
  const auto once = of("true", "1", false), other = of("false", "1", true), seed = of("true", "2", false);
  EXPECT_EQ(once["time"], other["time"]);
  EXPECT_EQ(once["of"], other["of"]);
  EXPECT_NE(once["time"], seed["time"]);
}

// Errors off: not an event more, not a picosecond. Go-Back-N without errors: less than a hundredth.
TEST_P(ReliablePlatform, CostsNothingWhenOffAndLittleWithoutErrors) {
  const auto plain = run(spec_of(GetParam(), {}), 4'000'000, test::whole_wafer());
  const auto off =
      run(spec_of(GetParam(), {"wafer.fabric.bit_error_rate=0"}), 4'000'000, test::whole_wafer());
  EXPECT_EQ(plain, off);
  const auto on = run(spec_of(GetParam(), {"wafer.fabric.reliability.protocol=go_back_n"}), 4'000'000,
                      test::whole_wafer());
  EXPECT_EQ(on["of"]["goodput"], 1);
  // An answer per 16 packets is 0.8 %; the messages of the mesh's rings are short, and the rest of each has
  // one.
  EXPECT_LE(on["time"].get<double>(), 1.012 * plain["time"].get<double>());
  EXPECT_GT(on["time"].get<TimePs>(), plain["time"].get<TimePs>());
}
INSTANTIATE_TEST_SUITE_P(Wafers, ReliablePlatform, testing::Values("wafer_mesh_5x4", "fred_b", "fred_d"));

std::string error_of(const config::PlatformSpec& spec) {
  try {
    run(spec, 20 * 4096, test::whole_wafer());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// Packet n of a contribution is elements 1024 (n - 1) and on of the sum, at all ranks.
TEST(FlowFault, AFlippedBitChangesExactlyItsElement) {
  for (const std::uint32_t n : {1U, 13U}) {
    const config::PlatformSpec spec = spec_of(
        "fred_b", {"run.functional=true", "run.checkers=true",
                   "run.fault={kind: flip_bit, from: 7, packet: " + std::to_string(n) + ", bit: 70}"});
    const auto places = run_in_child([&]() -> nlohmann::json {
      nlohmann::json wrong = nlohmann::json::array();
      try {
        run_collective(spec, {CollectiveType::all_reduce, test::whole_wafer(), 20 * 4096, "", 0, 0, {}},
                       "dp");
      } catch (const WrongValues& error) {
        for (const WrongValues::Element& place : error.places()) wrong.push_back({place.rank, place.element});
      }
      return wrong;
    });
    nlohmann::json expected = nlohmann::json::array();
    for (std::uint32_t rank = 0; rank < 20; ++rank) expected.push_back({rank, 1024 * (n - 1) + 2});
    EXPECT_EQ(places, expected);
  }
}

TEST(FlowFault, TheWatchdogNamesADroppedPacket) {
  for (const char* packet : {"1", "9", "20"}) {
    const std::string text = error_of(
        spec_of("fred_b", {"run.checkers=true",
                           std::string("run.fault={kind: drop_packet, from: 7, packet: ") + packet + "}"}));
    EXPECT_NE(text.find(std::string("dropped packet ") + packet + " from NPU 7 into in-network flows"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("waits for the result of in-network flow 0"), std::string::npos) << text;
  }
}

TEST(FlowFault, IsRepairedWithGoBackN) {
  for (const char* fault :
       {"kind: drop_packet, from: 7, packet: 9", "kind: flip_bit, from: 7, packet: 9, bit: 5"})
    for (const char* name : {"fred_b", "fred_d"}) {
      const auto result = run(spec_of(name, {"run.functional=true", "run.checkers=true",
                                             "wafer.fabric.reliability.protocol=go_back_n",
                                             std::string("run.fault={") + fault + "}"}),
                              20 * 4096, test::whole_wafer());
      EXPECT_TRUE(result["proven"].get<bool>());
      EXPECT_GT(result["of"]["retransmitted_packets"].get<std::uint64_t>(), 0U);
    }
}

TEST(MessageFault, IsRepairedWithGoBackN) {
  for (const char* fault : {"kind: drop_packet, from: 0, to: 1, packet: 3",
                            "kind: flip_bit, from: 0, to: 1, packet: 3, bit: 5"}) {
    const auto result = run(
        spec_of("wafer_mesh_5x4",
                {"run.functional=true", "run.checkers=true", "collectives.algorithm=ring",
                 "wafer.fabric.reliability.protocol=go_back_n", std::string("run.fault={") + fault + "}"}),
        100'000, test::npus({0, 1, 2}));
    EXPECT_TRUE(result["proven"].get<bool>());
    EXPECT_GT(result["of"]["retransmitted_packets"].get<std::uint64_t>(), 0U);
  }
}

// As the checkers count: every link of a flow carries the vector once, and apart from that what came again.
// What is delivered is what is injected times receivers over contributors.
TEST(ReliableAccounting, DeliveredIsInjectedTimesReceiversOverContributors) {
  for (const char* rate : {"0", "1e-7"})
    for (const CollectiveType type :
         {CollectiveType::all_reduce, CollectiveType::reduce, CollectiveType::broadcast}) {
      const auto result = run_in_child([&]() -> nlohmann::json {
        Machine made(
            spec_of("fred_b", {"run.checkers=true", std::string("wafer.fabric.bit_error_rate=") + rate}));
        const auto program = plan_collective(
            {type, test::npus({0, 1, 2, 5, 9, 18}), 1'000'000, "in_network", 1, 0, {}}, made.traits());
        test::run_program(made, program, "dp");
        std::uint64_t injected = 0, delivered = 0, again = 0;
        for (const CheckerTotals& totals : made.wafer().checkers()->totals())
          for (const FlowTotals& flow : totals.flows) {
            EXPECT_EQ(flow.bytes, 1'000'000U) << totals.name;
            if (totals.name.find("npu") == std::string::npos) continue;
            (totals.name.find("_to_npu") == std::string::npos ? injected : delivered) += flow.bytes;
            again += flow.repeated_bytes;
          }
        nlohmann::json json = {{"injected", injected}, {"delivered", delivered}, {"again", again}};
        if (const auto of = made.reliability()) json["of"] = to_json(*of, 0);
        return json;
      });
      const std::uint64_t contributors = type == CollectiveType::broadcast ? 1 : 6;
      const std::uint64_t receivers = type == CollectiveType::all_reduce ? 6
                                      : type == CollectiveType::reduce   ? 1
                                                                         : 5;
      EXPECT_EQ(result["injected"], contributors * 1'000'000);
      EXPECT_EQ(result["delivered"], receivers * 1'000'000);
      EXPECT_EQ(result["again"].get<std::uint64_t>() > 0, std::string(rate) != "0");
      if (result.contains("of")) {
        EXPECT_EQ(result["of"]["sent_bytes"].get<std::uint64_t>() -
                      result["of"]["retransmitted_bytes"].get<std::uint64_t>(),
                  contributors * 1'000'000);
      }
    }
}

TEST(ReliabilityKeys, RefuseWhatCannotWork) {
  const auto error = [](const std::vector<std::string>& overrides) {
    try {
      spec_of("wafer_mesh_5x4", overrides);
    } catch (const std::exception& what) {
      return std::string(what.what());
    }
    return std::string();
  };
  const auto expect = [&](const std::vector<std::string>& overrides, const std::string& text) {
    EXPECT_NE(error(overrides).find(text), std::string::npos) << error(overrides);
  };
  expect({"wafer.fabric.bit_error_rate=0.1"}, "a number from 0 to 1e-05");
  expect({"wafer.fabric.bit_error_rate=-1e-9"}, "a number from 0 to 1e-05");
  expect({"wafer.fabric.reliability.window=64"}, "has no effect");
  expect({"wafer.fabric.bit_error_rate=1e-9", "wafer.fabric.reliability.window=16"},
         "less than two groups of 16");
  expect(
      {"wafer.fabric.bit_error_rate=1e-9", "wafer.fabric.switching=wormhole", "wafer.fabric.flit_bytes=512B"},
      "wormhole");
  expect({"wafer.fabric.bit_error_rate=1e-9", "wafer.fabric.classes=[{name: dp, vc: 0, priority: 1}]"},
         "a class called 'control'");
  expect(
      {"wafer.fabric.bit_error_rate=1e-9",
       "wafer.fabric.classes=[{name: dp, vc: 0, vcs: 2, priority: 1}, {name: control, vc: 3, priority: 0}]"},
      "may overtake");
  expect({"wafer.fabric.bit_error_rate=1e-9", "wafer.fabric.virtual_channels=16"}, "at most 15");
  EXPECT_EQ(error({"wafer.fabric.bit_error_rate=1e-12", "wafer.fabric.reliability.ack_every=8"}), "");
  expect({"run.fault={kind: drop_packet, from: 3}"}, "add 'to'");
}

// Each key changes the answer.
TEST(ReliabilityKeys, ChangeTheAnswer) {
  const auto time = [](std::vector<std::string> overrides) {
    overrides.emplace_back("wafer.fabric.bit_error_rate=1e-7");
    return run(spec_of("fred_c", std::move(overrides)), 1'000'000, test::npus({0, 1}))["time"].get<TimePs>();
  };
  const TimePs plain = time({});
  EXPECT_NE(time({"wafer.fabric.reliability.ack_every=4"}), plain);
  EXPECT_NE(time({"wafer.fabric.reliability.window=40"}), plain);
  EXPECT_NE(time({"wafer.fabric.reliability.control_packet_bytes=64 B"}), plain);
  EXPECT_NE(time({"wafer.fabric.reliability.timeout=50 ns"}), plain);
  EXPECT_NE(time({"wafer.fabric.reliability.channel=class"}), plain);
}

}  // namespace
}  // namespace wafertlm
