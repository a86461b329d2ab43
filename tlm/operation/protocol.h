// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tlm>

#include "tlm/operation/operation.h"

namespace wafertlm {

/// The operation protocol, sequencer → NPU, see tlm/README.md: the four phases of the base protocol on a
/// generic payload with an Operation extension, with any number of operations outstanding. Own traits,
/// because the base protocol allows only one BEGIN_REQ before its END_REQ.
///   forward  BEGIN_REQ → TLM_ACCEPTED        END_RESP → TLM_COMPLETED
///   backward END_REQ   → TLM_ACCEPTED        BEGIN_RESP → TLM_ACCEPTED (END_RESP follows)
/// - Every operation goes through all four phases, in this order. A phase may be called from within the call
///   of the one before. It takes effect at the time of the call plus the annotated delay.
/// - The payload is the sequencer's; it exists until the END_RESP call returns. Up to BEGIN_RESP nobody
///   changes the request fields of the Operation. After END_RESP the NPU does not look at it any more.
/// - Before BEGIN_RESP the NPU sets the response status, which was TLM_INCOMPLETE_RESPONSE, and start_ps and
///   end_ps: BEGIN_REQ <= start_ps <= end_ps <= BEGIN_RESP.
/// - Operations may end in any order. A collective names its program, and so its group, in every case; the
///   program's step sources may be missing if no NPU on the platform executes them.
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

using OperationInitiatorSocket =
    ::tlm::tlm_base_initiator_socket<32, OperationForwardIf, OperationBackwardIf>;
using OperationTargetSocket = ::tlm::tlm_base_target_socket<32, OperationForwardIf, OperationBackwardIf>;

}  // namespace wafertlm
