// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/flow.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {
namespace {

constexpr std::size_t kNobody = ~std::size_t{0};

void claim(const std::vector<std::uint32_t>& claimed, const std::string& side, std::size_t flow,
           std::vector<std::size_t>& owner, bool take_turns) {
  const std::string name = "flow " + std::to_string(flow);
  if (claimed.empty()) throw std::invalid_argument(name + " has no " + side + " port");
  for (const std::uint32_t port : claimed) {
    if (port >= owner.size())
      throw std::invalid_argument(name + ": no " + side + " port " + std::to_string(port) +
                                  "; the switch has 0 to " + std::to_string(owner.size() - 1));
    if (owner[port] == flow)
      throw std::invalid_argument(name + " lists " + side + " port " + std::to_string(port) + " twice");
    if (owner[port] != kNobody && !take_turns)
      throw std::invalid_argument(name + ": " + side + " port " + std::to_string(port) + " belongs to flow " +
                                  std::to_string(owner[port]) +
                                  " already; flows that share a port must follow each other");
    owner[port] = flow;
  }
}

std::string listed_ports(const std::vector<std::uint32_t>& ports) {
  std::string text;
  for (const std::uint32_t port : ports) text += (text.empty() ? "" : ",") + std::to_string(port);
  return text;
}

}  // namespace

std::vector<FredFlow> checked_flows(std::vector<FredFlow> flows, std::uint32_t ports, bool take_turns) {
  std::vector<std::size_t> input_owner(ports, kNobody), output_owner(ports, kNobody);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    claim(flows[i].inputs, "input", i, input_owner, take_turns);
    claim(flows[i].outputs, "output", i, output_owner, take_turns);
    std::sort(flows[i].inputs.begin(), flows[i].inputs.end());
    std::sort(flows[i].outputs.begin(), flows[i].outputs.end());
  }
  return flows;
}

bool share_a_port(const FredFlow& a, const FredFlow& b) {
  const auto common = [](const std::vector<std::uint32_t>& one, const std::vector<std::uint32_t>& other) {
    return std::find_first_of(one.begin(), one.end(), other.begin(), other.end()) != one.end();
  };
  return common(a.inputs, b.inputs) || common(a.outputs, b.outputs);
}

std::vector<std::uint32_t> ports_of_all(const std::vector<FredFlow>& flows) {
  constexpr std::uint32_t kEnd = ~std::uint32_t{0};
  std::vector<std::uint32_t> ports;
  for (const FredFlow& flow : flows)
    for (const auto side : {&FredFlow::inputs, &FredFlow::outputs}) {
      ports.insert(ports.end(), (flow.*side).begin(), (flow.*side).end());
      ports.push_back(kEnd);
    }
  return ports;
}

std::string to_string(const FredFlow& flow) {
  return listed_ports(flow.inputs) + "->" + listed_ports(flow.outputs);
}

}  // namespace wafertlm
