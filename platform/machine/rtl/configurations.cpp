// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/configurations.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "models/fred/flows/routed_order.h"
#include "models/fred/rtl/flow_entry.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

/// The entries of a FRED_m(P): which middle switch a branch takes at each level. Branches without a port in
/// common should be able to pass at the same time, so each takes the way on which it meets fewest of those
/// that are there.
class FredConfigurator {
 public:
  FredConfigurator(std::uint32_t ports, std::uint32_t middles, std::uint32_t priorities)
      : middles_(middles), priorities_(priorities) {
    for (; ports > 3; ports = (ports + 1) / 2) ++levels_;
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>> words(const RtlEntry& entry) {
    FredFlowEntry made;
    made.flow = {entry.inputs, entry.outputs};
    made.priority = std::min(entry.priority, priorities_ - 1);
    made.data_type = entry.data_type;
    made.packets = entry.packets;
    if (entry.from_above != 0) made.from_above = entry.from_above - 1;
    entries_.erase(entry.number);
    made.way.assign(levels_, 0);
    std::vector<std::uint32_t> way = made.way;
    std::size_t fewest = meets(made.flow, way);
    while (fewest != 0 && next(way))
      if (const std::size_t met = meets(made.flow, way); met < fewest) {
        fewest = met;
        made.way = way;
      }
    entries_[entry.number] = {made.flow, made.way};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> list;
    for (const FredFlowEntry::Word& word : made.words()) list.emplace_back(word.number, word.value);
    return list;
  }

 private:
  struct Entry {
    FredFlow flow;
    std::vector<std::uint32_t> way;
  };
  bool next(std::vector<std::uint32_t>& way) const {
    for (std::uint32_t& middle : way) {
      if (++middle < middles_) return true;
      middle = 0;
    }
    return false;
  }
  /// Entries that share no port with the flow and would share a wire between the µswitches.
  std::size_t meets(const FredFlow& flow, const std::vector<std::uint32_t>& way) const {
    std::size_t count = 0;
    for (const auto& [number, other] : entries_) {
      if (share_a_port(flow, other.flow)) continue;
      for (std::size_t level = 0; level < way.size() && way[level] == other.way[level]; ++level)
        if (share(flow.inputs, other.flow.inputs, level + 1) ||
            share(flow.outputs, other.flow.outputs, level + 1)) {
          ++count;
          break;
        }
    }
    return count;
  }
  static bool share(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b,
                    std::size_t level) {
    for (const std::uint32_t x : a)
      for (const std::uint32_t y : b)
        if (x >> level == y >> level) return true;
    return false;
  }

  std::uint32_t middles_, priorities_;
  std::size_t levels_ = 0;
  std::map<std::uint32_t, Entry> entries_;
};

constexpr std::uint32_t kFredMiddles = 3, kFredPriorities = 4;  // of fred_switch.sv

/// That its adders know: parameter DATA_TYPE.
std::vector<DataType> fred_data_types(const RtlDesign& design) {
  switch (design.parameter("DATA_TYPE", 2)) {
    case 0:
      return {DataType::int32};
    case 1:
      return {DataType::bf16};
    default:
      return {DataType::int32, DataType::bf16};
  }
}

RtlConfiguration fred_configuration(const RtlDesign& design) {
  auto fred = std::make_shared<FredConfigurator>(design.ports, design.parameter("M", kFredMiddles),
                                                 design.parameter("PRIORITIES", kFredPriorities));
  return [fred, types = fred_data_types(design), name = design.name](const RtlEntry& entry) {
    if (std::find(types.begin(), types.end(), entry.data_type) == types.end())
      throw std::invalid_argument(
          say("the RTL design '", name, "' adds ", to_string(types[0]),
              " only (parameter DATA_TYPE), and the values of flow ", entry.number, " are ",
              to_string(entry.data_type),
              ": set run.functional and run.data_type, or take a design with DATA_TYPE=2"));
    return fred->words(entry);
  };
}

RtlFlowRules fred_rules(const RtlDesign& design) {
  RtlFlowRules rules;
  auto order = std::make_shared<RoutedOrder>(design.parameter("M", kFredMiddles), design.ports);
  rules.order = [order](const auto& inputs, const auto& outputs) { return order->of(inputs, outputs); };
  rules.data_types = fred_data_types(design);
  rules.priorities = design.parameter("PRIORITIES", kFredPriorities);
  // The switch itself: the phase rule, and the cycles of a change.
  rules.settings = {{0xffff, 0, {0, 1}, true}, {0xffff, 1, {0, 1, 5, 20}, false}};
  return rules;
}

struct Configuration {
  const char* name;
  RtlConfiguration (*make)(const RtlDesign&);
  RtlFlowRules (*rules)(const RtlDesign&);
};
constexpr Configuration kConfigurations[] = {{"fred", fred_configuration, fred_rules}};

const Configuration& configuration_of(const RtlDesign& design) {
  std::string known;
  for (const Configuration& each : kConfigurations) {
    if (design.configuration == each.name) return each;
    known += std::string(known.empty() ? "" : ", ") + each.name;
  }
  throw std::invalid_argument("the RTL design '" + design.name + "' asks for the configuration '" +
                              design.configuration + "'; known: " + known);
}

}  // namespace

RtlConfiguration rtl_configuration(const RtlDesign& design) {
  if (design.configuration.empty()) return {};
  return configuration_of(design).make(design);
}

RtlFlowRules rtl_flow_rules(const RtlDesign& design) {
  if (design.configuration.empty()) return {};
  return configuration_of(design).rules(design);
}

}  // namespace wafertlm
