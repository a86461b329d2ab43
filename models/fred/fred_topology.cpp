// SPDX-License-Identifier: Apache-2.0
#include "models/fred/fred_topology.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace wafertlm {
namespace {

/// Members below the switches of a level.
class Members {
 public:
  Members(const FredGeometry& tree, std::uint32_t level)
      : tree_(tree), level_(level), count_(level == 1 ? tree.l1_switches : tree.l2_switches) {}

  void add(const Group& group) {
    for (const NpuId each : group) ++count_[switch_of(each)];
  }
  std::size_t switches() const { return count_.size(); }
  std::size_t below(std::size_t number) const { return count_[number]; }
  std::size_t near(NpuId endpoint) const { return count_[switch_of(endpoint)]; }

 private:
  std::uint32_t switch_of(NpuId endpoint) const {
    const std::uint32_t l1 = tree_.l1_of(endpoint);
    return level_ == 1 ? l1 : tree_.l2_of(l1);
  }

  const FredGeometry& tree_;
  std::uint32_t level_;
  std::vector<std::size_t> count_;
};

class FredLinkLoads final : public RouteLoads {
 public:
  FredLinkLoads(const Topology& topology, const FredGeometry& tree) : RouteLoads(topology), tree_(tree) {}

  /// Up if there are contributors below an uplink and not all receivers, down if there are receivers below it
  /// and not all contributors.
  void add_flow(const Group& contributors, const Group& receivers, std::uint64_t bytes) override {
    std::size_t first = 0;
    for (std::uint32_t level = 1; level < tree_.levels(); ++level) {
      Members from(tree_, level), to(tree_, level);
      from.add(contributors);
      to.add(receivers);
      for (std::size_t n = 0; n < from.switches(); ++n) {
        if (from.below(n) != 0 && to.below(n) != receivers.size()) bytes_[first + n] += bytes;
        if (to.below(n) != 0 && from.below(n) != contributors.size())
          bytes_[first + from.switches() + n] += bytes;
      }
      first += 2 * from.switches();
    }
  }

 private:
  const FredGeometry& tree_;
};

class FredDistances final : public GroupDistances {
 public:
  FredDistances(const Group& group, const FredGeometry& tree, const std::vector<TimePs>& turn_ps)
      : turn_ps_(turn_ps), members_(group.size()), on_l1_(tree, 1), on_l2_(tree, 2) {
    on_l1_.add(group);
    on_l2_.add(group);
  }
  TimePs nearest_ps(NpuId npu) const override {
    return turn_ps_[on_l1_.near(npu) > 1 ? 0 : on_l2_.near(npu) > 1 ? 1 : turn_ps_.size() - 1];
  }
  TimePs farthest_ps(NpuId npu) const override {
    return turn_ps_[on_l2_.near(npu) < members_ ? 2 : on_l1_.near(npu) < members_ ? 1 : 0];
  }

 private:
  const std::vector<TimePs>& turn_ps_;
  std::size_t members_;
  Members on_l1_, on_l2_;
};

/// `rates` by switch of the level.
CutFamily uplink_cuts(const FredGeometry& tree, std::uint32_t level,
                      const std::vector<std::uint64_t>& rates) {
  CutFamily family;
  family.counts_vectors = true;
  for (std::uint32_t n = 0; n < tree.npus(); ++n) {
    const std::uint32_t l1 = tree.l1_of(static_cast<NpuId>(n));
    family.part_of.push_back(level == 1 ? l1 : tree.l2_of(l1));
  }
  for (const std::uint64_t bytes_per_s : rates) family.rates.push_back({bytes_per_s, bytes_per_s});
  return family;
}

std::string switch_name(std::uint32_t level, std::size_t number) {
  return "l" + std::to_string(level) + "_" + std::to_string(number);
}

}  // namespace

FredTopology::FredTopology(const FredParams& params)
    : Topology({params.npu_bytes_per_s, params.npu_bytes_per_s, params.io_bytes_per_s, params.io_latency_ps}),
      geometry_(params.geometry),
      uplink_rate_(params.geometry.l1_switches, params.l1_uplink_bytes_per_s),
      npu_rate_(params.geometry.l1_switches, params.npu_bytes_per_s),
      l2_uplink_bytes_per_s_(params.l2_uplink_bytes_per_s),
      npu_link_ps_(params.link_latency_ps) {
  for (std::uint32_t level = 1; level <= geometry_.levels(); ++level)
    turn_ps_.push_back(params.head_latency_ps(level));
  if (params.is_physical() && params.chips.dead.any()) leave_out_dead(params);
  cuts_.push_back(uplink_cuts(geometry_, 1, uplink_rate_));
  if (has_l3())
    cuts_.push_back(
        uplink_cuts(geometry_, 2, std::vector<std::uint64_t>(geometry_.l2_switches, l2_uplink_bytes_per_s_)));
}

