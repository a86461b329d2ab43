// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/fred/random_scenario.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/fred/routing/router.h"

namespace wafertlm::test {
namespace {

std::uint64_t next(std::uint64_t& state) {  // SplitMix64
  std::uint64_t z = state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}
std::uint32_t below(std::uint64_t& state, std::size_t n) {
  return static_cast<std::uint32_t>(next(state) % n);
}

std::vector<std::uint32_t> shuffled(std::uint32_t n, std::uint64_t& state) {
  std::vector<std::uint32_t> ports(n);
  for (std::uint32_t i = 0; i < n; ++i) ports[i] = i;
  for (std::uint32_t i = n; i > 1; --i) std::swap(ports[i - 1], ports[below(state, i)]);
  return ports;
}

/// Unicast, multicast, reduce, all-reduce or any of several to several; no port in common.
std::vector<FredFlow> flow_set(std::uint32_t ports, FlowKinds kinds, std::uint64_t& state) {
  std::vector<std::uint32_t> in = shuffled(ports, state), out = in;
  std::vector<FredFlow> flows;
  const auto take = [](std::vector<std::uint32_t>& from, std::size_t n) {
    std::vector<std::uint32_t> taken(from.end() - static_cast<std::ptrdiff_t>(n), from.end());
    from.resize(from.size() - n);
    std::sort(taken.begin(), taken.end());
    return taken;
  };
  while (!in.empty() && !out.empty()) {
    const std::size_t most = std::min<std::size_t>({in.size(), out.size(), 6});
    const std::size_t k = 1 + below(state, most);
    switch (kinds == FlowKinds::any ? below(state, 5) : kinds == FlowKinds::one_input ? 1 : 2) {
      case 0:
        flows.push_back({take(in, 1), take(out, 1)});
        break;
      case 1:
        flows.push_back({take(in, 1), take(out, k)});
        break;
      case 2:
        flows.push_back({take(in, k), take(out, 1)});
        break;
      case 3:
        flows.push_back({take(in, k), take(out, 1 + below(state, most))});
        break;
      default:  // the same ports, as long as there are some
        if (in == out)
          flows.push_back({take(in, k), take(out, k)});
        else
          flows.push_back({take(in, 1), take(out, 1)});
    }
  }
  FredNetwork network(3, ports);
  FredRouter router(network);
  while (!router.route(flows).routed()) flows.pop_back();
  return flows;
}

class Maker {
 public:
  Maker(std::uint32_t ports, const RandomTraffic& traffic, std::size_t deliveries, std::uint64_t seed)
      : traffic_(traffic), state_(seed * 7919 + ports) {
    scenario_.ports = ports;
    scenario_.seed = seed;
    scenario_.inputs.resize(ports);
    scenario_.most_hold = traffic.most_hold;
    scenario_.phase_rule = traffic.phase_rule;
    scenario_.phase_change = traffic.phase_change;
    // Flits that leave in a cycle are about the loads times the ports.
    const double load = traffic.dp_load + traffic.mp_load + traffic.unicast_load;
    const double flits = traffic.flits != 0 ? traffic.flits : 2.5;
    cycles_ = static_cast<double>(deliveries) * flits / (load * ports);
    for (std::uint32_t i = 0; i < ports; ++i)
      late_.push_back(traffic.late_cycles == 0 ? 0 : below(state_, traffic.late_cycles + 1));
  }

  SwitchScenario make() {
    if (traffic_.dp_load != 0) traffic_.compound ? add_compound() : add_set(0, traffic_.dp_load);
    if (traffic_.mp_load != 0) add_set(1, traffic_.mp_load);
    if (traffic_.unicast_load != 0) add_unicasts();
    for (auto& input : scenario_.inputs)
      std::stable_sort(input.begin(), input.end(), [](const ScenarioPacket& a, const ScenarioPacket& b) {
        return a.created < b.created;
      });
    return std::move(scenario_);
  }

