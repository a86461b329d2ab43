// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "models/fred/geometry/chip_wiring.h"
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

/// Of the chips of a wafer in the physical view, in the order of FredChipFabric::links(). Packets of a pair
/// take its ways in turn, so that each carries the same part.
class ChipLoads {
 public:
  explicit ChipLoads(const FredParams& fred)
      : fred_(fred), at_(fred.geometry), wiring_(at_, fred.chips), stripes_(wiring_) {
    for (std::uint32_t l1 = 0; l1 < at_.l1_switches; ++l1)
      for (std::uint32_t other = 0; other < at_.l1_switches; ++other)
        parts_ = std::lcm(parts_, stripes_.between(l1, other).size());
  }

  traffic::ChannelLoads of(const traffic::Pattern& pattern) {
    for (std::uint32_t n = 0; n < at_.npus(); ++n)
      for (const auto& choice : pattern.choices(static_cast<NpuId>(n)))
        add_pair(static_cast<NpuId>(n), choice.destination, choice.weight * parts_);
    loads_.total = pattern.total() * parts_;
    list_links();
    finish(loads_, fred_.npu_bytes_per_s);
    return loads_;
  }

 private:
  using Link = std::pair<std::string, std::string>;

  std::string l1_chip(std::uint32_t l1, std::uint32_t chip) const {
    return switch_name(1, l1) + "_" + std::to_string(chip);
  }
  static std::string ports(NpuId npu) { return npu_name(static_cast<std::uint32_t>(npu)) + "_ports"; }
  /// Of several links between two chips each has the number of its up-port.
  Link up(std::uint32_t l1, std::uint32_t way) const {
    return {l1_chip(l1, wiring_.chip_of(way)),
            switch_name(2, wiring_.l2_of(way)) + "_" + std::to_string(wiring_.up_port_of(way))};
  }
  Link down(std::uint32_t l1, std::uint32_t way) const {
    return {switch_name(2, wiring_.l2_of(way)),
            l1_chip(l1, wiring_.chip_of(way)) + "_" + std::to_string(wiring_.up_port_of(way))};
  }

  /// What an NPU sends to itself goes no farther than its ports.
  void add_pair(NpuId from, NpuId to, std::uint64_t weight) {
    sent_[from] += weight;
    if (from == to) return;
    const std::uint32_t l1 = at_.l1_of(from), to_l1 = at_.l1_of(to);
    const std::vector<std::uint32_t>& ways = stripes_.between(l1, to_l1);
    for (const std::uint32_t way : ways) {
      const std::uint32_t chip = wiring_.chip_of(way);
      std::vector<Link> route = {{ports(from), l1_chip(l1, chip)}};
      if (l1 != to_l1) route.insert(route.end(), {up(l1, way), down(to_l1, way)});
      route.emplace_back(l1_chip(to_l1, chip), ports(to));
      for (const Link& link : route) weights_[link] += weight / ways.size();
    }
  }

  void list(const Link& link) {
    const auto found = weights_.find(link);
    loads_.links.push_back({link.first + "->" + link.second, found == weights_.end() ? 0 : found->second,
                            fred_.chips.port_bytes_per_s});
  }

  void list_links() {
    const FredChipParams& chips = fred_.chips;
    const auto npu = [](std::uint32_t n) { return static_cast<NpuId>(n); };
    for (std::uint32_t l1 = 0; l1 < at_.l1_switches; ++l1)
      for (std::uint32_t chip = 0; chip < chips.chips_per_l1; ++chip) {
        for (std::uint32_t n = l1 * at_.npus_per_l1; n < (l1 + 1) * at_.npus_per_l1; ++n)
          list({l1_chip(l1, chip), ports(npu(n))});
        for (std::uint32_t port = 0; port < chips.up_ports; ++port)
          list(up(l1, chip + port * chips.chips_per_l1));
      }
    for (std::uint32_t l2 = 0; l2 < wiring_.l2_chips(); ++l2)
      for (std::uint32_t l1 = 0; l1 < at_.l1_switches; ++l1)
        for (std::uint32_t way = 0; way < wiring_.ways(); ++way)
          if (wiring_.l2_of(way) == l2) list(down(l1, way));
    for (std::uint32_t n = 0; n < at_.npus(); ++n)
      for (std::uint32_t chip = 0; chip < chips.chips_per_l1; ++chip)
        list({ports(npu(n)), l1_chip(at_.l1_of(npu(n)), chip)});
    for (std::uint32_t n = 0; n < at_.npus(); ++n)
      loads_.links.push_back({npu_name(n) + "->" + ports(npu(n)), sent_[npu(n)], fred_.npu_bytes_per_s});
  }

  const FredParams& fred_;
  const FredGeometry& at_;
  ChipWiring wiring_;
  Stripes stripes_;
  std::uint64_t parts_ = 1;
  std::map<Link, std::uint64_t> weights_;
  std::map<NpuId, std::uint64_t> sent_;
  traffic::ChannelLoads loads_;
};

}  // namespace

traffic::ChannelLoads fred_channel_loads(const FredParams& fred, const traffic::Pattern& pattern) {
  if (fred.is_physical()) return ChipLoads(fred).of(pattern);
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
