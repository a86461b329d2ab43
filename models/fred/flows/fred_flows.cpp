// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/fred_flows.h"

#include <algorithm>
#include <utility>

namespace wafertlm {

void FredFlowParams::give_room(OutputParams& link, TimePs round_trip_ps, const WireFormat& format,
                               std::uint32_t ways) const {
  const std::uint64_t packet = std::uint64_t{format.full_wire_bytes()} * ways;
  if (room_packets != 0) {
    link.flow_room_bytes = room_packets * packet;
    link.flow_buffer_bytes = per_buffer * link.flow_room_bytes;
    return;
  }
  link.flow_room_bytes = static_cast<std::uint64_t>(
      (Uint128{link.bytes_per_s} * round_trip_ps + kPsPerSecond - 1) / kPsPerSecond + 2 * packet);
  // Over several ways a flow is not taken as slow (FlowAdmission), and a link is on some of them only.
  const std::uint64_t stream_room =
      striped ? link.flow_room_bytes
              : slow_flow_room(link.flow_room_bytes, link.bytes_per_s, stream_bytes_per_s, format);
  link.flow_buffer_bytes = std::max(per_buffer * link.flow_room_bytes, streams * stream_room);
}

FredFlows::FredFlows(const FredFlowParams& params, const WireFormat& format, const ClassTable& classes,
                     PacketPool& packets, Scheduler& scheduler)
    : params_(params),
      packets_(packets),
      scheduler_(scheduler),
      admission_({format, params.reservation, params.conflict, params.room_packets == 0, params.answers},
                 classes, *this) {}

void FredFlows::add_switch(SwitchModule& made, const std::vector<OutputParams>& outputs) {
  made.enable_flows(packets_, admission_);
  fabric_.units.push_back(made.flows());
  fabric_.outputs.push_back(outputs);
  fabric_.switch_names.emplace_back(made.basename());
  switches_.push_back(&made);
}

void FredFlows::start(FlowPaths ways) {
  fabric_.ways = std::move(ways);
  admission_.set_fabric(std::move(fabric_));
}

std::uint64_t FredFlows::queued() const {
  std::uint64_t packets = 0;
  for (const SwitchModule* const each : switches_) packets += each->flows()->queued();
  return packets;
}

}  // namespace wafertlm
