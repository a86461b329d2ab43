// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/fabric/packet.h"
#include "tlm/link/class_table.h"
#include "tlm/link/credit_window.h"
#include "tlm/link/line.h"
#include "tlm/link/link_observer.h"
#include "tlm/units.h"

namespace wafertlm {

enum class InputQueue {
  fifo,        ///< one queue per virtual channel: a blocked head holds up what is behind it
  per_output,  ///< one queue per virtual channel and output, sharing the channel's buffer
};

enum class Switching {
  cut_through,  ///< virtual cut-through: a packet goes in one piece, when the next buffer has room for it
  wormhole,     ///< flit by flit, see WormholeSwitch
};

/// An output port and the link behind it, up to the next input buffer.
struct OutputParams {
  std::uint64_t bytes_per_s = 0;
  TimePs latency_ps = 0;
  std::uint64_t buffer_bytes = 0;       ///< of the next input, per virtual channel
  std::uint64_t flow_buffer_bytes = 0;  ///< the same of the channels of in-network flows
  std::uint64_t flow_room_bytes = 0;    ///< of that, what a flow at line rate reserves
  /// Of buffer_bytes, bandwidth × round trip, where the rest is made for packets of the largest size; else 0.
  std::uint64_t round_trip_bytes = 0;
};

/// A port on a ring. Packets go round on the lower half of their class's channels until they cross the link
/// behind the dateline, from then on on the upper half: so no cycle of channels waits for itself.
struct RingPort {
  std::uint16_t ring = 0;  ///< number within the switch, 0: on none
  bool dateline = false;   ///< of an output: its link is the one that closes the ring
};

struct SwitchParams {
  TimePs pipeline_ps = 0;  ///< head in → ready for arbitration
  InputQueue input_queue = InputQueue::per_output;
  std::vector<TimePs> credit_delay_ps;  ///< per input: tail out → room known upstream
  std::vector<OutputParams> outputs;
  Switching switching = Switching::cut_through;
  /// Of a switch that takes part in in-network flows: inputs behind the others, for the copies that its
  /// FlowUnit makes.
  std::uint32_t flow_lanes = 0;
  std::uint32_t flow_stripes = 1;  ///< as in FlowUnitParams
  bool phase_rule = false;         ///< the same
  TimePs phase_change_ps = 0;
  /// By port; both empty: no rings. Requires InputQueue::per_output, and classes with an even number of
  /// channels.
  std::vector<RingPort> ring_inputs = {}, ring_outputs = {};
};

/// What one output counted. Waits are sums over packets, from eligible to sent.
struct OutputCounters {
  std::uint64_t packets = 0, payload_bytes = 0, wire_bytes = 0;
  TimePs credit_blocked_ps = 0;  ///< line idle, the packet sent next was ready but had no credit
  TimePs queue_wait_ps = 0, credit_wait_ps = 0;
  std::array<TimePs, kMaxClasses> contention_wait_ps{};  ///< by the class that was served
  std::array<TimePs, kMaxClasses> longest_wait_ps{};     ///< starvation, by the class that waited
};

/// Chooses the output of a packet; the fabric's routing.
class RouteFunction {
 public:
  virtual PortId output_for(const Packet& packet) const = 0;

 protected:
  ~RouteFunction() = default;
};

/// What a switch core tells its shell.
class SwitchHost {
 public:
  /// The head leaves `output` now and reaches the next input at `head_ps`; hands the packet over.
  virtual void forward(PortId output, Packet& packet, TimePs head_ps) = 0;
  /// The packet's room in the buffer of `input` (channel packet.vc) is known free upstream at `at`.
  virtual void return_credit(PortId input, Packet& packet, TimePs at) = 0;
  /// Call SwitchCore::wake(output, at) at `at`. Earlier requests stay.
  virtual void request_wake(PortId output, TimePs at) = 0;

