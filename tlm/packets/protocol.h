// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tlm>

#include "tlm/packets/packet.h"

namespace wafertlm {

/// The fabric protocol: posted packets with credits, see tlm/README.md. Its own traits class, so that it
/// cannot be bound to a memory socket by mistake.
///   forward  BEGIN_REQ  the head reaches the next input after the annotated delay; the packet changes hands
///   backward END_REQ    the room of packet.wire_bytes on channel packet.vc is free after the annotated delay
/// Both calls answer TLM_ACCEPTED. Several packets may be in flight; the sender never overruns the credits.
/// END_REQ comes once per packet, in any order, with the same object, still unchanged: the receiver calls it
/// before it sets packet.vc for the next link, hands the packet on or releases it.
struct FabricProtocol {
  using tlm_payload_type = Packet;
  using tlm_phase_type = ::tlm::tlm_phase;
};

class Scheduler;
class SwitchModule;
class PacketSink;

/// Either party of a link may name the scheduler whose now() it uses for all its times. If it does, calls may
/// reach it while sc_time_stamp() is behind, the delay counting from now(), and it must not notify an event
/// or call anybody who does from within one. Between parties of which one does not, both times agree.
/// What a link leads to: an input of a switch, an endpoint, or, if neither is said, something else.
struct LinkEnd {
  SwitchModule* at = nullptr;
  PortId input{};
  bool is_endpoint = false;
  PacketSink* sink = nullptr;  ///< of an endpoint that may be told late
};

struct FabricForwardIf : ::tlm::tlm_fw_nonblocking_transport_if<Packet, ::tlm::tlm_phase> {
  using protocol_types = FabricProtocol;
  virtual const Scheduler* time_source() const { return nullptr; }
  virtual LinkEnd link_end() { return {}; }
  /// Hints that BEGIN_REQ comes soon: brings into the cache what it will touch, first what does not depend on
  /// the packet. Must not change anything.
  virtual void prefetch() const {}
  virtual void prefetch(const Packet&) const {}
};
struct FabricBackwardIf : ::tlm::tlm_bw_nonblocking_transport_if<Packet, ::tlm::tlm_phase> {
  using protocol_types = FabricProtocol;
  virtual const Scheduler* time_source() const { return nullptr; }
  /// END_REQ does nothing before its delay is over: it may come later, with a shorter one.
  virtual bool may_be_told_late() const { return false; }
  /// The same for END_REQ.
  virtual void prefetch() const {}
  virtual void prefetch(const Packet&) const {}
};

using FabricInitiatorSocket = ::tlm::tlm_base_initiator_socket<32, FabricForwardIf, FabricBackwardIf>;
using FabricTargetSocket = ::tlm::tlm_base_target_socket<32, FabricForwardIf, FabricBackwardIf>;

}  // namespace wafertlm
