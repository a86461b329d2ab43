// SPDX-License-Identifier: Apache-2.0
// Accesses of an NPU served by the HBM controller in RTL, alone and in a run.
#include "models/hbm/rtl/hbm_rtl.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <systemc>

#include "models/hbm/rtl/hbm_shadow.h"
#include "models/rtl/axi4/stress/random_bursts.h"
#include "tests/rtl/axi4/faulty_model.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

constexpr TimePs kCycle = 1000;
constexpr std::uint64_t kLatency = 20;
constexpr std::uint64_t kUnused = std::uint64_t{1} << 30;  // bytes that no other test uses

const RtlDesign& hbm_design() {
  return find_rtl_design("axi_hbm", rtl_designs(), rtl_is_built(), [](RtlProtocol) { return true; });
}

RtlModel& hbm_model() {
  static const std::unique_ptr<RtlModel> made = [] {
    auto model = hbm_design().make("hbm");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return model;
  }();
  return *made;
}

TEST(HbmRtl, AnIdleAccessTakesItsBeatsAndTheLatency) {
  HbmRtl rtl(hbm_design(), hbm_model(), RtlClock{1'000'000'000});
  TimePs now = 0;
  for (const bool write : {true, false})
    for (const std::uint64_t bytes : {1U, 64U, 65U, 4096U}) {
      now += 1'000'300;  // 300 ps after an edge
      const auto id = rtl.submit({write, 4096, bytes}, now);
      const TimePs done = now + 700 + ((bytes + 63) / 64 + kLatency) * kCycle;
      EXPECT_EQ(rtl.wait_for(id), done) << bytes;
      rtl.end(id);
      now = done;
    }
  EXPECT_FALSE(rtl.fault()) << rtl.fault()->text;
  EXPECT_EQ(rtl.bytes_compared(), 1U + 64 + 65 + 4096);
}

TEST(HbmRtl, AskingByAndByGivesTheSameTimesAsWaiting) {
  const auto times = [](bool by_and_by) {
    HbmRtl rtl(hbm_design(), hbm_model(), RtlClock{1'000'000'000});
    Axi4Draws draw(5);
    const std::uint64_t base = by_and_by ? 0 : kUnused;  // contents stay in the RTL
    std::vector<MemoryTiming::Id> ids;
    for (int n = 0; n < 12; ++n)
      ids.push_back(rtl.submit({draw(2) == 0, base + draw(100'000), 1 + draw(9000)}, 500));
    std::vector<TimePs> done;
    for (const auto id : ids) {
      if (!by_and_by) {
        done.push_back(rtl.wait_for(id));
        continue;
      }
      MemoryTiming::Answer answer{false, 500};
      while (!answer.known) answer = rtl.ask(id, answer.at);
      done.push_back(answer.at);
    }
    EXPECT_FALSE(rtl.fault()) << rtl.fault()->text;
    return done;
  };
  EXPECT_EQ(times(true), times(false));
}

/// A model of the same bandwidth and latency.
TEST(HbmRtl, IsNoMoreThanSomeCyclesFromTheModel) {
  HbmRtl rtl(hbm_design(), hbm_model(), RtlClock{1'000'000'000});
  HbmShadow shadow(rtl, 8);
  Axi4Draws draw(7);
  TimePs free[2] = {0, 0}, now = 0;
  for (int n = 0; n < 500; ++n) {
    now += draw(200'000);
    const bool write = draw(2) != 0;
    const TimedAccess access{write, 2 * kUnused + draw(64) * 4096, 4096};
    free[write] = std::max(free[write], now) + 64 * kCycle;
    shadow.ended(shadow.began(access, now), free[write] + kLatency * kCycle);
  }
  shadow.finish();
  EXPECT_FALSE(rtl.fault()) << rtl.fault()->text;
  EXPECT_EQ(shadow.compared(), 500U);
  EXPECT_LE(shadow.beyond(), 25U) << shadow.first_beyond()->model_ps << " " << shadow.first_beyond()->rtl_ps;
}

TEST(HbmRtl, WrongDataIsNamedWithItsAccess) {
  FaultyModel faulty(hbm_model());
  faulty.plant("s_axi_rdata", [](RtlPin& pin) { pin.set(9, 1, pin.get(9, 1) ^ 1); });
  HbmRtl rtl(hbm_design(), faulty, RtlClock{1'000'000'000});
  for (const bool write : {true, false}) rtl.wait_for(rtl.submit({write, 8192, 64}, write ? 0 : 100'000));
  ASSERT_TRUE(rtl.fault());
  EXPECT_NE(rtl.fault()->text.find("read of 1 x 64 B at 0x2000"), std::string::npos) << rtl.fault()->text;
}

/// `wafertlm collective` with NPU 3's memory like the RTL: 64 B at 1 GHz, 20 cycles.
test::ToolResult collective(const std::string& view, const std::string& more = "") {
  return test::run_tool(
      "collective " WAFERTLM_SOURCE_DIR
      "/configs/platforms/wafer_mesh_5x4.yaml --type all_reduce --size 1MiB --json --set "
      "npu.endpoint.memory=hbm "
      "--set npu.hbm.read_bandwidth=64GB/s --set npu.hbm.write_bandwidth=64GB/s --set npu.hbm.latency=20ns "
      "--set 'npu.hbm.rtl=[{npu: 3, design: axi_hbm, view: " +
      view + "}]' " + more);
}

TEST(HbmRtlInARun, BothComparesAllAccessesAndRtlTakesAsLong) {
  const auto both = collective("both, tolerance_cycles: 200"), rtl = collective("rtl"),
             tlm = collective("tlm");
  ASSERT_EQ(both.exit_code, 0) << both.error;
  ASSERT_EQ(rtl.exit_code, 0) << rtl.error;
  ASSERT_EQ(tlm.exit_code, 0) << tlm.error;
  const auto row = [](const test::ToolResult& of) { return nlohmann::json::parse(of.out)["rows"][0]; };
  const auto memory = row(both)["memory_rtl"][0];
  EXPECT_EQ(memory["memory"], "hbm_3");
  EXPECT_TRUE(memory["equal"].get<bool>());
  EXPECT_EQ(memory["times"]["compared"], memory["accesses"]);
  EXPECT_GT(memory["bytes_compared"].get<std::uint64_t>(), 1U << 20);
  for (const auto& property : memory["properties"]) EXPECT_FALSE(property["differs"].get<bool>()) << property;
  // The model decides with both; in its place the RTL makes a run that takes 2 % more or less.
  EXPECT_EQ(row(both)["time_ps"], row(tlm)["time_ps"]);
  EXPECT_NEAR(row(rtl)["time_ps"].get<double>() / row(tlm)["time_ps"].get<double>(), 1, 0.02);
}

TEST(HbmRtlInARun, AnotherLatencyIsSaidAndFails) {
  const auto other = collective("both", "--set npu.hbm.latency=100ns");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.error.find("the RTL of hbm_3 differs from the model in the time of"), std::string::npos)
      << other.error;
}

TEST(HbmRtlInARun, WhatDoesNotFitIsRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[{npu: 20, view: both, design: axi_hbm}]", "npu.hbm.rtl[0]: there is no NPU 20"},
      {"[{npu: 1, view: both, design: mesh_router}]",
       "has the protocol credit_stream, which does not fit here"},
      {"[{npu: 1, view: both, design: axi_gcm}]", "is no memory"},
      {"[{npu: 1, view: rtl, design: axi_hbm}, {npu: 1, view: both, design: axi_hbm}]",
       "npu.hbm.rtl[0] names NPU 1, too"},
  };
  for (const auto& [value, expected] : cases) {
    const auto refused = collective("tlm", "--set 'npu.hbm.rtl=" + value + "'");
    EXPECT_EQ(refused.exit_code, 2) << refused.error;
    EXPECT_NE(refused.error.find(expected), std::string::npos) << refused.error;
  }
}

}  // namespace
}  // namespace wafertlm
