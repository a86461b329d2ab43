// SPDX-License-Identifier: Apache-2.0
// The state of CutThroughSwitch, a struct for each thing that it keeps state of.
#pragma once
#include <algorithm>
#include <cstdint>

#include "tlm/kernel/wake_slot.h"
#include "tlm/link/credit_window.h"
#include "tlm/link/line.h"
#include "tlm/link/packet_state.h"
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
  /// With its packets; the rest of what is noted of the head follows from it.
  static void list_state(Queue& queue, StateVisitor& state) {
    [[maybe_unused]] auto& [head, tail, free_ps, eligible_ps, contention_ps, class_contention_ps, wire_bytes,
                            head_class, contended_class, vcs, credit_delay_ps] = queue;
    state.moment(free_ps);
    if (!head) return;
    state.moment(eligible_ps);
    state.value(contention_ps);
    state.derived(class_contention_ps << 8 | index_of(contended_class));
    for (Packet* packet = head; packet; packet = packet->next) list_packet(*packet, state);
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
  /// Without the requests: they follow from the queues.
  static void list_state(Channel& channel, StateVisitor& state) {
    [[maybe_unused]] auto& [requests, next_input, needed, credits] = channel;
    state.value(next_input);
    if (needed != 0) state.derived(needed);
    credits.list_state(state);
  }
  std::uint64_t requests = 0;    // bit per input 0 … 63 with a waiting head
  std::uint32_t next_input = 0;  // round-robin
  std::uint32_t needed = 0;      // the fewest bytes that a head waits for beyond promised credits, 0: none
  CreditWindow credits;
};

/// What every packet touches of an output, in two cache lines.
struct alignas(64) Output {
  explicit Output(const OutputParams& params) : line(params.bytes_per_s), latency_ps(params.latency_ps) {}
  /// Without channels and queues. Returns whether its line is busy.
  static bool list_state(Output& output, StateVisitor& state) {
    [[maybe_unused]] auto& [line, wake, latency_ps, channels, queues, packets, payload_bytes, wire_bytes,
                            requesting_vcs, starved_vcs, port, current_class] = output;
    const bool has_requests = requesting_vcs != 0;
    state.require(!has_requests && starved_vcs == 0);
    state.derived(std::uint64_t{requesting_vcs} << 16 | starved_vcs);
    wake.list_state(state);
    const bool is_busy = line.list_state(
        state, has_requests ? StateVisitor::OnceOver::matters : StateVisitor::OnceOver::nothing);
    if (is_busy || has_requests) state.value(current_class);
    state.count(packets);
    state.count(payload_bytes);
    state.count(wire_bytes);
    return is_busy;
  }

  /// Rule 3: the virtual channel of the packet's class with the most room in the next buffer, the first of
  /// equals. Whether that is enough.
  bool choose_vc(const Queue& waiting, TimePs now, std::uint32_t& vc) const {
    vc = waiting.vcs.first;
    if (waiting.vcs.count == 1) return channels[vc].credits.has_credits_at(now, waiting.wire_bytes);
    std::uint64_t best = channels[vc].credits.available(now);
    for (std::uint32_t other = vc + 1; other < waiting.vcs.first + std::uint32_t{waiting.vcs.count};
         ++other) {
      const std::uint64_t room = channels[other].credits.available(now);
      if (room <= best) continue;
      best = room;
      vc = other;
    }
    return best >= waiting.wire_bytes;
  }
  /// When a waiting head can go, as far as known (rule 1): kNever if that depends on credits not yet
  /// promised. Those wake the output, also where they only let it go earlier on another channel.
  TimePs earliest_start(const Queue& waiting) {
    const TimePs start = std::max(waiting.eligible_ps, line.free_ps());
    const CreditWindow& credits = channels[waiting.vcs.first].credits;
    if (credits.has_credits(waiting.wire_bytes)) return start;
    if (waiting.vcs.count == 1 && credits.is_next_enough(waiting.wire_bytes))
      return std::max(start, credits.next_return_ps());
    return std::max(time_of_credits(waiting), start);
  }
  TimePs time_of_credits(const Queue& waiting);

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

}  // namespace wafertlm::cut_through
