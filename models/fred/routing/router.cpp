// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/router.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

#include "models/fred/routing/colouring.h"
#include "models/fred/routing/evaluate.h"

namespace wafertlm {

/// How FRED_m(3) is set for a set of flows: found once by trying all 12³ settings of its three RD-µswitches,
/// so its answer is exact. Not every set of flows has one: {0,2→1, 1→0,2} does not.
class BaseSwitch {
 public:
  /// The inputs that each of the two outputs of the three µswitches takes.
  using Setting = std::array<std::uint32_t, 6>;

  BaseSwitch();
  /// @param wanted input ports (bits) at each output port.
  const std::optional<Setting>& setting(const std::array<std::uint32_t, 3>& wanted) const {
    return settings_[wanted[0] | wanted[1] << 3U | wanted[2] << 6U];
  }

 private:
  std::vector<std::optional<Setting>> settings_;
};

namespace {

/// The place in the table of what arrives, or none if a port counts twice or a µswitch would wait for ever.
std::optional<std::uint32_t> arriving(const FredNetlist& netlist, const FredConfiguration& configuration) {
  std::vector<std::uint32_t> carries(configuration.takes.size());
  const auto on = [&](const FredWire& wire) {
    return wire.element == FredWire::kPort
               ? 1U << wire.output
               : carries[netlist.elements()[wire.element].first_output + wire.output];
  };
  for (const MicroSwitch& element : netlist.elements())
    for (std::uint32_t out = element.first_output; out < element.first_output + 2; ++out)
      for (std::uint32_t in = 0; in < 2; ++in) {
        if (!(configuration.takes[out] >> in & 1U)) continue;
        const std::uint32_t more = on(element.inputs[in]);
        if (more == 0 || (more & carries[out])) return std::nullopt;
        carries[out] |= more;
      }
  std::uint32_t place = 0;
  for (std::uint32_t port = 0; port < 3; ++port) place |= on(netlist.outputs()[port]) << 3 * port;
  return place;
}

/// The input ports (bits) that each of at most 32 output ports shall carry.
std::vector<std::uint32_t> wanted_inputs(const std::vector<FredFlow>& flows, std::uint32_t ports) {
  std::vector<std::uint32_t> wanted(ports);
  for (const FredFlow& flow : flows)
    for (const std::uint32_t output : flow.outputs)
      for (const std::uint32_t input : flow.inputs) wanted[output] |= 1U << input;
  return wanted;
}

/// How the flows of one block are carried: the middle switch of each and what happens there, or the setting
/// of a base switch.
struct Plan {
  std::vector<std::uint32_t> middle_of;
  std::vector<std::shared_ptr<const Plan>> middles;
  std::vector<std::uint32_t> base;
};
using PlanPtr = std::shared_ptr<const Plan>;

/// Flows as their middle switch sees them: a port for each µswitch.
FredFlow inside(const FredFlow& flow) {
  const auto halved = [](const std::vector<std::uint32_t>& ports) {
    std::vector<std::uint32_t> half;
    for (const std::uint32_t port : ports)
      if (half.empty() || half.back() != port / 2) half.push_back(port / 2);
    return half;
  };
  return {halved(flow.inputs), halved(flow.outputs)};
}

std::uint32_t middle_ports(std::uint32_t ports) { return (ports + 1) / 2; }

/// Flows that share a µswitch but no port: whose packets can be there at the same time. In a middle switch
/// two of the flows share a port if and only if they did so outside, since others have different ones.
ConflictGraph conflicts_of(const std::vector<FredFlow>& flows, std::uint32_t ports) {
  std::vector<std::vector<std::uint32_t>> at(middle_ports(ports));  // flows at each µswitch
  ConflictGraph graph(flows.size());
  for (const auto side : {&FredFlow::inputs, &FredFlow::outputs}) {
    for (auto& each : at) each.clear();
    for (std::uint32_t flow = 0; flow < flows.size(); ++flow)
      for (const std::uint32_t port : flows[flow].*side) {
        std::vector<std::uint32_t>& others = at[port / 2];
        if (!others.empty() && others.back() == flow) continue;
        for (const std::uint32_t other : others) {
          if (share_a_port(flows[flow], flows[other])) continue;
          graph[flow].push_back(other);
          graph[other].push_back(flow);
        }
        others.push_back(flow);
      }
  }
  for (auto& neighbours : graph) {
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  }
  return graph;
}

std::string numbers(const std::vector<std::uint32_t>& flows) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(flows.size(), kShown); ++i)
    text += (i ? ", " : "") + std::to_string(flows[i]);
  return flows.size() > kShown ? text + ", … (" + std::to_string(flows.size()) + " in all)" : text;
}

}  // namespace

