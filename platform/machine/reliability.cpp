// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/reliability.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "platform/machine/wafer.h"
#include "platform/text/format.h"

namespace wafertlm {

std::optional<AnswerFormat> answer_format(const config::FabricSpec& fabric) {
  if (!fabric.is_reliable()) return std::nullopt;
  config::WaferSpec wafer;  // whose rings have no acknowledgements
  wafer.fabric = fabric;
  const ClassTable classes = class_table(wafer);
  AnswerFormat format;
  format.traffic_class = classes.find(config::kControlClass);
  format.vc = static_cast<VcId>(classes[format.traffic_class].first_vc);
  if (classes.has_flows()) format.flow_vc = classes.flow_vc(format.traffic_class);
  const auto bytes = static_cast<std::uint32_t>(fabric.reliability.control_packet_bytes);
  const auto flit = static_cast<std::uint32_t>(fabric.format.flit_bytes);
  format.wire_bytes = flit == 0 ? bytes : (bytes + flit - 1) / flit * flit;
  return format;
}

std::optional<ReliabilityParams> reliability_params(const config::PlatformSpec& spec) {
  const config::FabricSpec& fabric = spec.wafer.fabric;
  const auto answers = answer_format(fabric);
  if (!answers) return std::nullopt;
  ReliabilityParams params = fabric.reliability;
  params.errors = {fabric.bit_error_rate, spec.run.seed};
  params.answers = *answers;
  return params;
}

double ReliabilityTotals::goodput() const {
  if (endpoints.sent_bytes == 0) return 1;
  return static_cast<double>(endpoints.sent_bytes - endpoints.repeated_bytes) /
         static_cast<double>(endpoints.sent_bytes);
}

nlohmann::json to_json(const ReliabilityTotals& totals, double bit_error_rate) {
  const ReliabilityCounters& at = totals.endpoints;
  return {{"bit_error_rate", bit_error_rate},
          {"goodput", totals.goodput()},
          {"sent_bytes", at.sent_bytes},
          {"retransmitted_bytes", at.repeated_bytes},
          {"retransmitted_packets", at.repeated_packets},
          {"discarded_bytes", at.discarded_bytes + totals.switches.discarded_bytes},
          {"discarded_packets", at.discarded_packets + totals.switches.discarded_packets},
          {"corrupted_packets", totals.spoiled_packets},
          {"acks", at.acks},
          {"nacks", at.nacks},
          {"timeouts", at.timeouts + at.repeats},
          {"switch_answers", totals.switches.answers}};
}

std::string goodput_line(const nlohmann::json& of) {
  const auto bytes = [&](const char* key) { return format_bytes(of[key].get<std::uint64_t>()); };
  return fmt::format("goodput {:.4f} at a bit error rate of {:.3g}: {} sent, {} of it again, {} discarded\n",
                     of["goodput"].get<double>(), of["bit_error_rate"].get<double>(), bytes("sent_bytes"),
                     bytes("retransmitted_bytes"), bytes("discarded_bytes"));
}

}  // namespace wafertlm
