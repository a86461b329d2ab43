// SPDX-License-Identifier: Apache-2.0
#include "platform/system/reliability.h"

#include "platform/system/wafer.h"

namespace wafertlm {

std::optional<AnswerFormat> answer_format(const config::FabricSpec& fabric) {
  if (!fabric.is_reliable()) return std::nullopt;
  const ClassTable classes = class_table(fabric);
  AnswerFormat format;
  format.traffic_class = classes.find(config::kControlClass);
  format.vc = static_cast<VcId>(classes[format.traffic_class].first_vc);
  if (classes.has_flows()) format.flow_vc = classes.flow_vc(format.traffic_class);
  const auto bytes = static_cast<std::uint32_t>(fabric.reliability.control_packet_bytes);
  const auto flit = static_cast<std::uint32_t>(fabric.flit_bytes);
  format.wire_bytes = flit == 0 ? bytes : (bytes + flit - 1) / flit * flit;
  return format;
}

std::optional<ReliabilityParams> reliability_params(const config::PlatformSpec& spec) {
  const config::FabricSpec& fabric = spec.wafer.fabric;
  const auto answers = answer_format(fabric);
  if (!answers) return std::nullopt;
  ReliabilityParams params;
  params.errors = {fabric.bit_error_rate, spec.run.seed};
  params.ack_every = fabric.reliability.ack_every;
  params.window = fabric.reliability.window;
  params.timeout_ps = fabric.reliability.timeout_ps;
  params.answers = *answers;
  return params;
}

}  // namespace wafertlm
