// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "models/nic/congestion/schemes.h"
#include "models/nic/transport/sequences.h"
#include "tlm/kernel/ring_queue.h"

namespace wafertlm::ethernet {

struct QueuePairCounters {
  std::uint64_t packets = 0;   ///< sent, with those sent again
  std::uint64_t repeated = 0;  ///< sent again
  std::uint64_t timeouts = 0, cnps = 0;

  QueuePairCounters& operator+=(const QueuePairCounters& other) {
    packets += other.packets;
    repeated += other.repeated;
    timeouts += other.timeouts;
    cnps += other.cnps;
    return *this;
  }
  void list_state(StateVisitor& state) {
    state.count(packets);
    state.count(repeated);
    state.count(timeouts);
    state.count(cnps);
  }
};

/// The way from a host to another when nothing else is on it.
struct Way {
  nic::PathParams path;
  double bdp_bytes = 0;     ///< for WindowLimit
  std::uint64_t count = 1;  ///< of equal ways
  std::uint64_t bytes = 0;  ///< of the last message that was asked for,
  std::uint32_t pairs = 0;  ///< … its queue pairs,
  TimePs alone_ps = 0;      ///< … and what it takes
};

/// A message that has a queue pair of its own. While that does what a new one does but for the numbers of its
/// packets, this is all that there is of it.
struct OwnMessage {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kFlag = std::uint32_t{1}
                                         << 31;  ///< of its number among those of queue pairs
  std::uint64_t number = 0;                      ///< the caller's
  std::uint64_t bytes = 0, work = 0;
  std::uint32_t from = 0, to = 0, connection = 0;
  std::uint32_t next = 0, acknowledged = 0, expected = 0;  ///< packets, as of its sequences
  std::uint32_t frames = 0;                                ///< on their way
  std::uint32_t queue_pair : 31, is_ready : 1;             ///< kNobody: has none now. Is in its host's turn
  static constexpr std::uint32_t kNobody = kFlag - 1;
};
static_assert(sizeof(OwnMessage) <= 64, "a line of the cache");

/// Both ends of a connection.
struct QueuePair {
  struct MessagePart {
    std::uint64_t number = 0,
                  end = 0;  ///< the caller's number; packets before `end` are of it or of earlier ones
    std::uint64_t first = 0;
    std::uint32_t last_bytes = 0;  ///< payload of the last packet
    std::uint64_t work = 0;        ///< what it belongs to
  };
  std::uint32_t number = 0, from = 0, to = 0;
  std::uint64_t hash = 0;
  std::uint32_t id = 0;                   ///< by which frames and turns know it: number, or own with kFlag
  std::uint32_t own = OwnMessage::kNone;  ///< the message that it is for
  const Way* route = nullptr;
  std::unique_ptr<nic::CongestionControl> control;
  std::unique_ptr<nic::SendSequence> sender;
  std::unique_ptr<nic::ReceiveSequence> receiver;
  RingQueue<MessagePart> messages;  ///< not acknowledged yet
  std::size_t delivered = 0;        ///< of those in the list
  std::uint64_t acknowledged = 0;   ///< packets, in any order
  std::uint64_t furthest = 0;       ///< packets that have been sent at least once
  TimePs next_ps = 0;               ///< the rate allows the next packet
  TimePs progress_ps = 0;           ///< the last answer, or the first packet
  TimePs timer_ps = kNever;         ///< that the engine has asked for
  TimePs cnp_ps = 0;                ///< the receiver may send the next one
  TimePs sent_ps = 0;               ///< the last packet
  std::uint64_t way = 0;            ///< of flowlets and of ways in turn
  std::uint32_t looks = 0;          ///< wake-ups on their way that look for a time-out
  bool is_ready = false, waits = false, watched = false,
       is_held = false;  ///< in its host's turn; for its rate; for a time-out; somebody refers to it
  QueuePairCounters counters;

  /// But for the numbers of its packets it will do what a new one does.
  bool is_as_new(TimePs now) const {
    return sender->is_at_rest() && receiver->is_at_rest() && messages.empty() && control->is_as_new() &&
           timer_ps == kNever && !watched && next_ps <= now && cnp_ps <= now && way == 0;
  }
  /// What it will do follows from the counts in OwnMessage.
  bool is_plain(TimePs now) const {
    return sender->is_plain() && receiver->is_at_rest() && control->is_as_new() && timer_ps == kNever &&
           next_ps <= now && cnp_ps <= now && way == 0 && furthest == sender->next() &&
           counters.packets == furthest && acknowledged == sender->acknowledged() && counters.timeouts == 0 &&
           counters.cnps == 0 && sender->end() < OwnMessage::kNone;
  }
  /// What a packet under way belongs to.
  std::uint64_t work_of(std::uint64_t packet) const {
    return messages.empty() || messages.back().end <= packet ? 0 : message_of(packet).work;
  }
  const MessagePart& message_of(std::uint64_t packet) const {
    std::size_t i = 0;
    while (messages[i].end <= packet) ++i;
    return messages[i];
  }
};

/// A NIC.
struct NicHost {
  explicit NicHost(std::uint64_t bytes_per_s) : pacer(bytes_per_s) {}
  RingQueue<std::uint32_t> turn;  ///< queue pairs that may have something to send
  nic::PullPacer pacer;
  bool pulls = false;  ///< a wake-up is on its way
};

}  // namespace wafertlm::ethernet
