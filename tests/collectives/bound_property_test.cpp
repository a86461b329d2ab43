// SPDX-License-Identifier: Apache-2.0
// 2000 random collectives each on small random meshes, FRED wafers, trees of switches and several wafers:
// none is faster than its bound (run_collective refuses that), and all end with the right values. 200 under
// the sanitizers.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "models/fred/fred_params.h"
#include "models/mesh/mesh_params.h"
#include "tests/collectives/random_fabrics.h"
#include "tests/collectives/simulated.h"
#include "tests/support/random_cases.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

constexpr int kShards = 10;

using Random = std::mt19937_64;

std::uint32_t up_to(Random& random, std::uint64_t most) {
  return static_cast<std::uint32_t>(random() % (most + 1));
}

void set_random_packets(config::PlatformSpec& spec, Random& random) {
  spec.wafer.fabric.format.packet_bytes = 256U << up_to(random, 4);
  spec.wafer.fabric.link_latency_ps = 1000 * (1 + up_to(random, 40));
}

config::PlatformSpec random_mesh(Random& random) {
  static const config::PlatformSpec base = test::platform({"run.functional=true"});
  config::PlatformSpec spec = base;
  spec.wafer.width = 1 + up_to(random, 4);
  spec.wafer.height = (spec.wafer.width == 1 ? 2 : 1) + up_to(random, 3);
  set_random_packets(spec, random);
  auto& mesh = spec.wafer.fabric.as<MeshParams>();
  mesh.router_pipeline_ps = 1000 * up_to(random, 2);
  for (std::uint64_t* const rate : {&mesh.injection_bytes_per_s, &mesh.ejection_bytes_per_s})
    if (up_to(random, 2) == 0) *rate = 100'000'000'000ULL << up_to(random, 4);
  return spec;
}

void set_random_tree(config::PlatformSpec& spec, Random& random) {
  auto& fred = spec.wafer.fabric.as<FredParams>();
  FredGeometry& tree = fred.geometry;
  tree.l2_switches = 1 + up_to(random, 2);
  tree.l1_switches = tree.l2_switches * (1 + up_to(random, 3));
  tree.npus_per_l1 = (tree.l1_switches == 1 ? 2 : 1) + up_to(random, 3);
  fred.l1_uplink_bytes_per_s = (1 + up_to(random, 30)) * 500'000'000'000ULL;
  if (tree.l2_switches > 1) fred.l2_uplink_bytes_per_s = (1 + up_to(random, 30)) * 500'000'000'000ULL;
  fred.stage_latency_ps = 500 * up_to(random, 4);
}

config::PlatformSpec random_fred(Random& random) {
  static const config::PlatformSpec base = config::load_platform(
      WAFERTLM_SOURCE_DIR "/configs/platforms/fred_a.yaml", {"run.functional=true", "run.checkers=true"});
  config::PlatformSpec spec = base;
  set_random_tree(spec, random);
  spec.wafer.io.controllers.count = up_to(random, 5);
  set_random_packets(spec, random);
  return spec;
}

config::PlatformSpec random_tree(Random& random) {
  config::PlatformSpec spec = test::some_tree(random);
  spec.run.functional = spec.run.checkers = true;
  return spec;
}

/// Two to four wafers.
void set_random_outer(config::PlatformSpec& spec, Random& random) {
  config::OuterSpec& outer = *spec.wafer.outer;
  outer.wafers = 2 + up_to(random, 2);
  outer.topology = static_cast<config::OuterTopology>(up_to(random, 2));
  outer.bandwidth_bytes_per_s = (1 + up_to(random, 30)) * 10'000'000'000ULL;
  outer.latency_ps = 1000 * (1 + up_to(random, 2000));
  outer.ethernet->mtu_bytes = 256U << up_to(random, 4);
  if (outer.topology == config::OuterTopology::switched)
    outer.ethernet->switch_latency_ps = 1000 * up_to(random, 500);
  if (up_to(random, 2) == 0) outer.ethernet.reset();
}

config::PlatformSpec wafers_preset(const std::string& name) {
  return test::preset(name, {"run.functional=true", "run.checkers=true", "wafer.outer.ethernet={}"});
}

