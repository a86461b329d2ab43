// SPDX-License-Identifier: Apache-2.0
#include "platform/traffic/fred_load.h"

#include <string>

namespace wafertlm::traffic {
namespace {

std::string name(std::uint32_t level, std::uint32_t number) {
  return "l" + std::to_string(level) + "_" + std::to_string(number);
}

std::string npu_name(NpuId npu) { return "npu" + std::to_string(index_of(npu)); }

}  // namespace

ChannelLoads fred_channel_loads(const FredTopology& topology, const Pattern& pattern) {
  const FredGeometry& fred = topology.geometry();
  const auto l2_of = [&](NpuId npu) { return fred.l2_of(fred.l1_of(npu)); };
  std::vector<std::uint64_t> out(fred.npus()), in(fred.npus());
  std::vector<std::uint64_t> up1(fred.l1_switches), down1(fred.l1_switches), up2(fred.l2_switches),
      down2(fred.l2_switches);
  for (std::uint32_t n = 0; n < fred.npus(); ++n) {
    const auto from = static_cast<NpuId>(n);
    for (const Pattern::Choice& choice : pattern.choices(from)) {
      const NpuId to = choice.destination;
      out[n] += choice.weight;
      in[index_of(to)] += choice.weight;
      const std::uint32_t level = fred.turn_level(from, to);
      if (level > 1) {
        up1[fred.l1_of(from)] += choice.weight;
        down1[fred.l1_of(to)] += choice.weight;
      }
      if (level > 2) {
        up2[l2_of(from)] += choice.weight;
        down2[l2_of(to)] += choice.weight;
      }
    }
  }
  ChannelLoads loads;
  loads.total = pattern.total();
  const auto add = [&](const std::string& from, const std::string& to, std::uint64_t weight,
                       std::uint64_t bytes_per_s) {
    loads.links.push_back({from + "->" + to, weight, bytes_per_s});
  };
  const bool three = fred.l2_switches > 1;
  const std::uint64_t l1_uplink = topology.link(0).bytes_per_s,
                      l2_uplink = topology.link(topology.links() - 1).bytes_per_s;
  const std::uint32_t l1_per_l2 = fred.l1_switches / fred.l2_switches;
  for (std::uint32_t l1 = 0; l1 < fred.l1_switches; ++l1) {
    for (std::uint32_t n = l1 * fred.npus_per_l1; n < (l1 + 1) * fred.npus_per_l1; ++n)
      add(name(1, l1), npu_name(static_cast<NpuId>(n)), in[n], topology.port_bytes_per_s());
    add(name(1, l1), name(2, fred.l2_of(l1)), up1[l1], l1_uplink);
  }
  for (std::uint32_t l2 = 0; l2 < fred.l2_switches; ++l2) {
    for (std::uint32_t l1 = l2 * l1_per_l2; l1 < (l2 + 1) * l1_per_l2; ++l1)
      add(name(2, l2), name(1, l1), down1[l1], l1_uplink);
    if (three) add(name(2, l2), name(3, 0), up2[l2], l2_uplink);
  }
  for (std::uint32_t l2 = 0; three && l2 < fred.l2_switches; ++l2)
    add(name(3, 0), name(2, l2), down2[l2], l2_uplink);
  for (std::uint32_t n = 0; n < fred.npus(); ++n) {
    const auto npu = static_cast<NpuId>(n);
    loads.links.push_back(
        {npu_name(npu) + "->" + name(1, fred.l1_of(npu)), out[n], topology.port_bytes_per_s()});
  }
  finish(loads, topology.port_bytes_per_s());
  return loads;
}

double fred_zero_load_ps(const FredTopology& topology, const WireFormat& format, const Pattern& pattern) {
  const std::uint64_t bytes = format.full_wire_bytes();
  double sum = 0, weights = 0;
  for (std::uint32_t n = 0; n < topology.npus(); ++n) {
    const auto from = static_cast<NpuId>(n);
    for (const Pattern::Choice& choice : pattern.choices(from)) {
      const TimePs latency_ps = topology.head_latency_ps(from, choice.destination) +
                                transfer_time_ps(bytes, topology.path_bytes_per_s(from, choice.destination));
      sum += static_cast<double>(latency_ps) * static_cast<double>(choice.weight);
      weights += static_cast<double>(choice.weight);
    }
  }
  return sum / weights;
}

}  // namespace wafertlm::traffic
