// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/remote/pins.h"

namespace wafertlm {
namespace {

std::vector<RtlPinFacts> credit_stream_pins(const RtlDesign& design) {
  const std::uint32_t ports = design.ports, channel = design.channel_bits(), data = design.flit_bits;
  return {{"clk", true},
          {"rst_n", true},
          {"in_valid", true, ports},
          {"in_head", true, ports},
          {"in_tail", true, ports},
          {"in_vc", true, ports, channel},
          {"in_header", true, ports, 64},
          {"in_data", true, ports, data},
          {"out_credit", true, ports},
          {"out_credit_vc", true, ports, channel},
          {"cfg_valid", true},
          {"cfg_flow", true, 1, 16},
          {"cfg_word", true, 1, 8},
          {"cfg_data", true, 1, 32},
          {"in_credit", false, ports},
          {"in_credit_vc", false, ports, channel, {"in_credit"}},
          {"out_valid", false, ports},
          {"out_head", false, ports, 1, {"out_valid"}},
          {"out_tail", false, ports, 1, {"out_valid"}},
          {"out_vc", false, ports, channel, {"out_valid"}},
          {"out_header", false, ports, 64, {"out_valid", "out_head"}},
          {"out_data", false, ports, data, {"out_valid"}}};
}

std::vector<RtlPinFacts> axi4_stream_pins(const RtlDesign& design) {
  const std::uint32_t ports = design.ports, data = design.flit_bits;
  return {{"aclk", true},
          {"aresetn", true},
          {"s_tvalid", true, ports},
          {"s_tdata", true, ports, data},
          {"s_tlast", true, ports},
          {"s_tid", true, ports, 16},
          {"s_tdest", true, ports, 8},
          {"s_tuser", true, ports, 64},
          {"m_tready", true, ports},
          {"s_tready", false, ports},
          {"m_tvalid", false, ports},
          {"m_tdata", false, ports, data, {"m_tvalid"}},
          {"m_tlast", false, ports, 1, {"m_tvalid"}},
          {"m_tid", false, ports, 16, {"m_tvalid"}},
          {"m_tdest", false, ports, 8, {"m_tvalid"}},
          {"m_tuser", false, ports, 64, {"m_tvalid"}}};
}

}  // namespace

std::vector<RtlPinFacts> rtl_pins(const RtlDesign& design) {
  return design.protocol == RtlProtocol::credit_stream ? credit_stream_pins(design)
                                                       : axi4_stream_pins(design);
}

}  // namespace wafertlm
