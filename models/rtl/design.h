// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/rtl/model.h"
#include "tlm/link/switch_params.h"

namespace wafertlm {

enum class RtlProtocol : std::uint8_t { credit_stream, axi4_stream, axi4_slave, axi4_master };
const char* to_string(RtlProtocol protocol);
/// Of a switch's ports; else the design is a memory, or what accesses one.
bool is_of_switch(RtlProtocol protocol);

/// RTL that wafertlm_add_rtl() has made part of the program. Numbers are parameters of its top
/// module.
struct RtlDesign {
  std::string name, top;
  RtlProtocol protocol{};
  std::uint32_t ports = 0;        ///< P
  std::uint32_t flit_bits = 0;    ///< W, a multiple of 32; of AXI4 the data of a beat
  std::uint32_t channels = 1;     ///< VC; AXI4-Stream has one
  std::uint32_t depth = 0;        ///< credit_stream, in flits: the credits of a sender in the beginning
  std::uint32_t input_flits = 0;  ///< DEPTH: room of an input's channel; 0: not said
  std::uint32_t out_depth = 0;    ///< OUT_DEPTH, in flits: those of the module at its outputs
  std::uint32_t latency = 0;      ///< cycles of a head from the input pins to the output pins; 0: not said
  std::optional<InputQueue> queue = {};  ///< QUEUE; none: not said
  std::uint32_t rate = 100;              ///< flits of a packet in 100 cycles, when nothing else is there
  /// Of n inputs and channels that want the same output a packet at the front lets turns * n others pass at
  /// most.
  std::uint32_t turns = 2;
  std::uint32_t flows = 0;  ///< FLOWS: branches of in-network flows that it has room for; 0: it carries none
  std::string configuration;  ///< how the words of a branch's configuration are made; empty: there are none
  /// All parameters, as "P=5".
  std::vector<std::string> parameters;
  /// None in a program that has only the facts above (wafertlm_rtl_table(... FACTS)).
  std::function<std::unique_ptr<RtlModel>(const std::string& instance)> make;

  std::uint32_t flit_bytes() const { return flit_bits / 8; }
  std::uint32_t channel_bits() const;
  /// Of a parameter; `usual` if it is not given.
  std::uint32_t parameter(const std::string& name, std::uint32_t usual) const;
};

/// The designs of this program: a table that CMake writes (cmake/WaferTLMRtl.cmake).
const std::vector<RtlDesign>& rtl_designs();
bool rtl_is_built();

using RtlProtocolTest = bool (*)(RtlProtocol protocol);
/// @param fits what the design's protocol has to be
/// @throws std::invalid_argument that lists the designs, or says how to get Verilator.
const RtlDesign& find_rtl_design(const std::string& name, const std::vector<RtlDesign>& designs,
                                 bool is_built, RtlProtocolTest fits = is_of_switch);

}  // namespace wafertlm
