// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <systemc>
#include <tlm>

#include "tlm/operation/operation.h"

namespace wafertlm {

/// The operation protocol, sequencer → NPU, see tlm/README.md: the four phases of the base protocol on a
/// generic payload with an Operation extension, with any number of operations outstanding. Own traits,
/// because the base protocol allows only one BEGIN_REQ before its END_REQ.
///   forward  BEGIN_REQ → TLM_ACCEPTED        END_RESP → TLM_COMPLETED
///   backward END_REQ   → TLM_ACCEPTED        BEGIN_RESP → TLM_ACCEPTED (END_RESP follows)
struct OperationProtocol {
  using tlm_payload_type = ::tlm::tlm_generic_payload;
  using tlm_phase_type = ::tlm::tlm_phase;
};

struct OperationForwardIf : ::tlm::tlm_fw_nonblocking_transport_if<> {
  using protocol_types = OperationProtocol;
};
struct OperationBackwardIf : ::tlm::tlm_bw_nonblocking_transport_if<> {
  using protocol_types = OperationProtocol;
};

class OperationInitiatorSocket
    : public ::tlm::tlm_base_initiator_socket<32, OperationForwardIf, OperationBackwardIf> {
 public:
  using tlm_base_initiator_socket::tlm_base_initiator_socket;
};

class OperationTargetSocket
    : public ::tlm::tlm_base_target_socket<32, OperationForwardIf, OperationBackwardIf> {
 public:
  using tlm_base_target_socket::tlm_base_target_socket;
};

}  // namespace wafertlm
