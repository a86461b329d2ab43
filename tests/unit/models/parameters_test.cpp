// SPDX-License-Identifier: Apache-2.0
// What the parameters of models may be: each number at both sides of its limit.
#include <gtest/gtest.h>

#include "models/fred/fred_params.h"
#include "models/hbm/dram/address_map.h"
#include "models/mesh/mesh_geometry.h"
#include "models/remote_memory/pool_engine.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

TEST(Parameters, OfAFredWafer) {
  const auto refusal = [](const FredGeometry& geometry) {
    return test::refusal_of([&] { geometry.check(); });
  };
  const std::string none = "a FRED wafer needs at least one L1 switch, one L2 switch and one NPU";
  EXPECT_EQ(refusal({0, 1, 1, {}}), none);
  EXPECT_EQ(refusal({1, 0, 1, {}}), none);
  EXPECT_EQ(refusal({1, 1, 0, {}}), none);
  EXPECT_EQ(refusal({1, 1, 1, {0}}), "");
  EXPECT_EQ(refusal({4, 1, 3, {}}), "4 L1 switches cannot be shared evenly by 3 L2 switches");
  EXPECT_EQ(refusal({4, 1, 2, {0, 3, 3}}), "");
  EXPECT_EQ(refusal({4, 1, 2, {0, 4}}), "an I/O controller on L1 switch 4, which does not exist");
}

TEST(Parameters, OfFredLinks) {
  const auto refusal = [](auto change) {
    FredParams params;
    params.geometry = {4, 2, 2, {0}};
    params.npu_bytes_per_s = params.l1_uplink_bytes_per_s = params.l2_uplink_bytes_per_s = 1;
    params.io_bytes_per_s = params.link_latency_ps = 1;
    change(params);
    return test::refusal_of([&] { params.check(); });
  };
  using P = FredParams;
  const std::string bandwidth = "NPUs and uplinks need a bandwidth";
  EXPECT_EQ(refusal([](P&) {}), "");
  EXPECT_EQ(refusal([](P& p) { p.npu_bytes_per_s = 0; }), bandwidth);
  EXPECT_EQ(refusal([](P& p) { p.l1_uplink_bytes_per_s = 0; }), bandwidth);
  EXPECT_EQ(refusal([](P& p) { p.l2_uplink_bytes_per_s = 0; }), bandwidth);
  EXPECT_EQ(refusal([](P& p) { p.l2_uplink_bytes_per_s = 0, p.geometry.l2_switches = 1; }),
            "");  // two levels
  EXPECT_EQ(refusal([](P& p) { p.io_bytes_per_s = 0; }), "I/O controllers need a bandwidth");
  EXPECT_EQ(refusal([](P& p) { p.io_bytes_per_s = 0, p.geometry.io = {}; }), "");
  EXPECT_EQ(refusal([](P& p) { p.link_latency_ps = 0; }),
            "link latency and stage latency are both 0: a hop must take at least 1 ps");
  EXPECT_EQ(refusal([](P& p) { p.link_latency_ps = 0, p.stage_latency_ps = 1; }), "");
  EXPECT_EQ(refusal([](P& p) { p.geometry.l1_switches = 3; }),
            "3 L1 switches cannot be shared evenly by 2 L2 switches");
  EXPECT_EQ(refusal([](P& p) { p.view = FredView::physical; }),
            "chips of a FRED wafer: they are wired in two levels, with one logical L2 switch");
}

// A mesh of 3 x 2: NPUs 0 to 2 in the north.
TEST(Parameters, OfControllersOfAMesh) {
  const auto refusal = [](const std::vector<IoPort>& io) {
    return test::refusal_of([&] { MeshGeometry(3, 2, io); });
  };
  EXPECT_EQ(refusal({{NpuId{0}, Side::north}, {NpuId{0}, Side::west}, {NpuId{5}, Side::east}}), "");
  EXPECT_EQ(refusal({{NpuId{6}, Side::east}}), "I/O controller at NPU 6, east: no such NPU");
  EXPECT_EQ(refusal({{NpuId{1}, Side::south}}), "I/O controller at NPU 1, south: that port is not free");
  EXPECT_EQ(refusal({{NpuId{4}, Side::west}}), "I/O controller at NPU 4, west: that port is not free");
  EXPECT_EQ(refusal({{NpuId{1}, Side::north}, {NpuId{1}, Side::north}}),
            "I/O controller at NPU 1, north: that port is not free");
}

