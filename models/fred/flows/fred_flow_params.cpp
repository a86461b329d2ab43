// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/fred_flow_params.h"

#include <algorithm>

#include "models/fred/flows/flow_buffers.h"

namespace wafertlm {

void FredFlowParams::give_credits(OutputParams& link, TimePs round_trip_ps, const WireFormat& format,
                                  std::uint32_t ways) const {
  const std::uint64_t packet = std::uint64_t{format.full_wire_bytes()} * ways;
  if (credit_packets != 0) {
    link.flow_credit_bytes = credit_packets * packet;
    link.flow_buffer_bytes = per_buffer * link.flow_credit_bytes;
    return;
  }
  link.flow_credit_bytes = static_cast<std::uint64_t>(
      (Uint128{link.bytes_per_s} * round_trip_ps + kPsPerSecond - 1) / kPsPerSecond + 2 * packet);
  // Over several ways a flow is not taken as slow (FlowAdmission), and a link is on some of them only.
  const std::uint64_t stream_credits =
      striped ? link.flow_credit_bytes
              : slow_flow_credits(link.flow_credit_bytes, link.bytes_per_s, stream_bytes_per_s, format);
  link.flow_buffer_bytes = std::max(per_buffer * link.flow_credit_bytes, streams * stream_credits);
}

}  // namespace wafertlm
