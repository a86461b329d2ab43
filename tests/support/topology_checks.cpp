// SPDX-License-Identifier: Apache-2.0
#include "tests/support/topology_checks.h"

#include <gtest/gtest.h>

#include <set>

namespace wafertlm::test {
namespace {

/// The same fabric by its links and routes alone: everything else is Topology's default.
class Routes final : public Topology {
 public:
  explicit Routes(const Topology& of) : Topology(of.ports()), of_(of) {}
  std::uint32_t npus() const override { return of_.npus(); }
  std::size_t links() const override { return of_.links(); }
  TopologyLink link(std::size_t number) const override { return of_.link(number); }
  std::string link_name(std::size_t number) const override { return of_.link_name(number); }
  void append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const override {
    of_.append_route(from, to, route);
  }
  TimePs head_latency_ps(NpuId from, NpuId to) const override { return of_.head_latency_ps(from, to); }

 private:
  const Topology& of_;
};

Group group_of(const Topology& topology, std::mt19937_64& random) {
  Group group;
  for (std::uint32_t npu = 0; npu < topology.npus(); ++npu) group.push_back(static_cast<NpuId>(npu));
  for (std::size_t i = group.size(); i > 1; --i) std::swap(group[i - 1], group[random() % i]);
  if (random() % 3 != 0) group.resize(1 + random() % group.size());
  return group;
}

void expect_pairs(const Topology& topology, const Topology& walked, const Group& group) {
  for (const NpuId from : group)
    for (const NpuId to : group) {
      EXPECT_LE(topology.hops(from, to), walked.hops(from, to));
      EXPECT_EQ(topology.path_bytes_per_s(from, to), walked.path_bytes_per_s(from, to));
      for (const std::size_t link : topology.route(from, to)) {
        EXPECT_GE(topology.head_latency_ps(from, to), topology.link(link).head_ps);
        EXPECT_NE(topology.link_name(link), "");
      }
    }
  const AllPairs fast = topology.all_pairs(group), slow = walked.all_pairs(group);
  EXPECT_EQ(fast.head_ps, slow.head_ps);
  if (group.size() < 2) return;
  EXPECT_EQ(fast.bytes_per_s, slow.bytes_per_s);
}

void expect_neighbors(const Topology& topology, const Group& group) {
  for (const NpuId npu : group) {
    const auto found = topology.neighbors(npu);
    if (!found) return;
    std::set<NpuId> expected;
    for (std::uint32_t n = 0; n < topology.npus(); ++n)
      if (const auto other = static_cast<NpuId>(n);
          topology.hops(npu, other) == 1 || topology.hops(other, npu) == 1)
        expected.insert(other);
    EXPECT_EQ(std::set<NpuId>(found->begin(), found->end()), expected);
  }
}

void expect_same(const LinkLoads& loads, const LinkLoads& walked) {
  EXPECT_EQ(loads.busiest_bytes(), walked.busiest_bytes());
  EXPECT_EQ(loads.busiest_ps(), walked.busiest_ps());
}

void expect_loads(const Topology& topology, const Topology& walked, const Group& group,
                  std::mt19937_64& random) {
  const auto loads = topology.link_loads(), slow = walked.link_loads();
  for (int message = 0; message < 30; ++message) {
    const NpuId from = group[random() % group.size()], to = group[random() % group.size()];
    const std::uint64_t bytes = random() % 100'000;
    loads->add(from, to, bytes);
    slow->add(from, to, bytes);
    expect_same(*loads, *slow);
  }
  const auto pairs = topology.link_loads(), slow_pairs = walked.link_loads();
  pairs->add_all_pairs(group, 1234);
  slow_pairs->add_all_pairs(group, 1234);
  expect_same(*pairs, *slow_pairs);
}

/// Distances are lower bounds of the true ones.
void expect_distances(const Topology& topology, const Topology& walked, const Group& group) {
  if (group.size() < 2) return;
  const auto distances = topology.distances(group), exact = walked.distances(group);
  for (const NpuId npu : group) {
    EXPECT_LE(distances->nearest_ps(npu), exact->nearest_ps(npu));
    EXPECT_LE(distances->farthest_ps(npu), exact->farthest_ps(npu));
  }
}

void expect_order_and_tree(const Topology& topology, const Group& group, std::mt19937_64& random) {
  const std::vector<std::uint32_t> order = topology.ring_order(group);
  EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), group.size());
  const auto root = static_cast<std::uint32_t>(random() % group.size());
  const std::vector<std::uint32_t> parents = topology.spanning_parents(group, root);
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    std::uint32_t at = rank;
    for (std::size_t steps = 0; at != root && steps < group.size(); ++steps) at = parents[at];
    EXPECT_EQ(at, root);
  }
  if (const auto grid = topology.group_grid(group)) {
    EXPECT_EQ(std::size_t{grid->width} * grid->height, group.size());
    EXPECT_EQ(std::set<std::uint32_t>(grid->at.begin(), grid->at.end()).size(), group.size());
  }
}