/// What the living chips and ways of each L1 switch carry; at least one, without which there is no fabric.
void FredTopology::leave_out_dead(const FredParams& params) {
  const ChipWiring wiring(params.geometry, params.chips);
  const std::uint64_t port = params.chips.port_bytes_per_s;
  for (std::uint32_t l1 = 0; l1 < geometry_.l1_switches; ++l1) {
    std::uint64_t chips = 0, ways = 0;
    for (std::uint32_t chip = 0; chip < params.chips.chips_per_l1; ++chip)
      chips += wiring.is_alive_l1(l1, chip) ? 1 : 0;
    for (std::uint32_t way = 0; way < wiring.ways(); ++way)
      ways += wiring.is_alive_l1(l1, wiring.chip_of(way)) && wiring.is_alive_l2(wiring.l2_of(way)) &&
                      wiring.is_alive_uplink(l1, way)
                  ? 1
                  : 0;
    npu_rate_[l1] = std::max<std::uint64_t>(1, chips) * port;
    uplink_rate_[l1] = std::max<std::uint64_t>(1, ways) * port;
  }
}

std::size_t FredTopology::links() const {
  return 2 * (std::size_t{geometry_.l1_switches} + (has_l3() ? geometry_.l2_switches : 0));
}

std::size_t FredTopology::uplink(std::uint32_t level, bool up, std::uint32_t number) const {
  const std::size_t first = level == 1 ? 0 : 2 * std::size_t{geometry_.l1_switches};
  return first + (up ? 0 : level == 1 ? geometry_.l1_switches : geometry_.l2_switches) + number;
}

TopologyLink FredTopology::link(std::size_t number) const {
  if (number < uplink(2, true, 0)) return {uplink_rate_[number % geometry_.l1_switches], turn_ps(2)};
  return {l2_uplink_bytes_per_s_, turn_ps(3)};
}

std::string FredTopology::link_name(std::size_t number) const {
  const std::uint32_t level = number < uplink(2, true, 0) ? 1 : 2;
  const bool up = number < uplink(level, false, 0);
  const std::size_t below = number - uplink(level, up, 0);
  const std::size_t above = level == 1 ? geometry_.l2_of(static_cast<std::uint32_t>(below)) : 0;
  const std::string lower = switch_name(level, below), upper = switch_name(level + 1, above);
  return up ? lower + "->" + upper : upper + "->" + lower;
}

void FredTopology::append_route(NpuId from, NpuId to, std::vector<std::size_t>& route) const {
  const std::uint32_t level = geometry_.turn_level(from, to);
  const std::uint32_t a = geometry_.l1_of(from), b = geometry_.l1_of(to);
  if (level > 1) route.push_back(uplink(1, true, a));
  if (level > 2) {
    route.push_back(uplink(2, true, geometry_.l2_of(a)));
    route.push_back(uplink(2, false, geometry_.l2_of(b)));
  }
  if (level > 1) route.push_back(uplink(1, false, b));
}

TimePs FredTopology::head_latency_ps(NpuId from, NpuId to) const {
  const bool io = index_of(from) >= npus() || index_of(to) >= npus();
  return turn_ps(geometry_.turn_level(from, to)) - (io ? npu_link_ps_ : 0);
}

std::uint32_t FredTopology::hops(NpuId from, NpuId to) const {
  return 2 * (geometry_.turn_level(from, to) - 1);
}

std::uint64_t FredTopology::path_bytes_per_s(NpuId from, NpuId to) const {
  const std::uint32_t level = geometry_.turn_level(from, to);
  const std::uint32_t a = geometry_.l1_of(from), b = geometry_.l1_of(to);
  std::uint64_t rate = std::min({port_bytes_per_s(), npu_rate_[a], npu_rate_[b]});
  if (level > 1) rate = std::min({rate, uplink_rate_[a], uplink_rate_[b]});
  return level > 2 ? std::min(rate, l2_uplink_bytes_per_s_) : rate;
}

std::unique_ptr<LinkLoads> FredTopology::link_loads() const {
  return std::make_unique<FredLinkLoads>(*this, geometry_);
}

std::unique_ptr<GroupDistances> FredTopology::distances(const Group& group) const {
  return std::make_unique<FredDistances>(group, geometry_, turn_ps_);
}

