// SPDX-License-Identifier: Apache-2.0
// The pins that a model's module has to have for a protocol, added to the model by their names.
#pragma once

namespace wafertlm {

template <class Model>
void add_credit_stream_pins(Model& model) {
  auto& module = model.module();
#define WAFERTLM_RTL_PIN(name) model.add(#name, module.name)
  WAFERTLM_RTL_PIN(clk);
  WAFERTLM_RTL_PIN(rst_n);
  WAFERTLM_RTL_PIN(in_valid);
  WAFERTLM_RTL_PIN(in_head);
  WAFERTLM_RTL_PIN(in_tail);
  WAFERTLM_RTL_PIN(in_vc);
  WAFERTLM_RTL_PIN(in_header);
  WAFERTLM_RTL_PIN(in_data);
  WAFERTLM_RTL_PIN(in_credit);
  WAFERTLM_RTL_PIN(in_credit_vc);
  WAFERTLM_RTL_PIN(out_valid);
  WAFERTLM_RTL_PIN(out_head);
  WAFERTLM_RTL_PIN(out_tail);
  WAFERTLM_RTL_PIN(out_vc);
  WAFERTLM_RTL_PIN(out_header);
  WAFERTLM_RTL_PIN(out_data);
  WAFERTLM_RTL_PIN(out_credit);
  WAFERTLM_RTL_PIN(out_credit_vc);
  WAFERTLM_RTL_PIN(cfg_valid);
  WAFERTLM_RTL_PIN(cfg_flow);
  WAFERTLM_RTL_PIN(cfg_word);
  WAFERTLM_RTL_PIN(cfg_data);
}

template <class Model>
void add_axi4_stream_pins(Model& model) {
  auto& module = model.module();
  WAFERTLM_RTL_PIN(aclk);
  WAFERTLM_RTL_PIN(aresetn);
  WAFERTLM_RTL_PIN(s_tvalid);
  WAFERTLM_RTL_PIN(s_tready);
  WAFERTLM_RTL_PIN(s_tdata);
  WAFERTLM_RTL_PIN(s_tlast);
  WAFERTLM_RTL_PIN(s_tid);
  WAFERTLM_RTL_PIN(s_tdest);
  WAFERTLM_RTL_PIN(s_tuser);
  WAFERTLM_RTL_PIN(m_tvalid);
  WAFERTLM_RTL_PIN(m_tready);
  WAFERTLM_RTL_PIN(m_tdata);
  WAFERTLM_RTL_PIN(m_tlast);
  WAFERTLM_RTL_PIN(m_tid);
  WAFERTLM_RTL_PIN(m_tdest);
  WAFERTLM_RTL_PIN(m_tuser);
#undef WAFERTLM_RTL_PIN
}

}  // namespace wafertlm
