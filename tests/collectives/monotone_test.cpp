// SPDX-License-Identifier: Apache-2.0
// A faster link, port or switch does not make `auto` or `fastest` choose what is slower by more than 1 %,
// over random platforms, groups and sizes. Counted apart is what the same choice loses: small messages that
// come in another order. WAFERTLM_CASES=40: two thousand cases.
#include <gtest/gtest.h>

#include <cstdio>

#include "models/dimensional/dimensional_params.h"
#include "models/ethernet/fabric/ethernet_fabric_params.h"
#include "models/fred/fred_params.h"
#include "models/mesh/mesh_params.h"
#include "platform/fabrics/graph/graph_kind.h"
#include "tests/collectives/random_keys.h"
#include "tests/support/random_cases.h"
#include "workloads/collectives/search.h"

namespace wafertlm {
namespace {

/// Rates of a platform of which one becomes faster.
using Faster = void (*)(test::Random& random, config::FabricSpec& fabric);

void speed_up(test::Random& random, const std::vector<std::uint64_t*>& rates) {
  std::uint64_t& rate = *test::pick(random, rates);
  rate = static_cast<std::uint64_t>(static_cast<double>(rate) * test::log_uniform(random, 1.25, 1.67));
}

void faster_mesh(test::Random& random, config::FabricSpec& fabric) {
  auto& mesh = fabric.as<MeshParams>();
  speed_up(random, {&mesh.link_bytes_per_s, &mesh.injection_bytes_per_s, &mesh.ejection_bytes_per_s});
}

/// All links by as much: an uplink that is faster than NPUs' ports is more ports (FredParams::ports), a
/// larger switch with more stages.
void faster_fred(test::Random& random, config::FabricSpec& fabric) {
  auto& fred = fabric.as<FredParams>();
  const double times = test::log_uniform(random, 1.25, 1.67);
  for (std::uint64_t* const rate : {&fred.npu_bytes_per_s, &fred.l1_uplink_bytes_per_s})
    *rate = static_cast<std::uint64_t>(static_cast<double>(*rate) * times);
}

void faster_dimension(test::Random& random, config::FabricSpec& fabric) {
  auto& dimensional = fabric.as<DimensionalParams>();
  speed_up(random, {&dimensional.groups[random() % dimensional.groups.size()].bytes_per_s});
  dimensional.dimensions = dimensions_of(dimensional.groups);
}

void faster_link(test::Random& random, config::FabricSpec& fabric) {
  const auto& old = fabric.as<config::GraphSpec>();
  config::GraphSpec graph;
  graph.name = old.name;
  graph.npus = old.npus;
  graph.switches = old.switches;
  graph.links = old.links;
  graph.routes = old.routes;
  speed_up(random, {&graph.links[random() % graph.links.size()].bandwidth_bytes_per_s});
  fabric.as<config::GraphSpec>() = graph;
}

/// NICs have standard rates.
void faster_ethernet(test::Random& random, config::FabricSpec& fabric) {
  auto& shape = fabric.as<EthernetFabricParams>().shape;
  (random() % 2 == 0 ? shape.bytes_per_s : shape.switch_bytes_per_s) *= 2;
}

struct MonotoneKind {
  const char* name;
  test::MakeFabric make;
  test::Overrides (*keys)(test::Random& random);
  Faster faster;
};
void PrintTo(const MonotoneKind& kind, std::ostream* to) { *to << kind.name; }

struct Chosen {
  CollectiveRequest request;
  double time;
};

Chosen chosen(const config::PlatformSpec& spec, CollectiveRequest request, const char* algorithm) {
  request.algorithm = algorithm;
  request = settled(request, platform_traits(spec));
  return {request, test::outcome(spec, request)["time"].get<double>()};
}

class Monotone : public testing::TestWithParam<MonotoneKind> {};

TEST_P(Monotone, FasterIsNotSlower) {
  const int cases = test::random_cases(8, 1);
  test::Random random(5);
  int slower = 0, slower_as_it_was = 0;
  for (int number = 0; number < cases; ++number) {
    config::PlatformSpec spec = GetParam().make(random, GetParam().keys(random));
    const CollectiveRequest request = test::request_for_keys(random, spec);
    config::PlatformSpec faster = spec;
    GetParam().faster(random, faster.wafer.fabric);
    for (const char* const algorithm : {"", kFastest}) {
      const Chosen before = chosen(spec, request, algorithm), after = chosen(faster, request, algorithm);
      if (after.time <= 1.01 * before.time) continue;
      const bool is_same = before.request.algorithm == after.request.algorithm &&
                           before.request.chunks == after.request.chunks;
      ++(is_same ? slower_as_it_was : slower);
      std::printf("case %d, '%s', %+.1f %%: %s: %s in %u chunks, then %s in %u\n", number, algorithm,
                  100 * (after.time / before.time - 1), test::describe(spec, request).c_str(),
                  before.request.algorithm.c_str(), before.request.chunks, after.request.algorithm.c_str(),
                  after.request.chunks);
    }
  }
  std::printf("of %d choices slower: %d by another choice, %d by the same\n", 2 * cases, slower,
              slower_as_it_was);
  EXPECT_LE(slower, cases / 50);
}

INSTANTIATE_TEST_SUITE_P(
    On, Monotone,
    testing::Values(MonotoneKind{"mesh", test::some_mesh, test::mesh_keys, faster_mesh},
                    MonotoneKind{"fred", test::some_fred, test::fred_keys, faster_fred},
                    MonotoneKind{"dimensions", test::some_dimensions, test::packet_keys, faster_dimension},
                    MonotoneKind{"trees", test::some_tree, test::packet_keys, faster_link},
                    MonotoneKind{"grids", test::some_grid, test::packet_keys, faster_link},
                    MonotoneKind{"graphs", test::some_graph, test::packet_keys, faster_link},
                    MonotoneKind{"ethernet", test::some_ethernet, test::ethernet_keys, faster_ethernet}),
    [](const testing::TestParamInfo<MonotoneKind>& kind) { return kind.param.name; });

}  // namespace
}  // namespace wafertlm