BaseSwitch::BaseSwitch() : settings_(512) {
  const FredNetwork network(1, 3);
  // What the two outputs of an RD-µswitch can take: outputs that share an input are equal.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> one;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 4; ++b)
      if (a == b || !(a & b)) one.emplace_back(a, b);
  FredConfiguration configuration = network.netlist().idle();
  for (const auto& first : one)
    for (const auto& second : one)
      for (const auto& third : one) {
        const Setting setting = {first.first,   first.second, second.first,
                                 second.second, third.first,  third.second};
        configuration.takes.assign(setting.begin(), setting.end());
        const auto place = arriving(network.netlist(), configuration);
        if (place && !settings_[*place]) settings_[*place] = setting;
      }
}

const char* to_string(FredRouteMode mode) {
  return mode == FredRouteMode::first_colouring ? "first colouring" : "backtracking";
}

const char* to_string(FredRouteStatus status) {
  constexpr const char* kNames[] = {"routed", "impossible", "not found"};
  return kNames[static_cast<std::size_t>(status)];
}

/// One call of route(). Flows are sorted by their first input, in all blocks: two flows in the same middle
/// switch come from different µswitches, so the order stays.
class FredRouter::Attempt {
 public:
  Attempt(const FredRouter& router, const FredRouteOptions& options, FredRouting& result)
      : network_(router.network_), base_(*router.base_), options_(options), result_(result) {}

  /// One colouring; a failure is described in the result.
  PlanPtr first(const std::vector<FredFlow>& flows, const std::vector<std::uint32_t>& ids) {
    const Where whole{network_.root(), ids};
    return first_colouring(network_.ports(), flows, &whole);
  }

  /// All colourings, the first one first.
  PlanPtr search(const std::vector<FredFlow>& flows) {
    const Answer answer = solve(network_.ports(), flows);
    if (answer == Answer::yes) return plan_of(network_.ports(), flows);
    result_.status = answer == Answer::no ? FredRouteStatus::impossible : FredRouteStatus::not_found;
    result_.reason = (answer == Answer::no ? "no colouring routes at all levels (" : "gave up after (") +
                     std::to_string(result_.steps) +
                     " assignments of a flow to a middle switch); the first colouring: " + result_.reason;
    return nullptr;
  }