 protected:
  ~SwitchHost() = default;
};

class WormholeSwitch;

/// The link-and-port engine: an input-buffered, output-arbitrated switch with virtual cut-through, byte
/// credits and virtual channels. Every fabric is made of it; with one input and one output it is an NPU's
/// injection port.
///
/// A packet has a head and a tail time at every port:
///   start = max(head_in + pipeline, output free, credit),  output free = start + bytes/bandwidth,
///   tail_out = max(output free, tail_in + pipeline);  next input: head = start + latency, tail = tail_out +
///   latency.
/// Both are known when the packet is granted, so a hop costs one event: arrivals are announced ahead and each
/// output computes its own next wake-up. Contenders are served by class priority, round-robin among the
/// virtual channels of one priority and among the inputs within a channel. Outputs do not share state within
/// an instant, so the order in which ports or switches are woken does not matter. With Switching::wormhole
/// the work is WormholeSwitch's.
class alignas(64) SwitchCore {
 public:
  /// `classes`, `routes` and `host` must outlive the core.
  SwitchCore(const SwitchParams& params, const ClassTable& classes, const RouteFunction& routes,
             SwitchHost& host);
  ~SwitchCore();
  SwitchCore(const SwitchCore&) = delete;
  SwitchCore& operator=(const SwitchCore&) = delete;

  /// BEGIN_REQ: the head of `packet` reaches `input` at `head_ps` >= now. Takes the packet over.
  void arrive(PortId input, Packet& packet, TimePs head_ps);
  /// The same for a packet whose output is known; `input` may be one that no link leads to.
  void arrive_for(PortId output, PortId input, Packet& packet, TimePs head_ps);
  /// END_REQ: `bytes` of the next buffer's channel `vc` are free from `at` >= now on.
  void credit(PortId output, VcId vc, std::uint32_t bytes, TimePs at, TimePs now);
  /// Counts a packet that somebody else sends in place of this core, from `start_ps` to `end_ps`.
  void count(PortId output, const Packet& packet, TimePs start_ps, TimePs end_ps);
  /// The output that the routes say.
  PortId route(const Packet& packet) const { return routes_.output_for(packet); }
  /// Arbitrates `output`; returns whether a packet left.
  bool wake(PortId output, TimePs now);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const;
  OutputCounters counters(PortId output) const;
  std::uint64_t bytes_per_s(PortId output) const;
  /// Packets (flits) waiting here.
  std::uint64_t queued() const;
  /// Credits of all outputs that are neither here nor promised, in bytes.
  std::uint64_t outstanding_credits() const;

  /// Tells `observer`, as switch number `number`, about every packet from now on.
  void observe(LinkObserver& observer, std::size_t number);

  // Hints: each brings into the cache what a coming wake(output) will touch. In this order, a few wake-ups
  // apart, because each follows pointers that the one before has fetched.
  void prefetch_output(PortId output) const;
  void prefetch_contenders(PortId output) const;
  /// The packet that will leave at the next wake(output), if nothing happens before; for hints only. A packet
  /// stays readable when it is gone, since its pool keeps it.
  struct Winner {
    std::size_t input = 0;
    const Packet* packet = nullptr;
  };
  Winner likely_winner(PortId output) const;
  /// What a coming call of arrive() or credit() will touch: first the core itself, later the rest.
  void prefetch_tables() const {
    __builtin_prefetch(this);
    __builtin_prefetch(&routes_);
  }
  void prefetch_arrival(PortId input, const Packet& packet) const;
  void prefetch_credit(PortId output, VcId vc) const {
    if (wormhole_) return;
    __builtin_prefetch(&channel(index_of(output), index_of(vc)));
  }

 private:
  /// Packets of one input and channel (and output). What arbitration asks about its head is kept here, next
  /// to the other contenders' queues, so that waiting packets are not touched.
  struct alignas(64) Queue {
    Packet* head = nullptr;
    Packet* tail = nullptr;
    TimePs free_ps = 0;  // its read port
    // The head may go: it is ready, and the read port was free. Its contention is counted up to this time,
    // which is moved on to do so; when it became eligible first is the later of its ready_ps and free_ps.
    TimePs eligible_ps = 0;
    TimePs contention_ps = 0;        // that the head has waited at this hop, all classes
    TimePs class_contention_ps = 0;  // the part for contended_class, not yet in the packet
    std::uint32_t wire_bytes = 0;
    ClassId head_class{}, contended_class{};
    ChannelRange vcs;            // that the head may go out on
    TimePs credit_delay_ps = 0;  // of the input
  };
  /// What an output keeps per virtual channel. As an arbitration index it is the channel a packet came on, as
  /// a credit index the channel it goes out on.
  struct alignas(64) Channel {
    explicit Channel(std::uint64_t buffer_bytes) : credits(buffer_bytes) {}
    std::uint64_t requests = 0;    // bit per input 0 … 63 with a waiting head
    std::uint32_t next_input = 0;  // round-robin
    std::uint32_t needed = 0;      // room that a starved packet waits for, 0 if there is none
    CreditWindow credits;
  };
  /// What every packet touches of an output, in two cache lines.
  struct alignas(64) Output {
    explicit Output(const OutputParams& params) : line(params.bytes_per_s), latency_ps(params.latency_ps) {}
    Line line;
    TimePs wake_ps = kNever;        // earliest wake-up asked for
    TimePs spare_wake_ps = kNever;  // one that an earlier one overtook; it will still come, and can be used
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

