// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/packets/protocol.h"

namespace wafertlm {

/// The place of packets in an NPU when messages go another way.
struct NoPackets final : FabricForwardIf, FabricBackwardIf {
  /// @throws std::logic_error: always
  ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
  ::tlm::tlm_sync_enum nb_transport_bw(Packet& packet, ::tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
};

}  // namespace wafertlm