  void apply(const Plan& plan, std::uint32_t index, const std::vector<FredFlow>& flows) {
    const FredNetwork::Block& block = network_.block(index);
    const auto takes = [&](std::uint32_t element, std::uint32_t output) -> std::uint32_t& {
      return result_.configuration.takes[network_.netlist().elements()[element].first_output + output];
    };
    for (std::uint32_t i = 0; i < plan.base.size(); ++i) takes(block.inputs[i / 2], i % 2) = plan.base[i];
    if (block.middles.empty()) return;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      const std::uint32_t middle = plan.middle_of[flow];
      // Both inputs of an R-µswitch in a flow: it adds. Both outputs of a D-µswitch: it copies.
      for (const std::uint32_t port : flows[flow].inputs)
        takes(block.inputs[port / 2], middle) |= 1U << port % 2;
      for (const std::uint32_t port : flows[flow].outputs)
        takes(block.outputs[port / 2], port % 2) = 1U << middle;
    }
    for (std::uint32_t c = 0; c < block.middles.size(); ++c)
      if (plan.middles[c]) apply(*plan.middles[c], block.middles[c], flows_inside(flows, plan.middle_of, c));
  }

 private:
  enum class Answer : std::uint8_t { yes, no, unknown };

  static std::vector<FredFlow> flows_inside(const std::vector<FredFlow>& flows,
                                            const std::vector<std::uint32_t>& middle_of, std::uint32_t c) {
    std::vector<FredFlow> chosen;
    for (std::size_t i = 0; i < flows.size(); ++i)
      if (middle_of[i] == c) chosen.push_back(inside(flows[i]));
    return chosen;
  }

  PlanPtr base_plan(std::uint32_t ports, const std::vector<FredFlow>& flows) const {
    if (options_.take_turns && !fit_in_turns(ports, flows)) return nullptr;
    if (options_.take_turns) return std::make_shared<Plan>();
    const std::vector<std::uint32_t> wanted = wanted_inputs(flows, ports);
    if (ports == 2) return std::make_shared<Plan>(Plan{{}, {}, wanted});
    const auto& setting = base_.setting({wanted[0], wanted[1], wanted[2]});
    if (!setting) return nullptr;
    return std::make_shared<Plan>(Plan{{}, {}, {setting->begin(), setting->end()}});
  }

  /// Whether a base switch carries all sets of flows without a common port.
  bool fit_in_turns(std::uint32_t ports, const std::vector<FredFlow>& flows) const {
    if (ports == 2) return true;
    const auto fits = [&](const std::vector<FredFlow>& some) {
      const std::vector<std::uint32_t> wanted = wanted_inputs(some, ports);
      return base_.setting({wanted[0], wanted[1], wanted[2]}).has_value();
    };
    // With three ports there are at most three, and each one alone fits.
    for (std::size_t a = 0; a < flows.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        if (share_a_port(flows[a], flows[b])) continue;
        if (!fits({flows[a], flows[b]})) return false;
        for (std::size_t c = 0; c < b; ++c)
          if (!share_a_port(flows[a], flows[c]) && !share_a_port(flows[b], flows[c]) &&
              !fits({flows[a], flows[b], flows[c]}))
            return false;
      }
    return true;
  }

  /// A block and the numbers that its flows have for the user.
  struct Where {
    std::uint32_t block;
    std::vector<std::uint32_t> ids;
  };

  /// Notes why; only the failure of the whole switch proves something.
  void describe_failure(bool proven, const Where& where, const std::vector<std::uint32_t>& flows,
                        const std::string& why) {
    const FredNetwork::Block& block = network_.block(where.block);
    std::vector<std::uint32_t> ids;
    for (const std::uint32_t flow : flows) ids.push_back(where.ids[flow]);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    result_.status = proven && block.name.empty() ? FredRouteStatus::impossible : FredRouteStatus::not_found;
    result_.reason = "flows " + numbers(ids) + " " + why + " in " +
                     (block.name.empty() ? "the switch" : "its middle switch " + block.name) + " of " +
                     std::to_string(block.ports) + " ports";
  }

  /// One colouring at each level. Without `where` a failure is not described.
  PlanPtr first_colouring(std::uint32_t ports, const std::vector<FredFlow>& flows, const Where* where) {
    if (ports <= 3) {
      PlanPtr plan = base_plan(ports, flows);
      std::vector<std::uint32_t> all(flows.size());
      std::iota(all.begin(), all.end(), 0U);
      if (!plan && where)
        describe_failure(true, *where, all, "do not fit together through the three µswitches");
      return plan;
    }
    const Colouring colouring =
        colour_graph(conflicts_of(flows, ports), network_.m(), options_.colouring_budget);
    if (where) result_.heuristic |= colouring.heuristic;
    if (colouring.answer != Colouring::Answer::found) {
      if (where)
        describe_failure(
            colouring.answer == Colouring::Answer::impossible, *where, colouring.component,
            "share µswitches and need more than " + std::to_string(network_.m()) + " middle switches");
      return nullptr;
    }
    auto plan = std::make_shared<Plan>();
    plan->middle_of = colouring.colour;
    plan->middles.resize(network_.m());
    for (std::uint32_t c = 0; c < network_.m(); ++c) {
      const std::vector<FredFlow> chosen = flows_inside(flows, plan->middle_of, c);
      if (chosen.empty()) continue;
      std::optional<Where> inner;
      if (where) {
        inner = Where{network_.block(where->block).middles[c], {}};
        for (std::size_t i = 0; i < flows.size(); ++i)
          if (plan->middle_of[i] == c) inner->ids.push_back(where->ids[i]);
      }
      plan->middles[c] = first_colouring(middle_ports(ports), chosen, inner ? &*inner : nullptr);
      if (!plan->middles[c]) return nullptr;
    }
    return plan;
  }

  /// Blocks of the same size are alike, so what is known of a set of flows holds for all of them.
  using Key = std::vector<std::uint32_t>;
  static Key key_of(std::uint32_t ports, const std::vector<FredFlow>& flows) {
    Key key = ports_of_all(flows);
    key.push_back(ports);
    return key;
  }

  PlanPtr plan_of(std::uint32_t ports, const std::vector<FredFlow>& flows) const {
    return flows.empty() ? nullptr : known_.at(key_of(ports, flows));
  }

  /// Whether a FRED of this size carries the flows; the plan is then known. `unknown`: the budget is used up.
  Answer solve(std::uint32_t ports, const std::vector<FredFlow>& flows) {
    if (flows.empty()) return Answer::yes;
    const Key key = key_of(ports, flows);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second ? Answer::yes : Answer::no;
    PlanPtr plan = first_colouring(ports, flows, nullptr);
    Answer answer = plan ? Answer::yes : Answer::no;
    if (!plan && ports > 3) {
      const ConflictGraph graph = conflicts_of(flows, ports);
      const Colouring::Answer colourable =
          colour_graph(graph, network_.m(), options_.colouring_budget).answer;
      if (colourable != Colouring::Answer::impossible) {
        std::vector<std::uint32_t> middle_of(flows.size(), kUnassigned);
        answer = assign(ports, flows, graph, search_order(graph), 0, 0, middle_of, plan);
      }
    }
    if (answer != Answer::unknown) known_[key] = plan;
    return answer;
  }

  /// Next is the flow with most conflicts with those before it, then most conflicts at all.
  static std::vector<std::uint32_t> search_order(const ConflictGraph& graph) {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> before(graph.size());
    std::vector<bool> done(graph.size());
    while (order.size() < graph.size()) {
      std::optional<std::uint32_t> best;
      for (std::uint32_t flow = 0; flow < graph.size(); ++flow)
        if (!done[flow] && (!best || std::make_pair(before[flow], graph[flow].size()) >
                                         std::make_pair(before[*best], graph[*best].size())))
          best = flow;
      done[*best] = true;
      order.push_back(*best);
      for (const std::uint32_t neighbour : graph[*best]) ++before[neighbour];
    }
    return order;
  }

  /// Gives order[next] and those behind it a middle switch. Middle switches are alike: of the empty ones only
  /// the first is tried. A middle switch that cannot carry some flows cannot carry more either.
  Answer assign(std::uint32_t ports, const std::vector<FredFlow>& flows, const ConflictGraph& graph,
                const std::vector<std::uint32_t>& order, std::size_t next, std::uint32_t used,
                std::vector<std::uint32_t>& middle_of, PlanPtr& plan) {
    if (next == order.size()) {
      auto complete = std::make_shared<Plan>();
      complete->middle_of = middle_of;
      for (std::uint32_t c = 0; c < network_.m(); ++c)
        complete->middles.push_back(plan_of(middle_ports(ports), flows_inside(flows, middle_of, c)));
      plan = complete;
      return Answer::yes;
    }
    const std::uint32_t flow = order[next];
    bool unknown = false;
    for (std::uint32_t c = 0; c < std::min(used + 1, network_.m()); ++c) {
      const bool taken = std::any_of(graph[flow].begin(), graph[flow].end(),
                                     [&](std::uint32_t neighbour) { return middle_of[neighbour] == c; });
      if (taken) continue;
      if (result_.steps == options_.search_budget) {
        unknown = true;
        break;
      }
      ++result_.steps;
      middle_of[flow] = c;
      Answer answer = solve(middle_ports(ports), flows_inside(flows, middle_of, c));
      if (answer == Answer::yes)
        answer = assign(ports, flows, graph, order, next + 1, std::max(used, c + 1), middle_of, plan);
      if (answer == Answer::yes) return answer;
      unknown |= answer == Answer::unknown;
    }
    middle_of[flow] = kUnassigned;
    return unknown ? Answer::unknown : Answer::no;
  }

  static constexpr std::uint32_t kUnassigned = ~std::uint32_t{0};
  const FredNetwork& network_;
  const BaseSwitch& base_;
  const FredRouteOptions& options_;
  FredRouting& result_;
  std::map<Key, PlanPtr> known_;  ///< no plan: impossible
};