/// Of up to 2 x 2.
config::PlatformSpec random_wafers(Random& random) {
  static const config::PlatformSpec base = wafers_preset("wafers_4_mesh_5x4");
  config::PlatformSpec spec = base;
  set_random_packets(spec, random);
  spec.wafer.width = 1 + up_to(random, 1);
  spec.wafer.height = 1 + up_to(random, 1);
  set_random_outer(spec, random);
  return spec;
}

config::PlatformSpec random_fred_wafers(Random& random) {
  static const config::PlatformSpec base = wafers_preset("wafers_4_fred_a");
  config::PlatformSpec spec = base;
  set_random_tree(spec, random);
  set_random_packets(spec, random);
  spec.wafer.io.controllers.count = 1 + up_to(random, 5);
  set_random_outer(spec, random);
  return spec;
}

void expect_above_bound(Random& random, config::PlatformSpec (*make)(Random&), int all = 2000) {
  double closest = 1e9;
  const int cases = test::random_cases(all, all / 10) / kShards;
  for (int number = 0; number < cases; ++number) {
    config::PlatformSpec spec = make(random);
    const FabricTraits traits = platform_traits(spec);

    CollectiveRequest request;
    request.type = kCollectiveTypes[random() % std::size(kCollectiveTypes)];
    for (std::uint32_t npu = 0; npu < traits.npus(); ++npu) request.group.push_back(static_cast<NpuId>(npu));
    for (std::size_t i = request.group.size(); i > 1; --i)
      std::swap(request.group[i - 1], request.group[random() % i]);
    if (up_to(random, 2) != 0) request.group.resize(1 + up_to(random, traits.npus() - 1));
    const std::vector<std::string> algorithms = algorithms_for(request.type, request.group, traits);
    request.algorithm = algorithms[random() % algorithms.size()];
    request.chunks = up_to(random, 5);
    request.root = up_to(random, request.group.size() - 1);
    request.data_type = spec.run.data_type = kDataTypes[up_to(random, 1)];
    if (request.type != CollectiveType::barrier)
      request.bytes = random() % (std::uint64_t{2} << up_to(random, 13)) * bytes_of(request.data_type);
    if (request.type == CollectiveType::all_to_all && traits.topology->dimensions().count() != 0)
      request.bytes *= 4 * request.group.size();  // blocks of one length
    SCOPED_TRACE(std::string(to_string(request.type)) + " as " + request.algorithm + ", " +
                 std::to_string(request.group.size()) + " ranks, " + std::to_string(request.bytes) +
                 " B, case " + std::to_string(number));
    try {
      const auto result = test::outcome(spec, request);
      const auto time = result["time"].get<double>(), bound = result["bound"].get<double>();
      EXPECT_GE(time, bound);
      EXPECT_GE(result["predicted"].get<double>(), bound);
      EXPECT_TRUE(result["proven"].get<bool>());
      if (bound > 0) closest = std::min(closest, time / bound);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  std::printf("%d collectives, the closest to its bound at %.4f of it\n", cases, closest);
}

class RandomCollectives : public testing::TestWithParam<int> {};

TEST_P(RandomCollectives, AreNeverFasterThanTheirBound) {
  Random random(static_cast<std::uint64_t>(GetParam()) + 1);
  expect_above_bound(random, random_mesh);
}

TEST_P(RandomCollectives, AreNeverFasterThanTheirBoundOnFred) {
  Random random(static_cast<std::uint64_t>(GetParam()) + 1);
  expect_above_bound(random, random_fred);
}

TEST_P(RandomCollectives, AreNeverFasterThanTheirBoundOnTrees) {
  Random random(static_cast<std::uint64_t>(GetParam()) + 1);
  expect_above_bound(random, random_tree);
}

TEST_P(RandomCollectives, AreNeverFasterThanTheirBoundOnSeveralWafers) {
  Random random(static_cast<std::uint64_t>(GetParam()) + 1);
  expect_above_bound(random, random_wafers);
}

TEST_P(RandomCollectives, AreNeverFasterThanTheirBoundOnSeveralFreds) {
  Random random(static_cast<std::uint64_t>(GetParam()) + 1);
  expect_above_bound(random, random_fred_wafers, 300);  // they have more NPUs
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomCollectives, testing::Range(0, kShards));

}  // namespace
}  // namespace wafertlm
