// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "models/ethernet/ethernet_fabric.h"
#include "platform/fabrics/ethernet/ethernet_results.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using Stretches = std::vector<std::pair<TimePs, TimePs>>;
constexpr std::size_t kShownCulprits = 3;

/// In order, without overlaps.
Stretches merged(Stretches of) {
  std::sort(of.begin(), of.end());
  Stretches all;
  for (const auto& [from, to] : of) {
    if (!all.empty() && from <= all.back().second)
      all.back().second = std::max(all.back().second, to);
    else
      all.emplace_back(from, to);
  }
  return all;
}

/// Of two such lists.
TimePs common_ps(const Stretches& a, const Stretches& b) {
  TimePs sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const TimePs from = std::max(a[i].first, b[j].first), to = std::min(a[i].second, b[j].second);
    if (from < to) sum += to - from;
    ++(a[i].second < b[j].second ? i : j);
  }
  return sum;
}

TimePs length_ps(const Stretches& of) { return common_ps(of, of); }

struct Culprit {
  ethernet::PauseOrigin origin;
  TimePs common_ps = 0;
  std::uint32_t port = 0;  ///< paused longest
};

/// In exposed time, the largest first.
std::vector<Culprit> culprits(const EthernetFabric& fabric, const Stretches& exposed) {
  struct Paused {
    Stretches all;
    std::map<std::uint32_t, Stretches> by_port;
  };
  std::map<std::tuple<std::uint32_t, std::uint64_t>, Paused> of;  // root, work
  for (const EthernetFabric::PauseStretch& pause : fabric.pauses()) {
    Paused& paused = of[{pause.origin.root, pause.origin.work}];
    paused.all.emplace_back(pause.from_ps, pause.to_ps);
    paused.by_port[pause.port].emplace_back(pause.from_ps, pause.to_ps);
  }
  std::vector<Culprit> all;
  for (const auto& [key, paused] : of) {
    Culprit culprit{{std::get<0>(key), std::get<1>(key)}, common_ps(merged(paused.all), exposed), 0};
    if (culprit.common_ps == 0) continue;
    TimePs longest = 0;
    for (const auto& [port, stretches] : paused.by_port) {
      const TimePs common = common_ps(merged(stretches), exposed);
      if (common > longest) culprit.port = port;
      longest = std::max(longest, common);
    }
    all.push_back(culprit);
  }
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.common_ps > b.common_ps; });
  return all;
}

double percent(TimePs part, TimePs whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string pause_culprits(const EthernetFabric& fabric, const ExposedTime& time) {
  const Stretches exposed = merged(time.stretches);
  const std::vector<Culprit> all = culprits(fabric, exposed);
  if (all.empty()) return {};
  Stretches pauses;
  for (const EthernetFabric::PauseStretch& pause : fabric.pauses())
    pauses.emplace_back(pause.from_ps, pause.to_ps);
  const TimePs whole = length_ps(exposed);
  std::string text = fmt::format(
      "Pauses (PFC): in {:.1f} % of the exposed time of the rank that finishes last ({}) a port is paused.\n",
      percent(common_ps(merged(pauses), exposed), whole), format_time(whole));
  const ethernet::Network& network = fabric.places().network;
  for (std::size_t i = 0; i < std::min(all.size(), kShownCulprits); ++i) {
    const Culprit& culprit = all[i];
    const bool incast = network.is_host(network.ports()[culprit.origin.root].peer_node);
    text += fmt::format("  {:.1f} % of the exposed time is pause of {}, because {} takes too little: {}{}\n",
                        percent(culprit.common_ps, whole), fabric.places().port_name(culprit.port),
                        fabric.places().port_name(culprit.origin.root), incast ? "incast of " : "filled by ",
                        time.name_of(culprit.origin.work));
  }
  if (all.size() > kShownCulprits) text += fmt::format("  and {} more\n", all.size() - kShownCulprits);
  return text;
}

}  // namespace wafertlm
