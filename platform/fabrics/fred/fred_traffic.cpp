// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "platform/fabrics/fred/fred_kind.h"

namespace wafertlm {
namespace {

std::string switch_name(std::uint32_t level, std::uint32_t number) {
  return "l" + std::to_string(level) + "_" + std::to_string(number);
}

std::string npu_name(std::uint32_t npu) { return "npu" + std::to_string(npu); }

/// Of a pattern: what goes out of and into each NPU, and each switch from and to the one above it.
struct TreeWeights {
  TreeWeights(const FredGeometry& at, const traffic::Pattern& pattern)
      : out(at.npus()),
        in(at.npus()),
        up1(at.l1_switches),
        down1(at.l1_switches),
        up2(at.l2_switches),
        down2(at.l2_switches) {
    for (std::uint32_t n = 0; n < at.npus(); ++n)
      for (const auto& choice : pattern.choices(static_cast<NpuId>(n)))
        add(at, static_cast<NpuId>(n), choice.destination, choice.weight);
  }
  void add(const FredGeometry& at, NpuId from, NpuId to, std::uint64_t weight) {
    out[index_of(from)] += weight;
    in[index_of(to)] += weight;
    const std::uint32_t level = at.turn_level(from, to), l1 = at.l1_of(from), to_l1 = at.l1_of(to);
    if (level > 1) {
      up1[l1] += weight;
      down1[to_l1] += weight;
    }
    if (level > 2) {
      up2[at.l2_of(l1)] += weight;
      down2[at.l2_of(to_l1)] += weight;
    }
  }
  std::vector<std::uint64_t> out, in, up1, down1, up2, down2;
};

}  // namespace

traffic::ChannelLoads fred_channel_loads(const FredParams& fred, const traffic::Pattern& pattern) {
  const FredGeometry& at = fred.geometry;
  const TreeWeights weights(at, pattern);
  traffic::ChannelLoads loads;
  loads.total = pattern.total();
  const auto add = [&](const std::string& from, const std::string& to, std::uint64_t weight,
                       std::uint64_t bytes_per_s) {
    loads.links.push_back({from + "->" + to, weight, bytes_per_s});
  };
  const bool three = at.levels() == 3;
  for (std::uint32_t l1 = 0; l1 < at.l1_switches; ++l1) {
    for (std::uint32_t n = l1 * at.npus_per_l1; n < (l1 + 1) * at.npus_per_l1; ++n)
      add(switch_name(1, l1), npu_name(n), weights.in[n], fred.npu_bytes_per_s);
    add(switch_name(1, l1), switch_name(2, at.l2_of(l1)), weights.up1[l1], fred.l1_uplink_bytes_per_s);
  }
  for (std::uint32_t l2 = 0; l2 < at.l2_switches; ++l2) {
    for (std::uint32_t l1 = l2 * at.l1_per_l2(); l1 < (l2 + 1) * at.l1_per_l2(); ++l1)
      add(switch_name(2, l2), switch_name(1, l1), weights.down1[l1], fred.l1_uplink_bytes_per_s);
    if (three) add(switch_name(2, l2), switch_name(3, 0), weights.up2[l2], fred.l2_uplink_bytes_per_s);
  }
  for (std::uint32_t l2 = 0; three && l2 < at.l2_switches; ++l2)
    add(switch_name(3, 0), switch_name(2, l2), weights.down2[l2], fred.l2_uplink_bytes_per_s);
  for (std::uint32_t n = 0; n < at.npus(); ++n)
    add(npu_name(n), switch_name(1, at.l1_of(static_cast<NpuId>(n))), weights.out[n], fred.npu_bytes_per_s);
  finish(loads, fred.npu_bytes_per_s);
  return loads;
}

}  // namespace wafertlm
