// SPDX-License-Identifier: Apache-2.0
// The state of CutThroughSwitch, a struct for each thing that it keeps state of.
#pragma once
#include <array>
#include <cstdint>

#include "tlm/kernel/wake_slot.h"
#include "tlm/link/credit_window.h"
#include "tlm/link/line.h"
#include "tlm/link/switch_params.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/flow.h"
#include "tlm/packets/packet.h"

namespace wafertlm::cut_through {

/// Packets of one input and channel (and output). What arbitration asks about its head is kept here, next to
/// the other contenders' queues, so that waiting packets are not touched.
struct alignas(64) Queue {
  Packet* head = nullptr;  // null: empty, and the rest but free_ps and credit_delay_ps means nothing
  Packet* tail = nullptr;
  TimePs free_ps = 0;  // its read port
  // The head may go: it is ready, and the read port was free. Its contention is counted up to this time,
  // which is moved on to do so; when it became eligible first is first_eligible_ps().
  TimePs eligible_ps = 0;
  TimePs contention_ps = 0;        // that the head has waited at this hop, all classes
  TimePs class_contention_ps = 0;  // the part for contended_class, not yet in the packet
  std::uint32_t wire_bytes = 0;
  ClassId head_class{}, contended_class{};
  ChannelRange vcs;            // that the head may go out on
  TimePs credit_delay_ps = 0;  // of the input

  TimePs first_eligible_ps() const { return std::max(head->ready_ps, free_ps); }
  /// Appends a packet; returns whether it is the head.
  bool push(Packet& packet) {
    packet.next = nullptr;
    if (head) {
      tail->next = &packet;
      tail = &packet;
      return false;
    }
    head = tail = &packet;
    return true;
  }
  /// The same for the copies of several flows, which leave in the order of their times; of one time in that
  /// of their flows' keys, whichever was handed over first. Those of a flow stay as they come.
  bool push_by_time(Packet& packet) {
    Packet* before = nullptr;
    if (head && leaves_before(*tail, packet))
      before = tail;
    else
      for (Packet* each = head; each; each = each->next)
        if (leaves_before(*each, packet)) before = each;
    packet.next = before ? before->next : head;
    (before ? before->next : head) = &packet;
    if (!packet.next) tail = &packet;
    return !before;
  }

 private:
  static bool leaves_before(const Packet& one, const Packet& other) {
    if (one.flow == other.flow) return true;
    return one.ready_ps != other.ready_ps ? one.ready_ps < other.ready_ps : one.flow->key < other.flow->key;
  }
};

/// Of an input whose packets start one by one.
struct InputStart {
  TimePs next_ps = 0;
  ClassId last_class{};
};

/// What an output keeps per virtual channel. As an arbitration index it is the channel a packet came on, as a
/// credit index the channel it goes out on.
struct alignas(64) Channel {
  explicit Channel(std::uint64_t buffer_bytes) : credits(buffer_bytes) {}
  std::uint64_t requests = 0;    // bit per input 0 … 63 with a waiting head
  std::uint32_t next_input = 0;  // round-robin
  std::uint32_t needed = 0;      // the fewest bytes that a head waits for beyond promised credits, 0: none
  CreditWindow credits;
};

/// What every packet touches of an output, in two cache lines.
struct alignas(64) Output {
  explicit Output(const OutputParams& params) : line(params.bytes_per_s), latency_ps(params.latency_ps) {}
  Line line;
  OverlappingWakeSlot wake;  // asked for whenever a head is waiting that is not blocked by missing credits
  TimePs latency_ps;
  Channel* channels = nullptr;  // [vc]
  Queue* queues = nullptr;      // [vc][input]
  std::uint64_t packets = 0, payload_bytes = 0, wire_bytes = 0;
  std::uint16_t requesting_vcs = 0;  // bit per channel with a waiting head
  std::uint16_t starved_vcs = 0;     // bit per next channel with Channel::needed
  std::uint16_t port = 0;
  ClassId current_class{};  // of the packet on the line
};
static_assert(sizeof(Output) == 128 && kMaxVcs <= 16);

/// The waits of OutputCounters; of up to two classes in one cache line.
struct alignas(64) PortWaits {
  TimePs credit_blocked_ps = 0, queue_wait_ps = 0, credit_wait_ps = 0;
  struct OfClass {
    TimePs contention_wait_ps = 0, longest_wait_ps = 0;
  };
  std::array<OfClass, kMaxClasses> of_class{};
};

}  // namespace wafertlm::cut_through
