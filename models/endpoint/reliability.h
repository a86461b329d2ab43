// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "models/endpoint/endpoint_params.h"
#include "models/endpoint/go_back_n.h"
#include "models/endpoint/injector.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/link_errors.h"
#include "tlm/packets/message.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// What Go-Back-N did at an endpoint; bytes are payload.
struct ReliabilityCounters {
  std::uint64_t sent_bytes = 0;                              ///< in all, with
  std::uint64_t repeated_packets = 0, repeated_bytes = 0;    ///< those sent before
  std::uint64_t discarded_packets = 0, discarded_bytes = 0;  ///< wrong, repeated or after a missing one
  std::uint64_t taken_bytes = 0;                             ///< once each
  std::uint64_t acks = 0, nacks = 0, repeats = 0;            ///< sent
  std::uint64_t timeouts = 0;                                ///< of senders
  std::uint64_t spoiled_packets = 0;                         ///< on the link into the fabric

  ReliabilityCounters& operator+=(const ReliabilityCounters& other);
};

/// A message with Go-Back-N: one stream of packets, its sender's and its receiver's end. (A contribution to
/// an in-network flow has no receiver of its own.) It and its message live until nobody holds them: the
/// sender until everything is acknowledged, the receiver until it has been taken, packets in flight, timers.
struct ReliableMessage {
  ReliableMessage(std::uint64_t packets, std::uint32_t window, std::uint32_t ack_every)
      : sender(packets, window), receiver(packets, ack_every) {}
  GoBackNSender sender;
  GoBackNReceiver receiver;
  std::deque<std::vector<std::byte>> kept;  // functional mode: packets from sender.base() on
  std::uint32_t holders = 0;
  std::uint32_t unanswered = 0;  // time-outs in a row
  TimePs deadline_ps = 0;        // of the next one
  bool timed = false;            // a timer runs
};

class ReliabilityHost {
 public:
  /// Call Reliability::wake() at `at`.
  virtual void request_reliability_wake(TimePs at) = 0;

 protected:
  ~ReliabilityHost() = default;
};

/// Go-Back-N at an endpoint. A sender keeps what it has sent (window packets) until it is acknowledged, so
/// that a step is done when its last byte has left, as without. A receiver takes packets in order and answers
/// with control packets; what comes after a wrong one is discarded.
///
/// The receivers of an in-network flow answer as those of messages do, but the switches combine the answers,
/// and nobody knows when all have heard the last one: a receiver repeats its answer after a time-out until
/// the flow is closed.
class Reliability {
 public:
  /// The references must outlive it.
  Reliability(NpuId npu, const ReliabilityParams& params, const WireFormat& format, Injector& injector,
              PacketPool& packets, MessagePool& messages, ReliabilityHost& host);
  ~Reliability();
  void set_flow_control(FlowControl& control) { flow_control_ = &control; }

  /// Before the message goes to the injector.
  void begin(Message& message);
  /// The injector has made a packet.
  void made(Packet& packet);
  /// A packet leaves over the link into the fabric, with its errors. One of a flow leaves without its
  /// message.
  void left(Packet& packet, TimePs now);
  /// … and is lost.
  void lost(Packet& packet);
  /// A packet's tail arrives at packet.tail_ps. False if it is not to be taken; then it is gone.
  bool arrived(Packet& packet, TimePs now);
  /// In place of releasing a packet, a message to the pool.
  void release(Packet& packet);
  void let_go(Message& message);
  void wake(TimePs now);

  const ReliabilityCounters& counters() const { return counters_; }

 private:
  /// A receiver's end of a flow.
  struct FlowEnd {
    FlowKey key;
    GoBackNReceiver receiver;
    TimePs deadline_ps;
    std::uint32_t unanswered;
  };
  struct Due {
    Packet* answer;    // that has arrived, or
    Message* message;  // whose sender has waited, or
    const Flow* flow;  // whose receiver has
    FlowKey key;
  };

  void ask_wake(TimePs at, const Due& due);
  TimePs patience(std::uint32_t unanswered) const;
  Packet& make_answer(PacketKind kind, std::uint64_t number, TimePs tail_ps);
  void answer_message(Message& message, PacketKind kind, TimePs tail_ps);
  void answer_flow(const Flow& flow, const FlowEnd& end, PacketKind kind, TimePs tail_ps);
  FlowEnd& flow_end(const Flow& flow, TimePs now);
  void take_answer(Packet& packet, TimePs now);
  void heard(Message& message, const Packet& answer, TimePs now);
  void check_sender(Message& message, TimePs now);
  void check_flow(const Flow& flow, const FlowKey& key, TimePs now);

  NpuId npu_;
  ReliabilityParams params_;
  WireFormat format_;
  Injector& injector_;
  PacketPool& packets_;
  MessagePool& messages_;
  ReliabilityHost& host_;
  FlowControl* flow_control_ = nullptr;
  LinkErrors errors_;
  std::unordered_map<const Flow*, Message*> contributions_;
  std::unordered_map<const Flow*, FlowEnd> flow_ends_;
  std::multimap<TimePs, Due> due_;
  ReliabilityCounters counters_;
};

}  // namespace wafertlm
