// SPDX-License-Identifier: Apache-2.0
#include "models/fred/rtl/flow_entry.h"

#include <stdexcept>
#include <string>

namespace wafertlm {
namespace {

std::uint32_t mask_of(const std::vector<std::uint32_t>& ports) {
  std::uint32_t mask = 0;
  for (const std::uint32_t port : ports) {
    if (port >= 32)
      throw std::invalid_argument("port " + std::to_string(port) + ": the RTL switch has at most 32 ports");
    mask |= 1U << port;
  }
  return mask;
}

}  // namespace

std::vector<std::uint32_t> way_of(const FredNetwork& network, const FredConfiguration& configuration,
                                  const FredFlow& flow) {
  std::vector<std::uint32_t> way;
  const FredNetwork::Block* block = &network.block(network.root());
  std::uint32_t port = flow.inputs.at(0);
  while (!block->middles.empty()) {
    const MicroSwitch& element = network.netlist().elements()[block->inputs[port / 2]];
    std::uint32_t middle = 0;
    while (middle < element.outputs &&
           !(configuration.takes.at(element.first_output + middle) >> port % 2 & 1U))
      ++middle;
    if (middle == element.outputs)
      throw std::invalid_argument("the configuration does not carry flow " + to_string(flow) + ": " +
                                  element.name + " does not take it");
    way.push_back(middle);
    block = &network.block(block->middles[middle]);
    port /= 2;
  }
  return way;
}

std::array<FredFlowEntry::Word, 5> FredFlowEntry::words() const {
  if (way.size() > 8) throw std::invalid_argument("more than 8 levels of middle switches");
  if (packets >> 32 != 0)
    throw std::invalid_argument(std::to_string(packets) + " packets of a flow: the RTL counts 2^32");
  std::uint32_t middles = 0;
  for (std::size_t level = 0; level < way.size(); ++level) {
    if (way[level] > 15) throw std::invalid_argument("more than 16 middle switches");
    middles |= way[level] << 4 * level;
  }
  const std::uint32_t mode = (priority & 0xFF) | 1U << 8 | (data_type == DataType::bf16 ? 1U << 9 : 0) |
                             (from_above ? *from_above + 1 : 0) << 16;
  return {Word{0, mask_of(flow.inputs)}, Word{1, mask_of(flow.outputs)}, Word{3, middles},
          Word{4, static_cast<std::uint32_t>(packets)}, Word{2, mode}};
}

}  // namespace wafertlm
