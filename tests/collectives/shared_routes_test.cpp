// SPDX-License-Identifier: Apache-2.0
// Rates for pairs whose routes share links: together they overload nothing, and trees over them reach the
// bound.
#include "workloads/collectives/packed_trees/shared_routes.h"

#include <gtest/gtest.h>

#include <map>

#include "platform/machine/machine.h"
#include "tests/collectives/random_fabrics.h"
#include "tests/support/random_cases.h"
#include "workloads/collectives/bounds/tight_bound.h"
#include "workloads/collectives/cost.h"
#include "workloads/collectives/cuts/strength.h"

namespace wafertlm {
namespace {

struct Shares {
  double busiest = 0;     ///< what the pairs put on a link or port over what it carries, the most
  double rate = 0;        ///< of the best packing of spanning trees over the pairs, bytes per second
  double bound_rate = 0;  ///< that no algorithm exceeds: bytes over tight_bound()
};

/// Of an all-reduce; walks the routes once more, on its own.
Shares shares_of(const config::PlatformSpec& spec, const Group& group) {
  const nlohmann::json found = run_in_child([&]() -> nlohmann::json {
    Machine machine(spec, false);
    const FabricTraits fabric = machine.traits();
    const Topology& topology = *fabric.topology;
    const RankGraph graph = shared_routes(group, fabric, tree_use(CollectiveType::all_reduce, 0).value());
    std::map<std::size_t, double> links;
    std::map<NpuId, double> out, in;
    bounds::WeightedGraph weighted;
    weighted.vertices = graph.ranks;
    for (std::uint32_t rank = 0; rank < graph.ranks; ++rank) weighted.terminals.push_back(rank);
    for (const RankGraph::Link& link : graph.links) {
      const auto rate = static_cast<double>(link.bytes_per_s);
      for (const std::size_t each : topology.route(group[link.from], group[link.to])) links[each] += rate;
      out[group[link.from]] += rate;
      in[group[link.to]] += rate;
      if (link.from < link.to) weighted.edges.push_back({link.from, link.to, link.bytes_per_s});
    }
    double busiest = 0;
    const auto see = [&](double rate, std::uint64_t of) {
      busiest = std::max(busiest, rate / static_cast<double>(of));
    };
    for (const auto& [link, rate] : links) see(rate, topology.link(link).bytes_per_s);
    for (const auto& [npu, rate] : out) see(rate, topology.npu_sends_bytes_per_s(npu));
    for (const auto& [npu, rate] : in) see(rate, topology.npu_receives_bytes_per_s(npu));
    const bounds::Strength strength = bounds::strength(weighted);
    CollectiveRequest request;
    request.type = CollectiveType::all_reduce;
    request.group = group;
    request.bytes = std::uint64_t{1} << 40;
    const auto bound = bounds::tight_bound(request, fabric);
    return {{"busiest", busiest},
            {"rate", static_cast<double>(strength.border) / 2 / (strength.parts - 1)},
            {"bound_rate",
             bound ? static_cast<double>(request.bytes) * 1e12 / static_cast<double>(bound->time_ps) : 0.0}};
  });
  return {found["busiest"], found["rate"], found["bound_rate"]};
}

/// Of NPUs on one L1 switch every port of 3 TB/s carries 2 (p - 1) / p of the vector.
TEST(SharedRoutes, OfOneSwitchUseThePortsWholly) {
  for (const std::uint32_t npus : {2U, 3U, 4U}) {
    const Shares shares = shares_of(test::fred_platform("a"), test::first_npus(npus));
    EXPECT_LE(shares.busiest, 1.0 + 1e-9);
    EXPECT_NEAR(shares.rate, 3e12 * npus / (2 * (npus - 1.0)), 0.006 * 3e12) << npus;
  }
}

/// FRED-A: a tree joins the five L1 switches four times, and each time uses a link to L2 (1.5 TB/s) at both
/// ends. FRED-C: its 19 edges use two of the 20 ports (3 TB/s) each.
TEST(SharedRoutes, OfFredReachTheClosedForms) {
  const std::pair<const char*, double> kFabrics[] = {{"a", 5 * 1.5e12 / 8}, {"c", 20 * 3e12 / 38}};
  for (const auto& [variant, rate] : kFabrics) {
    const Shares shares = shares_of(test::fred_platform(variant), test::first_npus(20));
    EXPECT_LE(shares.busiest, 1.0 + 1e-9) << variant;
    EXPECT_NEAR(shares.rate, rate, 1e-4 * rate) << variant;
  }
}

TEST(SharedRoutes, OfAFatTreeReachTheBound) {
  const Shares shares = shares_of(test::preset("graph_fat_tree_16", {}), test::first_npus(16));
  EXPECT_LE(shares.busiest, 1.0 + 1e-9);
  ASSERT_GT(shares.bound_rate, 0.0);
  EXPECT_GE(shares.rate, 0.99 * shares.bound_rate);
  EXPECT_LE(shares.rate, 1.0001 * shares.bound_rate);
}

}  // namespace
}  // namespace wafertlm
