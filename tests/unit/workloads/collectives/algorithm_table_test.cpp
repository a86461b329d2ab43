// SPDX-License-Identifier: Apache-2.0
// Everything that names algorithms reads one table, and every row runs what it says.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/dimensional/dimensional_topology.h"
#include "models/fred/fred_topology.h"
#include "platform/spec/load.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

FabricTraits fred_wafer() {
  FredParams fred;
  fred.geometry = {3, 4, 1, {}};
  fred.npu_bytes_per_s = fred.l1_uplink_bytes_per_s = 3'000'000'000'000;
  fred.link_latency_ps = 20'000;
  FabricTraits traits;
  traits.topology = std::make_shared<FredTopology>(fred);
  traits.in_network = true;
  return traits;
}

FabricTraits torus() {
  DimensionalParams params;
  params.dimensions = Dimensions({{FabricDimension::Kind::ring, 4, 1'000'000'000, 500},
                                  {FabricDimension::Kind::switched, 2, 2'000'000'000, 700}});
  FabricTraits traits;
  traits.topology = std::make_shared<DimensionalTopology>(params);
  return traits;
}

/// Two servers of four, whose switches reduce.
FabricTraits servers() {
  DimensionalParams params;
  params.dimensions = Dimensions({{FabricDimension::Kind::switched, 4, 1'000'000'000, 0, false, 900'000'000},
                                  {FabricDimension::Kind::switched, 2, 200'000'000, 700}});
  FabricTraits traits;
  traits.topology = std::make_shared<DimensionalTopology>(params);
  traits.in_network = true;
  traits.library.channels = 2;
  traits.library.ll = {100'000'000, 100'000'000, 100'000'000};
  traits.library.nvls = InSwitchReduction{0.9, 1000, 10, 100, {}, 2, 4096};
  return traits;
}

// On each fabric the row of every algorithm that fits, and each row on one of them at least.
TEST(AlgorithmTable, EveryRowRunsUnderItsName) {
  std::vector<std::string> seen;
  for (const FabricTraits& fabric : {test::wafer_of(4, 3), fred_wafer(), torus(), servers()})
    for (const CollectiveType type : kCollectiveTypes)
      for (const std::uint32_t ranks : {2U, 3U, fabric.npus()})
        for (const std::string& name : algorithms_for(type, test::first_npus(ranks), fabric)) {
          const std::uint64_t bytes = type == CollectiveType::barrier ? 0 : 4 * 96 * ranks;
          const CollectiveRequest request{type, test::first_npus(ranks), bytes, name, 0};
          const auto program = plan_collective(request, fabric);
          EXPECT_EQ(program->algorithm, name);
          EXPECT_EQ(program->ranks.size(), ranks);
          EXPECT_NE(algorithm_named(name).use_of(type), nullptr);
          EXPECT_GT(cost_of(*program, request, fabric).predicted_ps, 0U);
          seen.push_back(name);
        }
  for (const Algorithm& row : algorithms())
    EXPECT_NE(std::find(seen.begin(), seen.end(), row.name), seen.end()) << row.name;
}

TEST(AlgorithmTable, WhatDoesNotFitIsRefused) {
  const FabricTraits mesh = test::wafer_of(5, 4);
  for (const CollectiveType type : kCollectiveTypes) {
    const Group row = test::first_npus(5);  // no grid, no dimensions, no switches that reduce
    const std::vector<std::string> fit = algorithms_for(type, row, mesh);
    for (const Algorithm& algorithm : algorithms()) {
      if (std::find(fit.begin(), fit.end(), algorithm.name) != fit.end()) continue;
      EXPECT_THROW(
          plan_collective({type, row, type == CollectiveType::barrier ? 0U : 400U, algorithm.name, 0}, mesh),
          std::invalid_argument)
          << algorithm.name;
    }
  }
}

TEST(AlgorithmTable, AnUnknownNameCannotRun) {
  const FabricTraits mesh = test::wafer_of(5, 4);
  const auto message = [&](const auto& run) {
    try {
      run();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string named = message([] { algorithm_named("rong"); });
  const std::string planned = message([&] {
    plan_collective({CollectiveType::all_reduce, test::first_npus(20), 4096, "rong", 0}, mesh);
  });
  for (const Algorithm& row : algorithms()) EXPECT_NE(named.find(row.name), std::string::npos) << named;
  for (const std::string& name : algorithms_for(CollectiveType::all_reduce))
    if (name != "in_network" && name != "dimensional") {
      EXPECT_NE(planned.find(name), std::string::npos) << planned;
    }
}

// The choices of a YAML file and of the command line.
TEST(AlgorithmTable, IsWhatUsersMayWrite) {
  std::vector<std::string> expected = {"auto", "paper", "fastest", "nccl"};
  for (const Algorithm& row : algorithms()) expected.push_back(row.name);
  EXPECT_EQ(algorithm_choices(), expected);
  const std::string file = WAFERTLM_SOURCE_DIR "/configs/platforms/wafer_mesh_5x4.yaml";
  for (const std::string& name : expected)
    EXPECT_EQ(config::load_platform(file, {"collectives.algorithm=" + name}).collectives.algorithm, name);
  EXPECT_THROW(config::load_platform(file, {"collectives.algorithm=io_tree"}), config::ConfigError);
}

}  // namespace
}  // namespace wafertlm
