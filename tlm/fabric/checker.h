// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tlm/checking/checking.h"
#include "tlm/kernel/ring_queue.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/protocol.h"

namespace wafertlm {

// A packet's head leaves its output ("starts") when BEGIN_REQ is called.
#define WAFERTLM_FABRIC_RULES(RULE)                                                                    \
  RULE(forward_phase, "only BEGIN_REQ goes forward")                                                   \
  RULE(backward_phase, "only END_REQ goes backward")                                                   \
  RULE(begin_req_answer, "BEGIN_REQ is answered with TLM_ACCEPTED")                                    \
  RULE(end_req_answer, "END_REQ is answered with TLM_ACCEPTED")                                        \
  RULE(bytes_on_wire, "a packet occupies at least a byte of the wire")                                 \
  RULE(wire_holds_payload, "a packet's wire bytes include its payload")                                \
  RULE(class_exists, "the traffic class is one of the platform's")                                     \
  RULE(channel_exists, "the virtual channel is one of the link's")                                     \
  RULE(channel_of_class, "the virtual channel is one of the packet's class")                           \
  RULE(sent_once, "a packet is not sent again before its END_REQ")                                     \
  RULE(delay_is_latency, "BEGIN_REQ is annotated with the link's latency")                             \
  RULE(line_rate, "a packet starts when the line has carried those before it, in whole ps rounded up") \
  RULE(tail_after_bytes, "the tail arrives no sooner than the line can carry the packet")              \
  RULE(credits_not_overrun, "the next buffer's channel has room for all of a packet when it starts")   \
  RULE(credit_for_packet, "END_REQ belongs to a packet that is on this link, and comes once")          \
  RULE(credit_on_channel, "END_REQ comes on the packet's virtual channel")                             \
  RULE(credit_of_bytes, "END_REQ frees the packet's wire bytes")                                       \
  RULE(credit_not_past, "room does not become free before END_REQ is called")                          \
  RULE(credit_after_tail, "room is not free before the packet's tail has arrived")                     \
  RULE(packet_constant, "source, destination, class and payload bytes do not change on the link")      \
  RULE(flow_in_order, "packets of a stripe of a flow come in order, with Go-Back-N perhaps again")     \
  RULE(flow_complete, "a link that carries a stripe of a flow carries all of its packets and bytes")   \
  RULE(all_returned, "at the end every packet's room has been given back")

enum class FabricRule { WAFERTLM_FABRIC_RULES(WAFERTLM_RULE_ENUMERATOR) };
inline constexpr RuleText kFabricRules[] = {WAFERTLM_FABRIC_RULES(WAFERTLM_RULE_TEXT)};
constexpr RuleText text_of(FabricRule rule) { return kFabricRules[static_cast<std::size_t>(rule)]; }

/// Checks one link. Totals count packets; `finished` those whose room came back. If both sides take their
/// time from one scheduler, so does the checker, and they may lead through it.
class FabricChecker final : public Checker {
 public:
  /// `link` is what the sender believes of the link; `classes` must outlive the checker.
  FabricChecker(const sc_core::sc_module_name& name, const OutputParams& link, const ClassTable& classes,
                ViolationHandler handler = throw_violation);

  FabricTargetSocket target_side{"target_side"};           ///< bind the sender's socket to this one
  FabricInitiatorSocket initiator_side{"initiator_side"};  ///< bind this one to the receiver's socket

  void finish() override;

 private:
  /// What was true of a packet when it started. The object may be reused as soon as its END_REQ came.
  struct Flight {
    NpuId source, destination;
    ClassId traffic_class;
    std::uint32_t payload_bytes, wire_bytes;
    VcId vc;
    TimePs tail_ps;
  };
  struct Credit {
    TimePs at;  // it takes effect
    std::uint64_t bytes;
  };
  struct Channel {
    std::uint64_t taken_bytes = 0;  // of the buffer, as of the last packet
    RingQueue<Credit> freed;        // announced by END_REQ, in the order of time
  };

  /// What the sender calls …
  struct Forward final : FabricForwardIf {
    explicit Forward(FabricChecker& of) : owner(of) {}
    ::tlm::tlm_sync_enum nb_transport_fw(Packet& packet, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) override;
    const Scheduler* time_source() const override { return next().time_source(); }
    void prefetch() const override { next().prefetch(); }
    void prefetch(const Packet& packet) const override { next().prefetch(packet); }
    FabricForwardIf& next() const { return *owner.initiator_side.operator->(); }
    FabricChecker& owner;
  };
  /// … and the receiver.
  struct Backward final : FabricBackwardIf {
    explicit Backward(FabricChecker& of) : owner(of) {}
    ::tlm::tlm_sync_enum nb_transport_bw(Packet& packet, ::tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) override;
    const Scheduler* time_source() const override { return next().time_source(); }
    void prefetch() const override { next().prefetch(); }
    void prefetch(const Packet& packet) const override { next().prefetch(packet); }
    FabricBackwardIf& next() const { return *owner.target_side.operator->(); }
    FabricChecker& owner;
  };

  void end_of_elaboration() override;
  TimePs now() const override;
  void begin_request(const Packet& packet, TimePs delay_ps);
  void check_line(const Packet& packet, TimePs delay_ps);
  void check_channel(const Packet& packet);
  /// Its position among those on the link; their number if it is none of them.
  std::size_t find_on_link(const Packet& packet);
  void end_request(const Packet& packet, TimePs at);
  void check_flow(const Packet& packet);
  void show(const Packet& packet, TimePs delay_ps) const;

  const OutputParams link_;
  const ClassTable& classes_;
  std::vector<Channel> channels_;
  struct FlowAccount {
    FlowTotals seen;                         // by number, what came for the first time
    std::uint64_t all_packets = 0;           // that the stripes have of which any came
    std::optional<std::uint64_t> all_bytes;  // once packets of all stripes came
    std::uint64_t stripes = 0;               // of which packets came
    std::vector<std::uint64_t> share;        // packets that came, by stripe
  };
  std::map<FlowKey, FlowAccount> flows_;
  // The packets on the link, oldest first: few, and they leave nearly in that order.
  RingQueue<const Packet*> on_link_;
  RingQueue<Flight> flights_;
  Forward forward_{*this};
  Backward backward_{*this};
  const Scheduler* scheduler_ = nullptr;  // of both sides; null: the kernel's time counts
  // The earliest moment at which the line can have carried everything so far, times bytes_per_s.
  Uint128 line_free_ = 0;
};

/// Binds a link, through a checker of `set` or, if that is null, directly.
inline void bind_checked(FabricInitiatorSocket& initiator, FabricTargetSocket& target, CheckerSet* set,
                         const std::string& name, const OutputParams& link, const ClassTable& classes) {
  connect_checked<FabricChecker>(initiator, target, set, name, link, classes);
}

}  // namespace wafertlm
