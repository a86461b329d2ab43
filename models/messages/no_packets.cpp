// SPDX-License-Identifier: Apache-2.0
#include "models/messages/no_packets.h"

#include <stdexcept>

namespace wafertlm {

::tlm::tlm_sync_enum NoPackets::nb_transport_fw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) {
  throw std::logic_error("a packet on a fabric that carries messages");
}

::tlm::tlm_sync_enum NoPackets::nb_transport_bw(Packet&, ::tlm::tlm_phase&, sc_core::sc_time&) {
  throw std::logic_error("a credit on a fabric that carries messages");
}

}  // namespace wafertlm
