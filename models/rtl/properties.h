// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/rtl/clock.h"
#include "models/rtl/design.h"
#include "tlm/link/switch_params.h"

namespace wafertlm {

const char* to_string(InputQueue queue);
/// None: there is no such kind.
std::optional<InputQueue> input_queue_of(const std::string& name);

/// What decides on times in the model of a switch.
struct RtlModelFacts {
  TimePs pipeline_ps = 0;
  std::uint64_t link_bytes_per_s = 0;  ///< of the first output
  std::uint32_t flit_bytes = 0;        ///< packets are rounded up to; 0: they are not
  std::uint32_t payload_bytes = 0;     ///< of a full packet
  std::uint32_t wire_bytes = 0;        ///< of one, with header
  std::uint64_t input_bytes = 0;       ///< of a channel's buffer, the least of the inputs; 0: not known
  InputQueue queue = InputQueue::per_output;
  TimePs credit_delay_ps = 0;  ///< tail out → room known upstream
  TimePs start_interval_ps = 0;
};

/// A property that the model of a switch and its RTL have both.
struct RtlProperty {
  std::string what, model, rtl;
  bool differs = false;
  std::string set = {};  ///< what makes them equal; may be empty
};

/// What decides on times, side by side. `rooms`: RtlBenchParams.
std::vector<RtlProperty> rtl_properties(const RtlModelFacts& model, const RtlDesign& design, RtlClock clock,
                                        const std::vector<std::uint32_t>& rooms);
/// Names of those that differ.
std::vector<std::string> names_of_differing(const std::vector<RtlProperty>& properties);

}  // namespace wafertlm
