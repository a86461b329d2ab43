// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tlm>

#include "tlm/memory/requester_params.h"

namespace wafertlm {

/// The memory protocol, NPU → HBM, NPU → I/O controller → memory engine → pool: the base protocol of
/// IEEE 1666-2011 clause 15.2, so that a third party's TLM memory binds unchanged. See tlm/README.md.
///   - At most one BEGIN_REQ waits for its END_REQ on a socket, at most one BEGIN_RESP for its END_RESP.
///   - Requests are at most kMaxRequestBytes (a key can lower it), do not stream (streaming width >= length),
///     and always have a valid data pointer; where only time matters it points to shared scratch memory.
///   - Payloads have a memory manager; whoever queues one holds a reference.
///   - Our targets also offer b_transport and transport_dbg and grant no DMI; our initiators take every legal
///     early answer (TLM_COMPLETED, skipped END_REQ, BEGIN_RESP as the answer).
using MemoryInitiatorSocket = ::tlm::tlm_initiator_socket<32, ::tlm::tlm_base_protocol_types>;
using MemoryTargetSocket = ::tlm::tlm_target_socket<32, ::tlm::tlm_base_protocol_types>;
using MemoryForwardIf = ::tlm::tlm_fw_transport_if<::tlm::tlm_base_protocol_types>;
using MemoryBackwardIf = ::tlm::tlm_bw_transport_if<::tlm::tlm_base_protocol_types>;

}  // namespace wafertlm
