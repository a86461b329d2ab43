// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/switch_routes.h"

#include <algorithm>

namespace wafertlm {

struct SwitchRoutes::Network {
  Network(std::uint32_t m, std::uint32_t ports) : network(m, ports), router(network) {}
  FredNetwork network;
  FredRouter router;
  /// Why a set of flows does not route; empty: it does.
  std::map<std::vector<std::uint32_t>, std::string> known;
};

namespace {

/// Sets that are remembered for each size of switch; then all are forgotten.
constexpr std::size_t kMaxKnown = 100'000;

bool is_before(const FredFlow& a, const FredFlow& b) {
  return a.inputs != b.inputs ? a.inputs < b.inputs : a.outputs < b.outputs;
}

bool is_same(const FredFlow& a, const FredFlow& b) { return a.inputs == b.inputs && a.outputs == b.outputs; }

}  // namespace

SwitchRoutes::SwitchRoutes(std::uint32_t m, FredRouteMode mode, Behind behind)
    : m_(m), behind_(std::move(behind)) {
  options_.mode = mode;
  options_.take_turns = true;
}

SwitchRoutes::~SwitchRoutes() = default;

void SwitchRoutes::add_switch(std::uint32_t network_ports, std::vector<Port> ports) {
  auto& network = networks_[network_ports];
  if (!network) network = std::make_unique<Network>(m_, network_ports);
  for (const Port& port : ports) most_lanes_ = std::max(most_lanes_, port.lanes);
  switches_.push_back({network.get(), std::move(ports)});
}

/// The flow with a lane on each link, beginning with lane `wish` where several have equally few flows.
SwitchRoutes::Active SwitchRoutes::lay(const std::vector<FlowTree::SwitchBranch>& branches,
                                       std::uint32_t phase, std::uint32_t wish) const {
  Active made;
  made.phase = phase;
  const auto choose = [&](const Link& link, std::uint32_t lanes) {
    std::vector<std::uint32_t> flows(lanes);
    for (const auto& [key, other] : active_)
      if (const auto found = other.lane.find(link); other.phase == phase && found != other.lane.end())
        ++flows[found->second];
    std::uint32_t best = wish % lanes;
    for (std::uint32_t i = 1; i < lanes; ++i)
      if (const std::uint32_t lane = (wish + i) % lanes; flows[lane] < flows[best]) best = lane;
    return best;
  };
  const auto network_port = [&](std::size_t at, PortId number, bool sends) {
    const Port& port = switches_[at].ports[index_of(number)];
    const auto other = behind_(at, number);
    if (!other || port.lanes == 1) return port.first;
    const Link link = sends ? Link{at, number} : Link{other->at, other->port};
    const auto found = made.lane.find(link);
    const std::uint32_t lane = found != made.lane.end() ? found->second : choose(link, port.lanes);
    made.lane[link] = lane;
    return port.first + lane;
  };
  for (const FlowTree::SwitchBranch& place : branches) {
    FredFlow flow;
    for (const PortId port : place.branch.inputs) flow.inputs.push_back(network_port(place.at, port, false));
    for (const PortId port : place.branch.outputs) flow.outputs.push_back(network_port(place.at, port, true));
    std::sort(flow.inputs.begin(), flow.inputs.end());
    std::sort(flow.outputs.begin(), flow.outputs.end());
    made.at.emplace_back(place.at, std::move(flow));
  }
  return made;
}

SwitchRoutes::Flows SwitchRoutes::flows_at(std::size_t at, std::uint32_t phase) const {
  Flows flows;
  for (const auto& [key, active] : active_)
    if (active.phase == phase)
      for (const auto& [where, flow] : active.at)
        if (where == at) flows.emplace_back(key, flow);
  return flows;
}

const std::string& SwitchRoutes::failure(Network& network, std::vector<FredFlow> flows) {
  std::sort(flows.begin(), flows.end(), is_before);
  // Equal flows take turns with each other and have the same neighbours.
  flows.erase(std::unique(flows.begin(), flows.end(), is_same), flows.end());
  if (network.known.size() > kMaxKnown) network.known.clear();
  const auto [found, is_new] = network.known.try_emplace(ports_of_all(flows));
  if (is_new) {
    ++searches_;
    const FredRouting routing = network.router.route(flows, options_);
    if (!routing.routed())
      found->second =
          "FRED_" + std::to_string(m_) + "(" + std::to_string(network.network.ports()) + "), " +
          (routing.status == FredRouteStatus::impossible ? "proven impossible" : to_string(options_.mode));
  }
  return found->second;
}

std::optional<FlowRouteConflict> SwitchRoutes::conflict_of(const Active& made) {
  std::vector<std::size_t> switches;
  for (const auto& [at, flow] : made.at) switches.push_back(at);
  std::sort(switches.begin(), switches.end());
  switches.erase(std::unique(switches.begin(), switches.end()), switches.end());
  for (const std::size_t at : switches) {
    Network& network = *switches_[at].network;
    Flows others = flows_at(at, made.phase);
    const auto reason_with = [&](const Flows& some) -> const std::string& {
      std::vector<FredFlow> flows;
      for (const auto& [key, flow] : some) flows.push_back(flow);
      for (const auto& [where, flow] : made.at)
        if (where == at) flows.push_back(flow);
      return failure(network, std::move(flows));
    };
    std::string reason = reason_with(others);
    if (reason.empty()) continue;
    // Leaves out whoever has no part in it.
    for (std::size_t i = others.size(); i-- > 0;) {
      Flows fewer = others;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const std::string& still = reason_with(fewer);
      if (still.empty()) continue;
      reason = still;
      others = std::move(fewer);
    }
    FlowRouteConflict conflict{at, {}, std::move(reason)};
    for (const auto& [key, flow] : others)
      if (conflict.beside.empty() || !(conflict.beside.back() == key)) conflict.beside.push_back(key);
    return conflict;
  }
  return std::nullopt;
}

std::optional<FlowRouteConflict> SwitchRoutes::take(const FlowKey& key, std::uint32_t phase,
                                                    const std::vector<FlowTree::SwitchBranch>& branches) {
  std::optional<FlowRouteConflict> first;
  const std::uint32_t choices = options_.mode == FredRouteMode::backtracking ? most_lanes_ : 1;
  for (std::uint32_t wish = 0; wish < choices; ++wish) {
    Active made = lay(branches, phase, wish);
    auto conflict = conflict_of(made);
    if (!conflict) {
      active_.insert_or_assign(key, std::move(made));
      return std::nullopt;
    }
    if (!first) first = std::move(conflict);
  }
  return first;
}

void SwitchRoutes::release(const FlowKey& key) { active_.erase(key); }

}  // namespace wafertlm
