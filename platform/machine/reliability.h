// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "models/endpoint/reliability.h"
#include "platform/spec/platform_spec.h"
#include "tlm/link/flow_unit.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// The control packets of Go-Back-N; none if nothing is acknowledged.
std::optional<AnswerFormat> answer_format(const config::FabricSpec& fabric);

/// Of every endpoint of a platform.
std::optional<ReliabilityParams> reliability_params(const config::PlatformSpec& spec);

/// What Go-Back-N did, over a whole platform.
struct ReliabilityTotals {
  ReliabilityCounters endpoints;
  FlowRepairCounters switches;
  std::uint64_t spoiled_packets = 0;  ///< that became wrong on a link

  /// Of the bytes that endpoints sent, those that they sent for the first time; 1 if nothing was sent.
  double goodput() const;
};

/// For results; bytes are payload.
nlohmann::json to_json(const ReliabilityTotals& totals, double bit_error_rate);
/// A line of a table, of what to_json() made.
std::string goodput_line(const nlohmann::json& reliability);

}  // namespace wafertlm