/// A path between the two sides of a cut is not faster than what crosses the cut.
void expect_cuts(const Topology& topology) {
  for (const CutFamily& family : topology.cuts()) {
    ASSERT_EQ(family.part_of.size(), topology.npus());
    for (std::size_t cut = 0; cut < family.rates.size(); ++cut) {
      const auto inside = [&](std::uint32_t npu) {
        return family.kind == CutFamily::Kind::prefixes ? family.part_of[npu] <= cut
                                                        : family.part_of[npu] == cut;
      };
      for (std::uint32_t a = 0; a < topology.npus(); ++a)
        for (std::uint32_t b = 0; b < topology.npus(); ++b) {
          const auto from = static_cast<NpuId>(a), to = static_cast<NpuId>(b);
          if (!inside(a) || inside(b)) continue;
          EXPECT_LE(topology.path_bytes_per_s(from, to), family.rates[cut].out);
          EXPECT_LE(topology.path_bytes_per_s(to, from), family.rates[cut].in);
        }
    }
  }
}

/// From every member the tree leads to the controller.
void expect_io_trees(const Topology& topology, std::mt19937_64& random) {
  for (std::uint32_t k = 0; k < topology.io_controllers(); ++k) {
    std::vector<bool> is_member(topology.npus());
    for (std::size_t n = 0; n < is_member.size(); ++n) is_member[n] = random() % 2 != 0;
    is_member[random() % is_member.size()] = true;
    for (const IoParents& parents : topology.io_trees(k, is_member))
      for (std::uint32_t npu = 0; npu < topology.npus(); ++npu) {
        if (parents[npu] == kNoNpu) {
          EXPECT_FALSE(is_member[npu]);
          continue;
        }
        auto at = static_cast<NpuId>(npu);
        for (std::size_t steps = 0; index_of(at) < topology.npus() && steps <= topology.npus(); ++steps) {
          EXPECT_EQ(topology.hops(parents[index_of(at)], at), topology.hops(at, parents[index_of(at)]));
          at = parents[index_of(at)];
        }
        EXPECT_EQ(at, topology.io_controller(k));
      }
    EXPECT_FALSE(topology.io_place(k).empty());
  }
}

}  // namespace

void expect_like_its_routes(const Topology& topology, std::mt19937_64& random) {
  const Routes walked(topology);
  for (int number = 0; number < 3; ++number) {
    const Group group = group_of(topology, random);
    expect_pairs(topology, walked, group);
    expect_neighbors(topology, group);
    expect_loads(topology, walked, group, random);
    expect_distances(topology, walked, group);
    expect_order_and_tree(topology, group, random);
  }
  expect_cuts(topology);
  expect_io_trees(topology, random);
}

void expect_exact_distances(const Topology& topology, std::mt19937_64& random) {
  Group group;
  for (std::uint32_t npu = 0; npu < topology.npus(); ++npu)
    if (random() % 2 == 0) group.push_back(static_cast<NpuId>(npu));
  if (group.size() < 2) return;
  const auto distances = topology.distances(group);
  for (const NpuId npu : group) {
    TimePs nearest = kNever, farthest = 0;
    for (const NpuId other : group) {
      if (other == npu) continue;
      nearest = std::min(nearest, topology.head_latency_ps(npu, other));
      farthest = std::max(farthest, topology.head_latency_ps(npu, other));
    }
    EXPECT_EQ(distances->nearest_ps(npu), nearest);
    EXPECT_EQ(distances->farthest_ps(npu), farthest);
  }
}

}  // namespace wafertlm::test