std::vector<std::uint32_t> FredTopology::spanning_parents(const Group& group, std::uint32_t root) const {
  const auto around = [](std::uint32_t position, std::uint32_t from, std::uint32_t size) {
    return (position + size - from) % size;
  };
  const std::uint32_t first = geometry_.l1_of(group[root]);
  const auto key = [&](std::uint32_t rank) {
    const std::uint32_t l1 = geometry_.l1_of(group[rank]);
    return std::make_tuple(
        around(geometry_.l2_of(l1), geometry_.l2_of(first), geometry_.l2_switches),
        around(l1, first, geometry_.l1_switches),
        around(static_cast<std::uint32_t>(group[rank]) % geometry_.npus_per_l1,
               static_cast<std::uint32_t>(group[root]) % geometry_.npus_per_l1, geometry_.npus_per_l1));
  };
  std::vector<std::uint32_t> order(group.size()), parent(group.size(), root);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  for (std::size_t i = 1; i < order.size(); ++i) parent[order[i]] = order[i - 1];
  return parent;
}

std::optional<GroupGrid> FredTopology::group_grid(const Group& group) const {
  std::map<std::uint32_t, std::uint32_t> members;  // of each L1 switch
  for (const NpuId npu : group) ++members[geometry_.l1_of(npu)];
  const std::uint32_t width = members.empty() ? 0 : members.begin()->second;
  if (width < 2 || members.size() < 2) return {};
  for (const auto& [l1, count] : members)
    if (count != width) return {};
  // All members on an L1 switch send up at once; the ring leaves and enters an L2 switch once for each.
  std::uint64_t inside = port_bytes_per_s(), up = inside;
  for (const auto& [l1, count] : members) {
    inside = std::min(inside, npu_rate_[l1]);
    up = std::min({up, npu_rate_[l1], uplink_rate_[l1] / width});
  }
  if (has_l3()) up = std::min(up, l2_uplink_bytes_per_s_ / width);
  return GroupGrid{width,
                   static_cast<std::uint32_t>(members.size()),
                   1,
                   ranks_by_npu(group),
                   {inside, turn_ps_.front()},
                   {up, turn_ps_.back()}};
}

std::uint32_t FredTopology::chains() const { return std::min(kMaxChains, geometry_.npus_per_l1); }

/// From one L1 switch with members to the next, beginning at the controller's own and keeping together what
/// hangs on an L2 switch. Each L1 switch has an NPU at which the stream enters and leaves, another one for
/// every controller and chain; from there it goes from NPU to NPU.
IoParents FredTopology::io_chain(std::uint32_t controller, std::uint32_t chain,
                                 const std::vector<bool>& is_member) const {
  const std::uint32_t l1_per_l2 = geometry_.l1_per_l2(), own = geometry_.io[controller];
  IoParents parents(npus(), kNoNpu);
  NpuId entry = io_controller(controller);
  for (std::uint32_t i = 0; i < geometry_.l2_switches; ++i)
    for (std::uint32_t j = 0; j < l1_per_l2; ++j) {
      const std::uint32_t l2 = (own / l1_per_l2 + i) % geometry_.l2_switches;
      const std::uint32_t first = (l2 * l1_per_l2 + (own + j) % l1_per_l2) * geometry_.npus_per_l1;
      Group here;
      for (std::uint32_t n = first; n < first + geometry_.npus_per_l1; ++n)
        if (is_member[n]) here.push_back(static_cast<NpuId>(n));
      NpuId last = entry;
      for (std::size_t step = 0; step < here.size(); ++step) {
        const NpuId npu = here[(controller + chain + step) % here.size()];
        parents[index_of(npu)] = last;
        last = npu;
        if (step == 0) entry = npu;
      }
    }
  return parents;
}

std::vector<IoParents> FredTopology::io_trees(std::uint32_t controller,
                                              const std::vector<bool>& is_member) const {
  std::vector<IoParents> trees;
  for (std::uint32_t chain = 0; chain < chains(); ++chain)
    trees.push_back(io_chain(controller, chain, is_member));
  return trees;
}

std::optional<std::uint64_t> FredTopology::shared_ports(std::uint32_t hops) const {
  const std::uint64_t all = std::uint64_t{io_controllers()} * chains();
  std::uint64_t sharing = 0;
  for (std::uint32_t hop = 1; hop <= hops; ++hop)
    sharing += all * std::min(hop, geometry_.npus_per_l1) / geometry_.npus_per_l1;
  return sharing;
}

Topology::IoPlace FredTopology::io_place(std::uint32_t controller) const {
  return {{"l1_switch", std::uint64_t{geometry_.io[controller]}}};
}

}  // namespace wafertlm
