// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>

#include "models/nic/congestion/schemes.h"
#include "models/nic/transport/sequences.h"

namespace wafertlm::ethernet {

struct QueuePairCounters {
  std::uint64_t packets = 0;   ///< sent, with those sent again
  std::uint64_t repeated = 0;  ///< sent again
  std::uint64_t timeouts = 0, cnps = 0;

  void list_state(StateVisitor& state) {
    state.count(packets);
    state.count(repeated);
    state.count(timeouts);
    state.count(cnps);
  }
};

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
  double bdp_bytes = 0;  ///< of its way, for WindowLimit
  std::unique_ptr<nic::CongestionControl> control;
  std::unique_ptr<nic::SendSequence> sender;
  std::unique_ptr<nic::ReceiveSequence> receiver;
  std::deque<MessagePart> messages;     ///< not acknowledged yet
  std::size_t delivered = 0, left = 0;  ///< of those in the list
  std::uint64_t acknowledged = 0;       ///< packets, in any order
  std::uint64_t furthest = 0;           ///< packets that have been sent at least once
  TimePs next_ps = 0;                   ///< the rate allows the next packet
  TimePs progress_ps = 0;               ///< the last answer, or the first packet
  TimePs timer_ps = kNever;             ///< that the engine has asked for
  TimePs cnp_ps = 0;                    ///< the receiver may send the next one
  TimePs sent_ps = 0;                   ///< the last packet
  std::uint64_t way = 0, ways = 1;      ///< of flowlets and of ways in turn; how many there are
  bool is_ready = false, waits = false,
       watched = false;  ///< in its host's turn; for its rate; for a time-out
  QueuePairCounters counters;

  /// But for the numbers of its packets it will do what a new one does.
  bool is_as_new(TimePs now) const {
    return sender->is_at_rest() && receiver->is_at_rest() && messages.empty() && control->is_as_new() &&
           timer_ps == kNever && !watched && next_ps <= now && cnp_ps <= now && way == 0;
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
  std::deque<std::uint32_t> turn;  ///< queue pairs that may have something to send
  nic::PullPacer pacer;
  bool pulls = false;  ///< a wake-up is on its way
};

}  // namespace wafertlm::ethernet
