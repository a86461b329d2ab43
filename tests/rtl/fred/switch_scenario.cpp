// SPDX-License-Identifier: Apache-2.0
#include "tests/rtl/fred/switch_scenario.h"

#include <algorithm>
#include <cmath>

namespace wafertlm::test {

std::size_t SwitchScenario::packets() const {
  std::size_t sum = 0;
  for (const auto& input : inputs)
    for (const ScenarioPacket& packet : input)
      if (packet.flow < 0) ++sum;
  for (const ScenarioFlow& flow : flows) sum += flow.entry.packets * flow.entry.flow.outputs.size();
  return sum;
}

std::string to_string(const DeliveryKey& key) {
  const auto& [output, flow, number] = key;
  return (flow >= 0 ? "flow " + std::to_string(flow) : "unicast of input " + std::to_string(-1 - flow)) +
         ", packet " + std::to_string(number) + ", at output " + std::to_string(output);
}

std::uint64_t hold_cycles(const SwitchScenario& scenario, const DeliveryKey& key) {
  if (scenario.most_hold == 0) return 0;
  std::uint64_t mixed = scenario.seed;
  for (const std::uint64_t part :
       {std::uint64_t{std::get<0>(key)}, static_cast<std::uint64_t>(std::get<1>(key) + 100),
        std::uint64_t{std::get<2>(key)} / 8}) {  // eight in a row are slow
    mixed = (mixed ^ part) * 0x9E3779B97F4A7C15;
    mixed ^= mixed >> 29;
  }
  return mixed % 4 != 0 ? 0 : mixed / 4 % (scenario.most_hold + 1);
}

const ClassTable& scenario_classes() {
  static const ClassTable classes({{"dp", 0, 1, 1}, {"mp", 1, 1, 2}}, 2, true);
  return classes;
}

std::uint32_t channel_of(const ScenarioPacket& packet) {
  return packet.flow >= 0 ? 2 + packet.traffic_class : packet.traffic_class;
}

std::uint32_t rtl_channel_of(std::uint32_t ports, const ScenarioPacket& packet) {
  return packet.flow >= 0 ? ports + packet.traffic_class : packet.output;
}

std::uint32_t channel_of_rtl(std::uint32_t ports, std::uint32_t rtl_channel) {
  return rtl_channel < ports ? 0 : 2 + rtl_channel - ports;
}

std::map<DeliveryKey, std::uint64_t> ready_cycles(const SwitchScenario& scenario) {
  std::map<DeliveryKey, std::uint64_t> ready;
  for (std::uint32_t i = 0; i < scenario.inputs.size(); ++i)
    for (const ScenarioPacket& packet : scenario.inputs[i]) {
      const auto note = [&](const DeliveryKey& key) { ready[key] = std::max(ready[key], packet.created); };
      if (packet.flow < 0)
        note({packet.output, -1 - static_cast<int>(i), packet.sequence});
      else
        for (const std::uint32_t output :
             scenario.flows[static_cast<std::size_t>(packet.flow)].entry.flow.outputs)
          note({output, packet.flow, packet.sequence});
    }
  return ready;
}

Comparison compare(const SwitchScenario& scenario, const Deliveries& expected, const Deliveries& got,
                   std::uint64_t tolerance) {
  Comparison result;
  result.packets = expected.size();
  const auto ready = ready_cycles(scenario);
  const auto differs = [&](const DeliveryKey& key, std::uint64_t cycle, std::string what) {
    if (!result.first.empty() && result.first[0].cycle <= cycle) return;
    result.first = {{key, cycle, std::move(what)}};
  };
  double sum = 0, expected_sum = 0;
  for (const auto& [key, wanted] : expected) {
    const auto found = got.find(key);
    if (found == got.end()) {
      ++result.missing;
      differs(key, wanted.head, "did not come");
      continue;
    }
    const Delivery& is = found->second;
    if (is.data != wanted.data) {
      ++result.data_errors;
      differs(key, wanted.head, "has other data");
    }
    const auto late = static_cast<std::int64_t>(is.head) - static_cast<std::int64_t>(wanted.head);
    result.most_late = std::max(result.most_late, late);
    result.most_early = std::min(result.most_early, late);
    if (static_cast<std::uint64_t>(std::abs(late)) > tolerance) {
      ++result.late;
      differs(key, wanted.head, "came " + std::to_string(late) + " cycles late");
    }
    sum += static_cast<double>(is.head - ready.at(key));
    expected_sum += static_cast<double>(wanted.head - ready.at(key));
  }
  for (const auto& [key, is] : got)
    if (expected.count(key) == 0) {
      ++result.unexpected;
      differs(key, is.head, "is nobody's");
    }
  const auto count = static_cast<double>(std::max<std::size_t>(expected.size() - result.missing, 1));
  result.mean_latency = sum / count;
  result.expected_mean_latency = expected_sum / count;
  return result;
}

double worst_window(const Deliveries& expected, const Deliveries& got, std::size_t packets) {
  const auto tails = [](const Deliveries& of) {
    std::vector<std::uint64_t> times;
    for (const auto& [key, delivery] : of) times.push_back(delivery.tail);
    std::sort(times.begin(), times.end());
    return times;
  };
  const auto a = tails(expected), b = tails(got);
  double worst = 0;
  for (std::size_t i = 0; i + packets < std::min(a.size(), b.size()); i += packets) {
    const auto wanted = static_cast<double>(a[i + packets] - a[i]);
    const auto is = static_cast<double>(b[i + packets] - b[i]);
    worst = std::max(worst, std::abs(is / wanted - 1));
  }
  return worst;
}

}  // namespace wafertlm::test