  Channel& channel(std::size_t output, std::size_t vc) { return channels_[output * vcs_ + vc]; }
  const Channel& channel(std::size_t output, std::size_t vc) const { return channels_[output * vcs_ + vc]; }
  Queue& queue(const Output& output, std::size_t vc, std::size_t input) const {
    return output.queues[vc * inputs_ + input];
  }
  /// Requests of inputs 64 and up.
  std::uint64_t* more_requests(const Output& output, std::size_t vc) {
    return &more_requests_[(std::size_t{output.port} * vcs_ + vc) * (words() - 1)];
  }
  void set_front(Queue& queue);
  void keep_to_half(Queue& queue) const;
  void set_ring_rules(const SwitchParams& params);
  void expose(Queue& queue, std::size_t input, std::size_t vc);
  bool serve(Output& output, std::uint32_t in_vc, TimePs now, TimePs& next);
  bool serve_group(Output& output, std::size_t group, TimePs now, TimePs& next);
  void charge(Output& output, Queue& waiting, TimePs until);
  void charge_all(Output& output, TimePs until, TimePs from);
  Queue* first_ready(const Output& output, std::size_t vc, TimePs now, TimePs& next);
  static bool choose_vc(const Output& output, const Queue& waiting, TimePs now, std::uint32_t& vc);
  static TimePs earliest_start(Output& output, const Queue& waiting);
  static TimePs time_of_room(Output& output, const Queue& waiting);
  void send(Output& output, std::size_t input, Queue& from, std::uint32_t in_vc, std::uint32_t vc,
            TimePs now);
  void plan_next(Output& output);
  void credit_with_effect(PortId port, Channel& to, std::uint32_t bytes, TimePs at, TimePs now);
  void ask_wake(Output& output, TimePs at);
  void set_request(Output& output, std::size_t vc, std::size_t input);
  void clear_request(Output& output, std::size_t vc, std::size_t input);
  template <typename Visit>
  void for_each_waiting(const Output& output, std::size_t vc, std::size_t from, const Visit& visit);
  template <typename Visit>
  void for_each_of_many(const Output& output, std::size_t vc, std::size_t from, const Visit& visit);

  bool many_inputs() const { return inputs_ > 64; }
  /// Words of 64 inputs.
  std::size_t words() const { return (std::size_t{std::max(inputs_, 1U)} + 63) / 64; }

  // What every hop reads: one cache line.
  std::unique_ptr<WormholeSwitch> wormhole_;  // then the rest is empty
  Output* outputs_ = nullptr;
  Queue* queues_ = nullptr;  // [output if per_output_][vc][input]
  const RouteFunction& routes_;
  SwitchHost& host_;
  const ClassTable& classes_;
  TimePs pipeline_ps_;
  std::uint32_t inputs_;
  std::uint8_t vcs_;
  bool per_output_;  // else an input's queues are shared by all outputs
  bool is_observed_ = false;
  bool has_rings_ = false;
  // The rest.
  enum class RingRule : std::uint8_t { any, lower, keep, upper };
  std::vector<RingRule> ring_rules_;  // by queue
  LinkObserver* observer_ = nullptr;
  std::size_t observed_ = 0;
  std::vector<Output> all_outputs_;
  std::vector<Channel> channels_;  // [output][vc]
  std::vector<Queue> all_queues_;
  std::vector<PortWaits> waits_;              // [output]
  std::vector<std::uint32_t> next_vc_;        // [output][group]: round-robin among channels of one priority
  std::vector<std::uint64_t> more_requests_;  // [output][vc][word - 1]
};

}  // namespace wafertlm
