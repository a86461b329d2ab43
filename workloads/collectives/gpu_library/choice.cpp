// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/gpu_library/choice.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wafertlm {
namespace {

using Type = CollectiveType;

unsigned log2_of(std::uint64_t value) {
  unsigned log = 0;
  while (value >>= 1) ++log;
  return log;
}

/// By how much trees of a medium size stay behind their rate, from 64 B on by powers of two.
constexpr std::array<std::array<double, 24>, 3> kTreeRates = {
    {{1., 1., 1., 1., .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1., 1., 1., 1., 1.},
     {1., 1., 1., 1., 1., .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1., 1., 1.},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};
double tree_rate(GpuProtocol protocol, std::uint64_t bytes) {
  const unsigned size = log2_of(bytes >> 6);
  return bytes < 64 || size >= 23 ? 1 : kTreeRates[static_cast<std::size_t>(protocol)][size];
}

/// Steps of a ring.
double steps_of(Type type, double ranks) { return type == Type::all_reduce ? 2 * (ranks - 1) : ranks - 1; }

/// The library's picture of where it runs.
struct Place {
  Type type;
  std::uint64_t bytes;
  const GpuLibrary& library;
  const Servers& servers;
  double ranks, inside, between;  ///< bytes/s of all channels together

  bool is_one() const { return servers.servers == 1; }
  double channels() const { return library.channels; }
};

constexpr double kLl128 = 0.92;             ///< the library's figure for 120/128
constexpr double kTree = 0.92;              ///< of the rate of a ring
constexpr double kPlateau = 1.4;            ///< latencies of a ring between servers
constexpr TimePs kNetworkPost = 1'000'000;  ///< of a message; Simple posts three

GpuChoice ring(GpuProtocol protocol, const Place& at) {
  const GpuLibrary& library = at.library;
  double bus = at.is_one() ? at.inside : at.between;
  if (protocol == GpuProtocol::ll)
    bus = std::min(static_cast<double>(library.ll[at.servers.servers]), bus / 2);
  if (protocol == GpuProtocol::ll128)
    bus = std::min(bus * kLl128,
                   at.channels() * static_cast<double>(library.ring_ll128_channel[at.servers.servers]));
  const double steps = steps_of(at.type, at.ranks);
  double latency = static_cast<double>(library.ring_base[protocol]);
  const double crossing = at.is_one() ? 0 : steps_of(at.type, at.servers.servers);
  double step = static_cast<double>(library.ring_server[protocol]);
  if (!at.is_one())
    step = std::max(step, static_cast<double>(kNetworkPost) * (protocol == GpuProtocol::simple ? 3 : 1));
  latency += (steps - crossing) * step + crossing * static_cast<double>(library.ring_network[protocol]);
  if (protocol == GpuProtocol::simple && !at.is_one() && at.type == Type::all_reduce &&
      static_cast<double>(at.bytes) / (at.channels() * at.ranks) >= 64)
    latency *= kPlateau;
  return {GpuAlgorithm::ring, protocol, static_cast<TimePs>(latency), bus * at.ranks / steps};
}

GpuChoice tree(GpuProtocol protocol, const Place& at) {
  const GpuLibrary& library = at.library;
  const std::uint32_t servers = at.servers.servers;
  double bus = servers <= 2 ? at.inside : at.between;
  bus = std::min(bus * kTree, at.channels() * static_cast<double>(library.tree_channel[servers]));
  if (protocol == GpuProtocol::ll) bus = std::min(bus / 3.8, static_cast<double>(library.ll[servers]));
  if (protocol == GpuProtocol::ll128)
    bus = std::min(bus * (at.is_one() ? 7. / 9 : 120. / 128),
                   at.channels() * static_cast<double>(library.tree_ll128_channel[servers]));
  const double latency = static_cast<double>(library.tree_base[protocol]) +
                         2 * ((at.servers.gpus - 1.) * static_cast<double>(library.tree_server[protocol]) +
                              log2_of(servers) * static_cast<double>(library.tree_network[protocol]));
  return {GpuAlgorithm::tree, protocol, static_cast<TimePs>(latency),
          bus / 2 * tree_rate(protocol, at.bytes)};
}

/// In the switches of servers, and between them along trees.
GpuChoice nvls(const Place& at) {
  const InSwitchReduction& in_switch = *at.library.nvls;
  const double channels = in_switch.channels, gpus = at.servers.gpus;
  double channel = at.inside / channels * in_switch.efficiency * (channels - 1) / channels;
  channel *= at.type == Type::all_reduce ? 2 : (gpus - 1) / gpus;
  double latency = static_cast<double>(in_switch.base_ps);
  if (!at.is_one()) {
    const double between = at.between / channels * (at.servers.servers <= 2 ? 2 : 1);
    channel = std::min({channel, between, static_cast<double>(in_switch.tree_channel[at.servers.servers])});
    latency += 2 * log2_of(at.servers.servers) * static_cast<double>(in_switch.network_ps);
  }
  const bool by_steps = at.type == Type::all_reduce;
  return {at.is_one() ? GpuAlgorithm::nvls : GpuAlgorithm::nvls_tree, GpuProtocol::simple,
          static_cast<TimePs>(latency),
          channels * channel * (by_steps ? at.ranks / steps_of(at.type, at.ranks) : 1)};
}

}  // namespace

std::string GpuChoice::name() const {
  switch (algorithm) {
    case GpuAlgorithm::nvls:
      return "nvls";
    case GpuAlgorithm::nvls_tree:
      return "nvls_tree";
    case GpuAlgorithm::ring:
      return std::string("ring_") + to_string(protocol);
    case GpuAlgorithm::tree:
      break;
  }
  return std::string("tree_") + to_string(protocol);
}

std::vector<GpuChoice> gpu_choices(CollectiveType type, std::uint64_t bytes, const GpuLibrary& library,
                                   const Servers& servers) {
  if (type != Type::all_reduce && type != Type::all_gather && type != Type::reduce_scatter) return {};
  const double inside = static_cast<double>(servers.server_bytes_per_s),
               network = static_cast<double>(servers.network_bytes_per_s) * servers.gpus;
  const Place at{type,
                 bytes,
                 library,
                 servers,
                 static_cast<double>(servers.ranks()),
                 inside,
                 servers.servers == 1 ? inside : std::min(inside, network)};
  std::vector<GpuChoice> choices;
  for (const GpuProtocol protocol : kGpuProtocols) {
    choices.push_back(ring(protocol, at));
    if (type == Type::all_reduce) choices.push_back(tree(protocol, at));
  }
  // From three GPUs on; between servers only sums of all.
  if (library.nvls && servers.flow_bytes_per_s != 0 && servers.gpus > 2 &&
      (servers.servers == 1 || type == Type::all_reduce))
    choices.push_back(nvls(at));
  std::stable_sort(choices.begin(), choices.end(), [&](const GpuChoice& a, const GpuChoice& b) {
    return a.time_ps(bytes) < b.time_ps(bytes);
  });
  return choices;
}

}  // namespace wafertlm
