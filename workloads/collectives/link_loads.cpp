// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/link_loads.h"

#include <algorithm>

namespace wafertlm {

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
      l2_down_(l2_up_.size()) {}

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
  for (const auto* links : {&l1_up_, &l1_down_, &l2_up_, &l2_down_})
    for (const std::uint64_t load : *links) bytes = std::max(bytes, load);
  return bytes;
}

TimePs LinkLoads::busiest_ps() const {
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
