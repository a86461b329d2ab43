// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/design.h"

#include <stdexcept>

namespace wafertlm {

const char* to_string(RtlProtocol protocol) {
  constexpr const char* kNames[] = {"credit_stream", "axi4_stream", "axi4_slave", "axi4_master"};
  return kNames[static_cast<std::size_t>(protocol)];
}

bool is_of_switch(RtlProtocol protocol) {
  return protocol == RtlProtocol::credit_stream || protocol == RtlProtocol::axi4_stream;
}

std::uint32_t RtlDesign::channel_bits() const {
  std::uint32_t bits = 1;
  while ((1U << bits) < channels) ++bits;
  return bits;
}

std::uint32_t RtlDesign::parameter(const std::string& parameter_name, std::uint32_t usual) const {
  for (const std::string& each : parameters)
    if (each.rfind(parameter_name + "=", 0) == 0)
      return static_cast<std::uint32_t>(std::stoul(each.substr(parameter_name.size() + 1)));
  return usual;
}

const RtlDesign& find_rtl_design(const std::string& name, const std::vector<RtlDesign>& designs,
                                 bool is_built, RtlProtocolTest fits) {
  std::string known;
  for (const RtlDesign& design : designs) {
    if (!fits(design.protocol)) {
      if (design.name != name) continue;
      throw std::invalid_argument("the RTL design '" + name + "' has the protocol " +
                                  to_string(design.protocol) + ", which does not fit here");
    }
    if (design.name == name) return design;
    known += (known.empty() ? "" : ", ") + design.name;
  }
  if (!is_built)
    throw std::invalid_argument("the RTL design '" + name +
                                "' needs Verilator, and this program was built without it: apt-get install "
                                "verilator, then configure and build again (./build.sh)");
  throw std::invalid_argument("there is no RTL design '" + name + "'; this program has " +
                              (known.empty() ? "none: add one with wafertlm_add_rtl()" : known));
}

}  // namespace wafertlm
