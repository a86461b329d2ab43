// SPDX-License-Identifier: Apache-2.0
#include "tlm/shape/topology.h"

#include <numeric>
#include <tuple>

namespace wafertlm {
namespace {

class PairDistances final : public GroupDistances {
 public:
  PairDistances(const Topology& topology, Group group) : topology_(topology), group_(std::move(group)) {}

  TimePs nearest_ps(NpuId npu) const override {
    TimePs nearest = kNever;
    for (const NpuId other : group_)
      if (other != npu) nearest = std::min(nearest, topology_.head_latency_ps(npu, other));
    return nearest;
  }

  TimePs farthest_ps(NpuId npu) const override {
    TimePs farthest = 0;
    for (const NpuId other : group_)
      if (other != npu) farthest = std::max(farthest, topology_.head_latency_ps(npu, other));
    return farthest;
  }

 private:
  const Topology& topology_;
  Group group_;
};

class EqualDistances final : public GroupDistances {
 public:
  explicit EqualDistances(TimePs head_ps) : head_ps_(head_ps) {}
  TimePs nearest_ps(NpuId) const override { return head_ps_; }
  TimePs farthest_ps(NpuId) const override { return head_ps_; }

 private:
  TimePs head_ps_;
};

/// Above, looking for the nearest one takes too long.
constexpr std::size_t kMaxByNearest = 256;

}  // namespace

std::vector<std::size_t> Topology::route(NpuId from, NpuId to) const {
  std::vector<std::size_t> links;
  append_route(from, to, links);
  return links;
}

std::uint32_t Topology::hops(NpuId from, NpuId to) const {
  return static_cast<std::uint32_t>(route(from, to).size());
}

std::uint64_t Topology::path_bytes_per_s(NpuId from, NpuId to) const {
  std::uint64_t slowest = port_bytes_per_s();
  for (const std::size_t number : route(from, to)) slowest = std::min(slowest, link(number).bytes_per_s);
  return slowest;
}

std::unique_ptr<LinkLoads> Topology::link_loads() const { return std::make_unique<RouteLoads>(*this); }

AllPairs Topology::all_pairs(const Group& group) const {
  AllPairs pairs{0, ~std::uint64_t{0}};
  for (const NpuId from : group)
    for (const NpuId to : group) {
      if (from == to) continue;
      pairs.head_ps = std::max(pairs.head_ps, head_latency_ps(from, to));
      pairs.bytes_per_s = std::min(pairs.bytes_per_s, path_bytes_per_s(from, to));
    }
  return pairs;
}

std::unique_ptr<GroupDistances> Topology::distances(const Group& group) const {
  return std::make_unique<PairDistances>(*this, group);
}

std::vector<std::uint32_t> Topology::ring_order(const Group& group) const {
  std::vector<std::uint32_t> order = ranks_by_npu(group);
  if (order.size() > kMaxByNearest) return order;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const auto nearest = std::min_element(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, order.end(),
                                          [&, from = group[order[i]]](std::uint32_t a, std::uint32_t b) {
                                            return std::pair(head_latency_ps(from, group[a]), group[a]) <
                                                   std::pair(head_latency_ps(from, group[b]), group[b]);
                                          });
    std::swap(order[i + 1], *nearest);
  }
  return order;
}

/// Prim's algorithm.
std::vector<std::uint32_t> Topology::spanning_parents(const Group& group, std::uint32_t root) const {
  const auto p = static_cast<std::uint32_t>(group.size());
  std::vector<std::uint32_t> parent(p, root), depth(p, 0);
  std::vector<bool> inside(p, false);
  // Hops to the nearest rank that is in the tree, its depth, and it.
  const auto key = [&](std::uint32_t rank, std::uint32_t to) {
    return std::make_tuple(hops(group[rank], group[to]), depth[to], to);
  };
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> best(p);
  for (std::uint32_t rank = 0; rank < p; ++rank) best[rank] = key(rank, root);
  inside[root] = true;
  for (std::uint32_t count = 1; count < p; ++count) {
    std::uint32_t next = p;
    for (std::uint32_t rank = 0; rank < p; ++rank)
      if (!inside[rank] && (next == p || best[rank] < best[next])) next = rank;
    const auto [to_parent, parent_depth, to] = best[next];
    inside[next] = true;
    parent[next] = to;
    depth[next] = parent_depth + to_parent;
    for (std::uint32_t rank = 0; rank < p; ++rank)
      if (!inside[rank]) best[rank] = std::min(best[rank], key(rank, next));
  }
  return parent;
}

const Dimensions& Topology::dimensions() const {
  static const Dimensions none;
  return none;
}

std::unique_ptr<GroupDistances> equal_distances(TimePs head_ps) {
  return std::make_unique<EqualDistances>(head_ps);
}

std::vector<std::uint32_t> ranks_by_npu(const Group& group) {
  std::vector<std::uint32_t> order(group.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return group[a] < group[b]; });
  return order;
}

}  // namespace wafertlm
