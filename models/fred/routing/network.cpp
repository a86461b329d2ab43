// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/network.h"

#include <stdexcept>

namespace wafertlm {

std::uint32_t FredNetwork::stages(std::uint32_t ports) {
  if (ports == 2) return 1;
  if (ports == 3) return 3;
  return 2 + stages((ports + 1) / 2);
}

FredNetwork::FredNetwork(std::uint32_t m, std::uint32_t ports) : m_(m), netlist_(ports) {
  if (m < 1 || m > kMaxMiddles)
    throw std::invalid_argument("FRED_m(P) with m = " + std::to_string(m) +
                                ": there are 1 to 31 middle switches; FRED uses 2 or 3");
  if (ports < 2)
    throw std::invalid_argument("FRED_m(P) with P = " + std::to_string(ports) + ": it has 2 ports or more");
  constexpr std::uint64_t kMaxBaseSwitches = 1'000'000;
  std::uint64_t base_switches = 1;
  for (std::uint32_t size = ports; size > 3; size = size / 2 + size % 2) {
    base_switches *= m;
    if (base_switches > kMaxBaseSwitches)
      throw std::invalid_argument("FRED_" + std::to_string(m) + "(" + std::to_string(ports) +
                                  ") has more than a million switches of 2 or 3 ports at its centre; choose "
                                  "fewer ports or a smaller m");
  }
  std::vector<FredWire> outputs;
  build("", netlist_.input_ports(), outputs);
  netlist_.set_outputs(std::move(outputs));
}

void FredNetwork::build_base(Block& block, const std::vector<FredWire>& inputs,
                             std::vector<FredWire>& outputs) {
  const std::string path = block.name.empty() ? "" : block.name + "/";
  const auto pair = [&](const std::string& name, const FredWire& a, const FredWire& b) {
    const auto wires = netlist_.add(MicroSwitchKind::reduce_distribute, path + name, {a, b}, 2);
    block.inputs.push_back(wires.front().element);
    return wires;
  };
  if (block.ports == 2) {
    outputs = pair("rd", inputs[0], inputs[1]);
    return;
  }
  const auto first = pair("rd0", inputs[0], inputs[1]);
  const auto second = pair("rd1", first[1], inputs[2]);
  const auto third = pair("rd2", first[0], second[0]);
  outputs = {third[0], third[1], second[1]};
}

std::uint32_t FredNetwork::build(const std::string& name, const std::vector<FredWire>& inputs,
                                 std::vector<FredWire>& outputs) {
  Block block;
  block.name = name.empty() ? "" : name.substr(0, name.size() - 1);
  block.ports = static_cast<std::uint32_t>(inputs.size());
  if (block.ports <= 3) {
    build_base(block, inputs, outputs);
  } else {
    const std::uint32_t pairs = block.ports / 2;
    const bool odd = block.ports % 2 != 0;
    // to_middle[c][i]: what µswitch i sends to middle switch c; from_middle[i][c]: what it takes from there.
    std::vector<std::vector<FredWire>> to_middle(m_), from_middle(pairs + odd);
    const auto add_input = [&](MicroSwitchKind kind, const std::string& part, std::vector<FredWire> wires) {
      const auto out = netlist_.add(kind, name + part, std::move(wires), m_);
      block.inputs.push_back(out.front().element);
      for (std::uint32_t c = 0; c < m_; ++c) to_middle[c].push_back(out[c]);
    };
    for (std::uint32_t i = 0; i < pairs; ++i)
      add_input(MicroSwitchKind::reduce, "in" + std::to_string(i), {inputs[2 * i], inputs[2 * i + 1]});
    if (odd) add_input(MicroSwitchKind::demux, "demux", {inputs.back()});
    for (std::uint32_t c = 0; c < m_; ++c) {
      std::vector<FredWire> out;
      block.middles.push_back(build(name + "mid" + std::to_string(c) + "/", to_middle[c], out));
      for (std::size_t i = 0; i < out.size(); ++i) from_middle[i].push_back(out[i]);
    }
    const auto add_output = [&](MicroSwitchKind kind, const std::string& part, std::uint32_t i,
                                std::uint32_t count) {
      const auto out = netlist_.add(kind, name + part, from_middle[i], count);
      block.outputs.push_back(out.front().element);
      outputs.insert(outputs.end(), out.begin(), out.end());
    };
    for (std::uint32_t i = 0; i < pairs; ++i)
      add_output(MicroSwitchKind::distribute, "out" + std::to_string(i), i, 2);
    if (odd) add_output(MicroSwitchKind::mux, "mux", pairs, 1);
  }
  blocks_.push_back(std::move(block));
  return static_cast<std::uint32_t>(blocks_.size()) - 1;
}

}  // namespace wafertlm
