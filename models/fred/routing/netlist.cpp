// SPDX-License-Identifier: Apache-2.0
#include "models/fred/routing/netlist.h"

#include <algorithm>
#include <stdexcept>

namespace wafertlm {
namespace {

std::uint32_t takes_of(const FredConfiguration& configuration, const MicroSwitch& element,
                       std::uint32_t output) {
  return configuration.takes[element.first_output + output];
}

bool several(std::uint32_t bits) { return (bits & (bits - 1)) != 0; }

bool may_add(MicroSwitchKind kind) {
  return kind == MicroSwitchKind::reduce || kind == MicroSwitchKind::reduce_distribute;
}
bool may_copy(MicroSwitchKind kind) {
  return kind == MicroSwitchKind::distribute || kind == MicroSwitchKind::reduce_distribute;
}

[[noreturn]] void refuse(const MicroSwitch& element, const std::string& what) {
  throw std::invalid_argument(std::string(to_string(element.kind)) + "-µswitch " + element.name + ": " +
                              what);
}

std::string sum_text(std::uint32_t bits) {
  std::string text;
  for (std::uint32_t input = 0; bits >> input; ++input)
    if (bits >> input & 1U) text += (text.empty() ? "" : "+") + std::to_string(input);
  return text;
}

/// "0+1->0,1  reduces, distributes"
std::string setting_text(const MicroSwitch& element, const FredConfiguration& configuration) {
  std::string text;
  bool adds = false, copies = false;
  for (std::uint32_t output = 0; output < element.outputs; ++output) {
    const std::uint32_t bits = takes_of(configuration, element, output);
    bool first = bits != 0;
    for (std::uint32_t before = 0; before < output; ++before)
      if (takes_of(configuration, element, before) == bits) first = false;
    if (!first) continue;
    std::string to;
    for (std::uint32_t other = output; other < element.outputs; ++other)
      if (takes_of(configuration, element, other) == bits)
        to += (to.empty() ? "" : ",") + std::to_string(other);
    text += (text.empty() ? "" : "  ") + sum_text(bits) + "->" + to;
    adds |= several(bits);
    copies |= to.find(',') != std::string::npos;
  }
  if (text.empty()) return "idle";
  if (adds || copies)
    text += std::string("  ") + (adds ? copies ? "reduces, distributes" : "reduces" : "distributes");
  return text;
}

}  // namespace

const char* to_string(MicroSwitchKind kind) {
  constexpr const char* kNames[] = {"R", "D", "RD", "demux", "mux"};
  return kNames[static_cast<std::size_t>(kind)];
}

FredNetlist::FredNetlist(std::uint32_t ports) : ports_(ports) {}

std::vector<FredWire> FredNetlist::input_ports() const {
  std::vector<FredWire> wires;
  for (std::uint32_t port = 0; port < ports_; ++port) wires.push_back({FredWire::kPort, port});
  return wires;
}

std::vector<FredWire> FredNetlist::add(MicroSwitchKind kind, std::string name, std::vector<FredWire> inputs,
                                       std::uint32_t outputs) {
  const auto element = static_cast<std::uint32_t>(elements_.size());
  elements_.push_back({kind, std::move(name), std::move(inputs), outputs, outputs_in_all_});
  outputs_in_all_ += outputs;
  std::vector<FredWire> wires;
  for (std::uint32_t output = 0; output < outputs; ++output) wires.push_back({element, output});
  return wires;
}

std::size_t FredNetlist::count(MicroSwitchKind kind) const {
  return static_cast<std::size_t>(std::count_if(elements_.begin(), elements_.end(),
                                                [kind](const MicroSwitch& e) { return e.kind == kind; }));
}

void check_configuration(const FredNetlist& netlist, const FredConfiguration& configuration) {
  if (configuration.takes.size() != netlist.idle().takes.size())
    throw std::invalid_argument("the configuration belongs to another FRED switch: it has " +
                                std::to_string(configuration.takes.size()) + " µswitch outputs instead of " +
                                std::to_string(netlist.idle().takes.size()));
  for (const MicroSwitch& element : netlist.elements())
    for (std::uint32_t a = 0; a < element.outputs; ++a) {
      const std::uint32_t bits = takes_of(configuration, element, a);
      if (bits >> element.inputs.size()) refuse(element, "takes an input that it does not have");
      if (several(bits) && !may_add(element.kind)) refuse(element, "cannot add its inputs");
      for (std::uint32_t b = 0; b < a; ++b) {
        const std::uint32_t common = bits & takes_of(configuration, element, b);
        if (common && !may_copy(element.kind)) refuse(element, "cannot copy an input to two outputs");
        if (common && bits != takes_of(configuration, element, b))
          refuse(element, "outputs that share an input must be equal");
      }
    }
}

std::string describe(const FredNetlist& netlist, const FredConfiguration& configuration, bool all) {
  std::size_t widest = 0;
  for (const MicroSwitch& element : netlist.elements()) widest = std::max(widest, element.name.size());
  std::string text;
  for (const MicroSwitch& element : netlist.elements()) {
    const std::string setting = setting_text(element, configuration);
    if (setting == "idle" && !all) continue;
    std::string kind = to_string(element.kind);
    kind.resize(7, ' ');
    text += element.name + std::string(widest + 2 - element.name.size(), ' ') + kind + setting + "\n";
  }
  return text;
}

}  // namespace wafertlm
