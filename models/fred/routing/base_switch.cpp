// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/base_switch.h"

#include <algorithm>
#include <stdexcept>

#include "models/fred/routing/evaluate.h"
#include "models/fred/routing/network.h"

namespace wafertlm {
namespace {

/// What the two outputs of an RD-µswitch can take: outputs that share an input are equal.
std::vector<std::pair<std::uint32_t, std::uint32_t>> settings_of_one() {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> settings;
  for (std::uint32_t a = 0; a < 4; ++a)
    for (std::uint32_t b = 0; b < 4; ++b)
      if (a == b || !(a & b)) settings.emplace_back(a, b);
  return settings;
}

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

}  // namespace

BaseSwitch::BaseSwitch() : settings_(512) {
  const FredNetwork network(1, 3);
  const auto one = settings_of_one();
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

std::vector<std::uint32_t> wanted_inputs(const std::vector<FredFlow>& flows, std::uint32_t ports) {
  std::vector<std::uint32_t> wanted(ports);
  for (const FredFlow& flow : flows)
    for (const std::uint32_t output : flow.outputs)
      for (const std::uint32_t input : flow.inputs) wanted[output] |= 1U << input;
  return wanted;
}

}  // namespace wafertlm
