// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/link_loads.h"

#include <algorithm>

namespace wafertlm {
namespace {

std::size_t slots(const FabricDimension& dimension) {
  return dimension.kind == FabricDimension::Kind::fully_connected ? dimension.size : 2;
}

}  // namespace

// Stretches are half-open, from `from` to `to`, in rows of one place more than there are NPUs.
LinkLoads::LinkLoads(const FabricTraits& fabric)
    : fabric_(fabric),
      east_((fabric.width + 1) * fabric.height),
      west_(east_.size()),
      south_((fabric.height + 1) * fabric.width),
      north_(south_.size()),
      l1_up_(fabric.fred.l1_switches),
      l1_down_(l1_up_.size()),
      l2_up_(fabric.fred.l2_switches),
      l2_down_(l2_up_.size()) {
  if (fabric.is_graph()) by_link_.resize(fabric.graph->links().size());
  if (!fabric.is_dimensional()) return;
  const Dimensions& dimensions = fabric.dimensions;
  for (std::size_t d = 0; d < dimensions.count(); ++d)
    by_dimension_.emplace_back(dimensions.npus() * slots(dimensions[d]));
}

/// Routes as in models/dimensional.
void LinkLoads::add_in_dimensions(NpuId from, NpuId to, std::uint64_t bytes) {
  using Kind = FabricDimension::Kind;
  const Dimensions& dimensions = fabric_.dimensions;
  NpuId at = from;
  for (std::size_t d = 0; d < dimensions.count(); ++d) {
    const std::uint32_t size = dimensions[d].size, there = dimensions.coordinate(to, d);
    std::uint32_t here = dimensions.coordinate(at, d);
    if (here == there) continue;
    const auto load = [&](NpuId npu, std::size_t slot) -> std::uint64_t& {
      return by_dimension_[d][index_of(npu) * slots(dimensions[d]) + slot];
    };
    const NpuId end = dimensions.at(at, d, there);
    if (dimensions[d].kind == Kind::fully_connected) {
      load(at, there) += bytes;
    } else if (dimensions[d].kind == Kind::switched) {
      load(at, 0) += bytes;
      load(end, 1) += bytes;
    } else {
      const std::uint32_t up = (there + size - here) % size;
      const bool next = dimensions[d].kind == Kind::line ? there > here
                        : 2 * up == size                 ? here % 2 == 0
                                                         : 2 * up < size;
      while (here != there) {
        load(dimensions.at(at, d, here), next ? 0 : 1) += bytes;
        here = next ? (here + 1) % size : (here + size - 1) % size;
      }
    }
    at = end;
  }
}

void LinkLoads::add_in_tree(NpuId from, NpuId to, std::uint64_t bytes) {
  const std::uint32_t level = fabric_.fred.turn_level(from, to);
  if (level > 1) {
    l1_up_[fabric_.fred.l1_of(from)] += bytes;
    l1_down_[fabric_.fred.l1_of(to)] += bytes;
  }
  if (level > 2) {
    l2_up_[fabric_.fred.l2_of(from)] += bytes;
    l2_down_[fabric_.fred.l2_of(to)] += bytes;
  }
}

void LinkLoads::add_flow(const std::vector<NpuId>& contributors, const std::vector<NpuId>& receivers,
                         std::uint64_t bytes) {
  const FredTraits& fred = fabric_.fred;
  const auto l1_of = [&](NpuId endpoint) {
    const std::size_t n = index_of(endpoint);
    return n < fred.npus() ? fred.l1_of(endpoint) : fred.io[n - fred.npus()];
  };
  const auto level = [&](std::vector<std::uint64_t>& up, std::vector<std::uint64_t>& down,
                         const auto& switch_of) {
    std::vector<std::size_t> from(up.size()), to(up.size());
    for (const NpuId each : contributors) ++from[switch_of(each)];
    for (const NpuId each : receivers) ++to[switch_of(each)];
    for (std::size_t n = 0; n < up.size(); ++n) {
      if (from[n] != 0 && to[n] != receivers.size()) up[n] += bytes;
      if (to[n] != 0 && from[n] != contributors.size()) down[n] += bytes;
    }
  };
  level(l1_up_, l1_down_, l1_of);
  if (fred.l2_switches > 1)
    level(l2_up_, l2_down_, [&](NpuId endpoint) { return fred.l2_of_l1(l1_of(endpoint)); });
}

void LinkLoads::add(NpuId from, NpuId to, std::uint64_t bytes) {
  if (fabric_.is_dimensional()) return add_in_dimensions(from, to, bytes);
  if (fabric_.is_graph()) {
    for (const std::uint32_t link : fabric_.graph->route(from, to)) by_link_[link] += bytes;
    return;
  }
  if (!fabric_.is_mesh()) return add_in_tree(from, to, bytes);
  const auto amount = static_cast<std::int64_t>(bytes);
  const auto stretch = [&](std::vector<std::int64_t>& up, std::vector<std::int64_t>& down, std::size_t base,
                           std::uint32_t a, std::uint32_t b) {
    std::vector<std::int64_t>& line = a < b ? up : down;
    line[base + std::min(a, b)] += amount;
    line[base + std::max(a, b)] -= amount;
  };
  const std::uint32_t x0 = fabric_.column(from), x1 = fabric_.column(to), y0 = fabric_.row(from),
                      y1 = fabric_.row(to);
  if (x0 != x1) stretch(east_, west_, std::size_t{y0} * (fabric_.width + 1), x0, x1);
  if (y0 != y1) stretch(south_, north_, std::size_t{x1} * (fabric_.height + 1), y0, y1);
}

std::uint64_t LinkLoads::busiest_bytes() const {
  std::int64_t most = 0;
  for (const auto* lines : {&east_, &west_, &south_, &north_}) {
    std::int64_t load = 0;
    for (const std::int64_t change : *lines) most = std::max(most, load += change);
  }
  auto bytes = static_cast<std::uint64_t>(most);
  for (const std::uint64_t load : by_link_) bytes = std::max(bytes, load);
  for (const auto* links : {&l1_up_, &l1_down_, &l2_up_, &l2_down_})
    for (const std::uint64_t load : *links) bytes = std::max(bytes, load);
  for (const auto& links : by_dimension_)
    for (const std::uint64_t load : links) bytes = std::max(bytes, load);
  return bytes;
}

TimePs LinkLoads::busiest_ps() const {
  if (fabric_.is_dimensional()) {
    TimePs busiest = 0;
    for (std::size_t d = 0; d < by_dimension_.size(); ++d) {
      std::uint64_t bytes = 0;
      for (const std::uint64_t load : by_dimension_[d]) bytes = std::max(bytes, load);
      const FabricDimension& dimension = fabric_.dimensions[d];
      if (bytes != 0)
        busiest = std::max(busiest, dimension.latency_ps + transfer_time_ps(bytes, dimension.bytes_per_s));
    }
    return busiest;
  }
  if (fabric_.is_graph()) {
    TimePs busiest = 0;
    for (std::size_t l = 0; l < by_link_.size(); ++l) {
      const FabricGraph::Link& link = fabric_.graph->links()[l];
      if (by_link_[l] != 0)
        busiest = std::max(busiest, link.latency_ps + transfer_time_ps(by_link_[l], link.bytes_per_s));
    }
    return busiest;
  }
  if (fabric_.is_mesh()) {
    const std::uint64_t bytes = busiest_bytes();
    if (bytes == 0) return 0;
    return fabric_.ends_latency_ps + fabric_.hop_latency_ps +
           transfer_time_ps(bytes, fabric_.link_bytes_per_s);
  }
  TimePs longest = 0;
  const auto over = [&](const std::vector<std::uint64_t>& links, std::size_t level, std::uint64_t rate) {
    for (const std::uint64_t bytes : links)
      if (bytes != 0)
        longest = std::max(longest, fabric_.fred.turn_latency_ps[level - 1] + transfer_time_ps(bytes, rate));
  };
  over(l1_up_, 2, fabric_.fred.l1_uplink_bytes_per_s);
  over(l1_down_, 2, fabric_.fred.l1_uplink_bytes_per_s);
  over(l2_up_, 3, fabric_.fred.l2_uplink_bytes_per_s);
  over(l2_down_, 3, fabric_.fred.l2_uplink_bytes_per_s);
  return longest;
}

}  // namespace wafertlm