TEST(Parameters, OfAPool) {
  const auto refusal = [](auto change) {
    PoolParams params;
    params.kind = PoolKind::per_node;
    params.npus = 6;
    params.npus_per_node = 3;
    params.bytes_per_s = 1;
    change(params);
    return test::refusal_of([&] { const PoolEngine engine(params); });
  };
  using P = PoolParams;
  EXPECT_EQ(refusal([](P&) {}), "");
  EXPECT_EQ(refusal([](P& p) { p.npus = 0; }), "a pool is for at least one NPU");
  EXPECT_EQ(refusal([](P& p) { p.npus = 1, p.npus_per_node = 1; }), "");
  EXPECT_EQ(refusal([](P& p) { p.npus_per_node = 4; }), "nodes of a pool must divide its NPUs");
  EXPECT_EQ(refusal([](P& p) { p.npus_per_node = 0; }), "nodes of a pool must divide its NPUs");
  EXPECT_EQ(refusal([](P& p) { p.npus_per_node = 0, p.kind = PoolKind::shared; }), "");
  EXPECT_EQ(refusal([](P& p) { p.bytes_per_s = 0; }), "a pool's bandwidth must be at least 1 B/s");
  EXPECT_EQ(refusal([](P& p) { p.service = PoolService::accesses; }), "");
  const auto staged = [&](auto change) {
    return refusal([&](P& p) {
      p.kind = PoolKind::hierarchical;
      p.bytes_per_s = 0;
      p.stages = PoolStages();
      for (PoolStage& stage : *p.stages) stage.bytes_per_s = 1;
      change(p);
    });
  };
  EXPECT_EQ(staged([](P&) {}), "");
  EXPECT_EQ(staged([](P& p) { p.npus_per_node = 4; }), "nodes of a pool must divide its NPUs");
  EXPECT_EQ(staged([](P& p) { p.stages.reset(); }), "a hierarchical pool needs its stages");
  EXPECT_EQ(staged([](P& p) { p.service = PoolService::accesses; }),
            "the stages of a hierarchical pool serve requests, not accesses");
  for (std::size_t stage = 0; stage < kPoolStages; ++stage) {
    EXPECT_EQ(staged([&](P& p) { p.stages->at(stage).bytes_per_s = 0; }),
              "a stage's bandwidth must be at least 1 B/s");
    EXPECT_EQ(staged([&](P& p) { p.stages->at(stage).fan_in = 0; }), "a stage's fan-in must be at least 1");
  }
}

// Two bank groups of two bits, banks of one, 5 bits of columns, 3 of channels, 1 of the stack.
TEST(Parameters, OfAGivenAddressMap) {
  DramTiming timing;
  timing.pseudo_channels = 8;
  timing.bank_groups = 4;
  timing.banks_per_group = 2;
  timing.row_bytes = 1024;
  timing.access_bytes = 32;
  const auto refusal = [&](const std::string& given, std::uint32_t stacks = 2) -> std::string {
    AddressMapParams params;
    params.given = given;
    params.stacks = stacks;
    const std::string text = test::refusal_of([&] { const AddressMap map(timing, params); });
    const std::string start = "address map '" + given + "': ";
    return text.substr(0, start.size()) == start ? text.substr(start.size()) : text;
  };
  EXPECT_EQ(refusal("row bank group column channel stack"), "");
  EXPECT_EQ(refusal("row bank group:1 column:3 channel stack group column:2"), "");
  EXPECT_EQ(refusal("row bank group column channel", 1), "");
  EXPECT_EQ(refusal("row bank group column channel", 0), "an HBM has at least one stack");
  EXPECT_EQ(refusal("row bank group column channel stack", 3),
            "a given address map needs a power of two of stacks; take the hashed one for 3");
  EXPECT_EQ(refusal("", 3), "");
  EXPECT_EQ(refusal("row banks"),
            "there is no field 'banks'; there are row, bank, group, column, channel and stack");
  for (const std::string word : {"column:", "column:0", "column:x", "column:100"})
    EXPECT_EQ(refusal("row " + word), "'" + word + "' should say how many bits, as in 'column:2'");
  EXPECT_EQ(refusal("row column:3 column:3"), "'column:3' is too much: column has 5 bits");
  EXPECT_EQ(refusal("row column:5 column"), "nothing is left for 'column'");
  EXPECT_EQ(refusal("row bank group column channel:1 stack"), "it lacks 2 bits of 'channel'");
  EXPECT_EQ(refusal("bank group column channel stack"), "it lacks 'row'");
  EXPECT_EQ(refusal("row row:32 bank group column channel stack"), "nothing is left for 'row'");
  // An access is the smallest piece: the stack is below the columns.
  const AddressMapParams params{2, "row bank group column channel stack"};
  EXPECT_EQ(AddressMap(timing, params).piece_bytes(), 32U);
  EXPECT_EQ(AddressMap(timing, params).channels(), 16U);
}

}  // namespace
}  // namespace wafertlm
