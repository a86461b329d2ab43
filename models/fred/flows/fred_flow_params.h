// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "models/fred/routing/router.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// What happens to a flow that the switches cannot carry beside the active ones. (One that has no room
/// waits.)
enum class FlowConflict : std::uint8_t {
  block,      ///< it waits at its sources
  decompose,  ///< its collective is done in steps of its endpoints (StepSource::endpoint_steps) instead
  refuse,     ///< the run ends with an error that names them
};

struct FredFlowParams {
  std::uint32_t per_buffer = 8;  ///< flows that have room in a buffer at the same time, per traffic channel
  std::uint32_t credit_packets =
      0;                    ///< that a flow reserves in each buffer, at least 2; 0: enough for line rate
  std::uint32_t lanes = 8;  ///< queues of a switch's flow unit into its outputs
  bool reservation = true;  ///< false for tests only
  FlowConflict conflict = FlowConflict::block;
  bool phase_rule = false;  ///< as in FlowUnitParams
  TimePs phase_change_ps = 0;
  std::uint32_t middle_switches = 3;  ///< m of FRED_m(P)
  FredRouteMode route_search = FredRouteMode::first_colouring;
  std::optional<AnswerFormat> answers;  ///< Go-Back-N; none: off

  /// Streams of I/O controllers that have room in a buffer at the same time even if they are more than
  /// per_buffer, unless credit_packets says otherwise; with large packets they would not.
  std::uint32_t streams = 0;
  std::uint64_t stream_bytes_per_s = 0;
  bool striped = false;  ///< flows go over several ways at once

  /// Sets the room for flows behind a link whose round trip (link, switch, credit) is this long, and which so
  /// many of a flow's ways share.
  void give_credits(OutputParams& link, TimePs round_trip_ps, const WireFormat& format,
                    std::uint32_t ways = 1) const;
};

}  // namespace wafertlm
