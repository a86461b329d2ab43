// SPDX-License-Identifier: Apache-2.0
// The pins that a module with an AXI4 port has to have, added to a model by their names.
#pragma once

namespace wafertlm {

#define WAFERTLM_AXI4_PIN(name) model.add(#name, module.name)
#define WAFERTLM_AXI4_ADDRESS(port) \
  WAFERTLM_AXI4_PIN(port##id);      \
  WAFERTLM_AXI4_PIN(port##addr);    \
  WAFERTLM_AXI4_PIN(port##len);     \
  WAFERTLM_AXI4_PIN(port##size);    \
  WAFERTLM_AXI4_PIN(port##burst);   \
  WAFERTLM_AXI4_PIN(port##lock);    \
  WAFERTLM_AXI4_PIN(port##valid);   \
  WAFERTLM_AXI4_PIN(port##ready)
#define WAFERTLM_AXI4_PORT(port)    \
  WAFERTLM_AXI4_PIN(aclk);          \
  WAFERTLM_AXI4_PIN(aresetn);       \
  WAFERTLM_AXI4_ADDRESS(port##_aw); \
  WAFERTLM_AXI4_PIN(port##_wdata);  \
  WAFERTLM_AXI4_PIN(port##_wstrb);  \
  WAFERTLM_AXI4_PIN(port##_wlast);  \
  WAFERTLM_AXI4_PIN(port##_wvalid); \
  WAFERTLM_AXI4_PIN(port##_wready); \
  WAFERTLM_AXI4_PIN(port##_bid);    \
  WAFERTLM_AXI4_PIN(port##_bresp);  \
  WAFERTLM_AXI4_PIN(port##_bvalid); \
  WAFERTLM_AXI4_PIN(port##_bready); \
  WAFERTLM_AXI4_ADDRESS(port##_ar); \
  WAFERTLM_AXI4_PIN(port##_rid);    \
  WAFERTLM_AXI4_PIN(port##_rdata);  \
  WAFERTLM_AXI4_PIN(port##_rresp);  \
  WAFERTLM_AXI4_PIN(port##_rlast);  \
  WAFERTLM_AXI4_PIN(port##_rvalid); \
  WAFERTLM_AXI4_PIN(port##_rready)

/// A slave's port is s_axi_…
template <class Model>
void add_axi4_slave_pins(Model& model) {
  auto& module = model.module();
  WAFERTLM_AXI4_PORT(s_axi);
}

/// A master's port is m_axi_…; `start` with `start_address` hands it a descriptor, `finished` tells its end.
template <class Model>
void add_axi4_master_pins(Model& model) {
  auto& module = model.module();
  WAFERTLM_AXI4_PORT(m_axi);
  WAFERTLM_AXI4_PIN(start_valid);
  WAFERTLM_AXI4_PIN(start_ready);
  WAFERTLM_AXI4_PIN(start_address);
  WAFERTLM_AXI4_PIN(finished);
}
#undef WAFERTLM_AXI4_PORT
#undef WAFERTLM_AXI4_ADDRESS
#undef WAFERTLM_AXI4_PIN

}  // namespace wafertlm
