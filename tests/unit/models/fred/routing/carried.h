// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/fred/routing/evaluate.h"
#include "models/fred/routing/router.h"

namespace wafertlm::test {

/// The input ports whose values are in this output's, sorted; a port that counts twice is listed twice.
inline std::vector<std::uint32_t> inputs_of(const FredValues& values, std::uint32_t output_port) {
  std::vector<std::uint32_t> found, open;
  if (values.output[output_port]) open.push_back(*values.output[output_port]);
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    if (node < values.ports) {
      found.push_back(node);
    } else {
      open.push_back(values.sums[node - values.ports].left);
      open.push_back(values.sums[node - values.ports].right);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Whether every output port carries exactly the inputs of its flow, each once, and no other port anything.
inline testing::AssertionResult carries(const FredNetwork& network, const std::vector<FredFlow>& flows,
                                        const FredConfiguration& configuration) {
  const FredValues values = evaluate(network.netlist(), configuration);
  std::vector<std::vector<std::uint32_t>> wanted(network.ports());
  for (FredFlow flow : flows) {
    std::sort(flow.inputs.begin(), flow.inputs.end());
    for (const std::uint32_t output : flow.outputs) wanted[output] = flow.inputs;
  }
  for (std::uint32_t output = 0; output < network.ports(); ++output)
    if (inputs_of(values, output) != wanted[output])
      return testing::AssertionFailure() << "output " << output << " carries " << values.expression(output);
  return testing::AssertionSuccess();
}

/// Flows over random ports that are all in use: reductions, multicasts, all-reduces, unicasts and mixtures.
inline std::vector<FredFlow> random_flows(std::uint32_t ports, std::mt19937_64& random) {
  std::vector<std::uint32_t> inputs(ports), outputs(ports);
  for (std::uint32_t i = 0; i < ports; ++i) inputs[i] = outputs[i] = i;
  const auto shuffle = [&](std::vector<std::uint32_t>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random() % i]);
  };
  shuffle(inputs);
  shuffle(outputs);
  std::vector<FredFlow> flows;
  const auto take = [](std::vector<std::uint32_t>& list, std::size_t count) {
    std::vector<std::uint32_t> taken(list.end() - static_cast<std::ptrdiff_t>(count), list.end());
    list.resize(list.size() - count);
    return taken;
  };
  while (!inputs.empty() && !outputs.empty()) {
    const std::size_t most = 1 + random() % 6;
    const std::size_t from = 1 + random() % std::min(most, inputs.size());
    const std::size_t to = 1 + random() % std::min(most, outputs.size());
    switch (random() % 4) {
      case 0:  // reduce
        flows.push_back({take(inputs, from), take(outputs, 1)});
        break;
      case 1:  // multicast
        flows.push_back({take(inputs, 1), take(outputs, to)});
        break;
      case 2: {  // all-reduce, as far as its inputs are still free as outputs
        FredFlow flow{take(inputs, from), {}};
        for (const std::uint32_t port : flow.inputs) {
          const auto found = std::find(outputs.begin(), outputs.end(), port);
          if (found == outputs.end()) continue;
          outputs.erase(found);
          flow.outputs.push_back(port);
        }
        if (!flow.outputs.empty()) flows.push_back(flow);
        break;
      }
      default:
        flows.push_back({take(inputs, from), take(outputs, to)});
    }
  }
  return flows;
}

inline std::vector<FredFlow> permutation(const std::vector<std::uint32_t>& output_of) {
  std::vector<FredFlow> flows;
  for (std::uint32_t input = 0; input < output_of.size(); ++input)
    flows.push_back({{input}, {output_of[input]}});
  return flows;
}

}  // namespace wafertlm::test
