// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/model_facts.h"

#include <algorithm>

#include "tlm/fabric/fabric.h"

namespace wafertlm {
namespace {

/// The least that a switch in front of `at` knows to be free; 0: there is none.
std::uint64_t least_input_bytes(Fabric& fabric, const SwitchModule& at) {
  std::uint64_t least = 0;
  for (std::size_t n = 0; n < fabric.switches(); ++n) {
    const SwitchModule& before = fabric.switch_module(n);
    for (std::size_t output = 0; output < before.outputs(); ++output)
      if (const std::uint64_t bytes = before.output_params()[output].buffer_bytes;
          before.link_end(static_cast<PortId>(output)).at == &at && (least == 0 || bytes < least))
        least = bytes;
  }
  return least;
}

}  // namespace

RtlModelFacts rtl_model_facts(Fabric& fabric, std::size_t switch_number, const config::FabricSpec& spec) {
  const SwitchModule& at = fabric.switch_module(switch_number);
  RtlModelFacts facts;
  facts.pipeline_ps = at.pipeline_ps();
  facts.link_bytes_per_s = at.output_params().front().bytes_per_s;
  facts.flit_bytes = spec.format.flit_bytes;
  facts.payload_bytes = spec.format.packet_bytes;
  facts.wire_bytes = spec.format.full_wire_bytes();
  facts.input_bytes = least_input_bytes(fabric, at);
  facts.queue = at.input_queue();
  for (std::size_t port = 0; port < at.inputs(); ++port)
    facts.credit_delay_ps = std::max(facts.credit_delay_ps, at.credit_delay_ps(static_cast<PortId>(port)));
  facts.start_interval_ps = at.input_start_ps();
  return facts;
}

}  // namespace wafertlm