FredRouter::FredRouter(const FredNetwork& network)
    : network_(network), base_(std::make_unique<BaseSwitch>()) {}
FredRouter::~FredRouter() = default;

FredRouting FredRouter::route(const std::vector<FredFlow>& flows, const FredRouteOptions& options,
                              const std::vector<std::size_t>& names) const {
  const std::vector<FredFlow> checked = checked_flows(flows, network_.ports(), options.take_turns);
  std::vector<std::uint32_t> ids(checked.size());
  std::iota(ids.begin(), ids.end(), 0U);
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    return checked[a].inputs.front() < checked[b].inputs.front();
  });
  std::vector<FredFlow> sorted;
  for (std::uint32_t& id : ids) {
    sorted.push_back(checked[id]);
    if (!names.empty()) id = static_cast<std::uint32_t>(names[id]);
  }

  FredRouting result;
  result.configuration = network_.netlist().idle();
  if (sorted.empty()) return result;
  Attempt attempt(*this, options, result);
  PlanPtr plan = attempt.first(sorted, ids);
  if (!plan && result.status == FredRouteStatus::not_found && options.mode == FredRouteMode::backtracking)
    plan = attempt.search(sorted);
  if (plan) {
    result.status = FredRouteStatus::routed;
    result.reason.clear();
    if (!options.take_turns) attempt.apply(*plan, network_.root(), sorted);
  }
  return result;
}

}  // namespace wafertlm