 private:
  std::uint32_t flits_of(std::uint32_t fixed) { return fixed != 0 ? fixed : 1 + below(state_, 4); }
  std::size_t add_flow(const FredFlow& ports, const std::vector<std::uint32_t>& way,
                       std::uint32_t traffic_class) {
    ScenarioFlow& flow = scenario_.flows.emplace_back();
    flow.traffic_class = traffic_class;
    flow.entry.flow = ports;
    flow.entry.way = way;
    flow.entry.priority = scenario_classes()[static_cast<ClassId>(traffic_class)].priority;
    flow.entry.data_type = below(state_, 2) == 0 ? DataType::int32 : DataType::bf16;
    return scenario_.flows.size() - 1;
  }
  /// Packet `number` of a flow, at all of its inputs.
  void add_packet(std::size_t f, std::uint32_t flits, double created, double period) {
    ScenarioFlow& flow = scenario_.flows[f];
    const auto number = static_cast<std::uint32_t>(flow.entry.packets++);
    for (const std::uint32_t port : flow.entry.flow.inputs) {
      auto& input = scenario_.inputs[port];
      ScenarioPacket packet;
      packet.flow = static_cast<int>(f);
      packet.traffic_class = flow.traffic_class;
      packet.sequence = number;
      packet.flits = flits;
      const double late =
          late_[port] + traffic_.jitter * period * static_cast<double>(below(state_, 1000)) / 1000;
      packet.created = static_cast<std::uint64_t>(created + late);
      // An input brings what is in series in the order of the flows.
      if (const auto last = last_.find({flow.traffic_class, port}); last != last_.end())
        packet.created = std::max(packet.created, last->second);
      last_[{flow.traffic_class, port}] = packet.created;
      packet.data = random_values(flow.entry.data_type, std::size_t{flits} * kFlitBytes, state_);
      input.push_back(std::move(packet));
    }
  }
  void add_set(std::uint32_t traffic_class, double load) {
    const std::vector<FredFlow> flows = flow_set(scenario_.ports, traffic_.kinds, state_);
    auto ways = ways_of(scenario_.ports, flows);
    for (auto& way : ways)  // middle switches are alike: the second class gets others than the first
      for (std::uint32_t& middle : way) middle = (middle + traffic_class) % 3;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const std::size_t f = add_flow(flows[i], ways[i], traffic_class);
      const std::uint32_t flits = flits_of(traffic_.flits);
      const double period = flits / load;
      std::uint32_t sent = 0;
      for (double at = below(state_, 20); at < cycles_; at += period) {
        add_packet(f, flits, at, period);
        if (traffic_.burst != 0 && ++sent % traffic_.burst == 0) at += traffic_.burst * period;
      }
    }
  }
  /// Groups; in step j of a reduce-scatter member j gets the sum, of an all-gather it sends to all.
  void add_compound() {
    std::vector<std::uint32_t> ports = shuffled(scenario_.ports, state_);
    const std::size_t size = 2 + below(state_, scenario_.ports / 2 - 1);
    std::vector<std::vector<std::size_t>> steps(size);
    std::vector<std::vector<FredFlow>> flows(size);
    for (std::size_t first = 0; first + size <= ports.size(); first += size) {
      std::vector<std::uint32_t> group(ports.begin() + static_cast<std::ptrdiff_t>(first),
                                       ports.begin() + static_cast<std::ptrdiff_t>(first + size));
      std::sort(group.begin(), group.end());
      const bool gather = traffic_.kinds != FlowKinds::one_output && below(state_, 2) == 0;
      for (std::size_t j = 0; j < size; ++j)
        flows[j].push_back(gather ? FredFlow{{group[j]}, group} : FredFlow{group, {group[j]}});
    }
    FredNetwork network(3, scenario_.ports);
    FredRouter router(network);
    for (auto& together : flows)  // the last group goes where they do not fit
      while (!router.route(together).routed())
        for (auto& step : flows) step.pop_back();
    for (std::size_t j = 0; j < size; ++j) {
      const auto ways = ways_of(scenario_.ports, flows[j]);
      for (std::size_t i = 0; i < flows[j].size(); ++i) steps[j].push_back(add_flow(flows[j][i], ways[i], 0));
    }
    const std::uint32_t flits = flits_of(traffic_.flits);
    const double period = flits / traffic_.dp_load;
    double at = 0;
    for (std::size_t turn = 0; at < cycles_; ++turn, at += period)
      for (const std::size_t f : steps[turn % size]) add_packet(f, flits, at, period);
  }
  void add_unicasts() {
    for (std::uint32_t i = 0; i < scenario_.ports; ++i) {
      std::vector<std::uint32_t> sent(1);
      double at = 0;
      while (true) {
        ScenarioPacket packet;
        packet.flits = flits_of(traffic_.unicast_flits);
        // Gaps from 0 to twice the mean.
        at += packet.flits + 2 * packet.flits * (1 / traffic_.unicast_load - 1) *
                                 static_cast<double>(below(state_, 1000)) / 1000;
        if (at >= cycles_) break;
        packet.output = below(state_, scenario_.ports);
        packet.sequence = sent[0]++;
        packet.created = static_cast<std::uint64_t>(at);
        packet.data = random_values(DataType::int32, std::size_t{packet.flits} * kFlitBytes, state_);
        scenario_.inputs[i].push_back(std::move(packet));
      }
    }
  }

  const RandomTraffic traffic_;
  std::uint64_t state_;
  double cycles_ = 0;
  std::vector<std::uint32_t> late_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> last_;  // by class and input
  SwitchScenario scenario_;
};

}  // namespace

std::vector<std::byte> random_values(DataType type, std::size_t bytes, std::uint64_t& state) {
  std::vector<std::byte> values(bytes);
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word = next(state);
    if (type == DataType::bf16)
      for (unsigned lane = 0; lane < 64; lane += 16)  // the exponent's second bit from above is 0, so below 2
        word &= ~(std::uint64_t{0x4000} << lane);
    std::memcpy(values.data() + i, &word, 8);
  }
  return values;
}

std::vector<std::vector<std::uint32_t>> ways_of(std::uint32_t ports, const std::vector<FredFlow>& flows) {
  const FredNetwork network(3, ports);
  const FredRouting routing = FredRouter(network).route(flows);
  if (!routing.routed()) throw std::invalid_argument(routing.reason);
  std::vector<std::vector<std::uint32_t>> ways;
  for (const FredFlow& flow : flows) ways.push_back(way_of(network, routing.configuration, flow));
  return ways;
}

SwitchScenario random_scenario(std::uint32_t ports, const RandomTraffic& traffic, std::size_t deliveries,
                               std::uint64_t seed) {
  return Maker(ports, traffic, deliveries, seed).make();
}

}  // namespace wafertlm::test
