// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/evaluate.h"

#include <stdexcept>

namespace wafertlm {

std::string FredValues::expression(std::uint32_t output_port) const {
  std::vector<std::string> text;  // of each sum
  const auto text_of = [&](std::uint32_t node) {
    return node < ports ? std::to_string(node) : text[node - ports];
  };
  for (const Sum& sum : sums) text.push_back("(" + text_of(sum.left) + "+" + text_of(sum.right) + ")");
  return output[output_port] ? text_of(*output[output_port]) : "";
}

FredValues evaluate(const FredNetlist& netlist, const FredConfiguration& configuration) {
  check_configuration(netlist, configuration);
  FredValues values;
  values.ports = netlist.ports();
  std::vector<std::optional<std::uint32_t>> arrives(configuration.takes.size());  // at each µswitch output
  const auto node_on = [&](const FredWire& wire) {
    return wire.element == FredWire::kPort
               ? wire.output
               : arrives[netlist.elements()[wire.element].first_output + wire.output];
  };
  for (const MicroSwitch& element : netlist.elements())
    for (std::uint32_t out = 0; out < element.outputs; ++out) {
      const std::uint32_t takes = configuration.takes[element.first_output + out];
      if (!takes) continue;
      std::optional<std::uint32_t>& sum = arrives[element.first_output + out];
      for (std::uint32_t before = 0; before < out; ++before)  // a copy is the same value, added once
        if (configuration.takes[element.first_output + before] == takes)
          sum = arrives[element.first_output + before];
      if (sum) continue;
      for (std::uint32_t in = 0; in < element.inputs.size(); ++in) {
        if (!(takes >> in & 1U)) continue;
        const std::optional<std::uint32_t> node = node_on(element.inputs[in]);
        if (!node)
          throw std::invalid_argument(std::string(to_string(element.kind)) + "-µswitch " + element.name +
                                      " takes input " + std::to_string(in) + ", on which nothing arrives");
        if (sum) values.sums.push_back({*sum, *node});
        sum = sum ? values.ports + static_cast<std::uint32_t>(values.sums.size()) - 1 : *node;
      }
    }
  for (const FredWire& wire : netlist.outputs()) values.output.push_back(node_on(wire));
  return values;
}

}  // namespace wafertlm
