// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/ring_queue.h"
#include "tlm/kernel/wake_slot.h"
#include "tlm/link/credit_window.h"
#include "tlm/link/line.h"
#include "tlm/link/switch_core.h"

namespace wafertlm {

/// Switching::wormhole: the classic input-queued virtual-channel router of Dally and Towles, Principles and
/// Practices of Interconnection Networks, chapters 16 to 19. What arrives are flits (Packet::starts_packet,
/// ends_packet); those of a packet follow each other on one channel.
///
/// - A packet holds a channel of the next input from its first flit to its last. Several packets share a link
///   by turns, flit by flit; a flit needs room for itself only.
/// - Of the pipeline, a head takes SwitchParams::head_pipeline_ps for routing (RC) and the allocation of a
///   channel (VA, the last router cycle of it). It starts when the packet before has left the queue. The
///   other flits do without and catch up with their head.
/// - An input has one port into the crossbar, shared by its channels; with InputQueue::per_output every queue
///   has its own.
/// - Both allocations are separable, input first, by priority and then round-robin with pointers that move
///   when their choice got through. VA: every head asks for one free channel, every channel takes one head.
///   Switch (SA): every crossbar port puts forward one queue, outputs in turn, then channels in turn; every
///   output takes one port. Who lost tries again a router cycle later, or when the winner's flit has left.
/// - With internal_speedup a flit takes that much less time across the crossbar, and flits queue behind it
/// for
///   the link. Links keep their own cycle: a flit that waited leaves, and its credit returns, whole link
///   cycles after it could have; one credit per input and cycle.
class WormholeSwitch final : public SwitchCore {
 public:
  /// As make_switch_core().
  WormholeSwitch(const SwitchParams& params, const ClassTable& classes, const RouteFunction& routes,
                 SwitchHost& host);

  void arrive(PortId input, Packet& flit, TimePs head_ps) override {
    arrive_for(routes_.output_for(flit), input, flit, head_ps);
  }
  void arrive_for(PortId output, PortId input, Packet& flit, TimePs head_ps) override;
  void credit(PortId output, VcId vc, std::uint32_t bytes, TimePs at, TimePs now) override;
  void count(PortId output, const Packet& flit, TimePs start_ps, TimePs end_ps) override;
  /// Serves all outputs, whichever is named; asked for as a wake-up of output 0.
  bool wake(PortId output, TimePs now) override;

  std::size_t inputs() const override { return credit_delay_ps_.size(); }
  std::size_t outputs() const override { return outputs_.size(); }
  OutputCounters counters(PortId output) const override { return outputs_[index_of(output)].counters; }
  std::uint64_t bytes_per_s(PortId output) const override {
    return outputs_[index_of(output)].line.bytes_per_s();
  }
  std::uint64_t queued() const override { return queued_; }
  std::uint64_t outstanding_credits() const override;
  void observe(LinkObserver& observer, std::size_t number) override {
    observer_ = &observer;
    observed_ = number;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  enum class Cause : std::uint8_t { queue, credit, contention };

  /// A queue: of an input and channel (and output, if per_output), in this order of its number.
  struct Contender {
    Packet* head = nullptr;
    Packet* tail = nullptr;
    std::uint32_t output = 0;      // of the flit at the front
    std::uint32_t out_vc = kNone;  // that its packet holds
    std::uint32_t next_vc = 0;     // round-robin over the output's channels
    std::uint32_t priority = 0;    // 0 goes first
    TimePs stage_ps = 0;           // from when on VA, with a channel SA, looks at the front
    Cause cause = Cause::queue;    // why the front did not go at the last allocation
    ClassId by{};                  // contention with that class
    TimePs waits_since = 0;        // charged up to here
    TimePs credit_since = 0;       // start of the current lack of credit
  };
  /// A port into the crossbar.
  struct Reader {
    TimePs free_ps = 0;
    std::uint32_t next = 0, next_output = 0;  // round-robin among its queues and its outputs
  };
  struct NextChannel {
    explicit NextChannel(std::uint64_t buffer_bytes) : credits(buffer_bytes) {}
    CreditWindow credits;
    std::uint32_t next_head = 0;     // round-robin over contenders
    std::uint32_t asked_by = kNone;  // scratch of VA: the best contender so far
    bool held = false;               // by a packet
    bool needed = false;             // somebody waits for room not yet promised
  };
  /// A flit behind the crossbar, and its time on the line.
  struct Departure {
    Packet* flit;
    TimePs start_ps, end_ps;
    PsFraction start_fraction;
  };
  struct Output {
    explicit Output(const OutputParams& params) : line(params.bytes_per_s), latency_ps(params.latency_ps) {}
    Line line;
    TimePs latency_ps;
    TimePs crossbar_free_ps = 0;
    RingQueue<Departure> departures;
    std::uint32_t next = 0;  // round-robin over crossbar ports
    ClassId current_class{};
    OutputCounters counters;
  };

  NextChannel& channel(std::size_t output, std::size_t vc) { return channels_[output * vcs_ + vc]; }
  bool asks_for_channel(const Contender& who, TimePs now) const {
    return who.head && who.out_vc == kNone && who.stage_ps <= now;
  }
  void set_front(Contender& who, TimePs since);
  void charge_waits(TimePs now);
  bool allocate_channels(TimePs now);
  std::uint32_t free_channel(const Contender& who, TimePs now);
  std::uint32_t nominate(std::uint32_t reader, TimePs now);
  std::uint32_t number_of(const Contender& who) const {
    return static_cast<std::uint32_t>(&who - contenders_.data());
  }
  Reader& reader_of(std::uint32_t contender) { return readers_[contender / reader_queues_]; }
  bool can_go(Contender& who, TimePs now);
  bool send_winners(TimePs now);
  void send(std::uint32_t number, TimePs now);
  Departure across(Contender& who, Reader& reader, TimePs now);
  TimePs credit_time(std::size_t input, const Packet& flit, const Departure& departure, TimePs now);
  TimePs whole_cycles_after_ready(const Packet& flit, TimePs at) const;
  void depart(std::size_t output, const Departure& departure);
  void send_departures(TimePs now);
  TimePs next_chance(Contender& who, TimePs now, TimePs retry_ps);
  void plan_next(TimePs now);
  void ask_wake(TimePs at);

  std::uint32_t vcs_;
  std::uint32_t output_stride_;  // queues from one output to the next; 0: shared by all outputs
  std::uint32_t input_queues_;   // per input
  std::uint32_t reader_queues_;  // per port into the crossbar
  const ClassTable& classes_;
  SwitchHost& host_;
  TimePs pipeline_ps_;
  TimePs link_cycle_ps_;
  std::uint32_t speedup_;
  TimePs va_ps_, head_ps_;                  // channel allocation; with routing
  std::vector<std::uint32_t> priority_of_;  // by class; 0 goes first
  std::vector<Contender> contenders_;
  std::vector<Reader> readers_;
  std::vector<TimePs> credit_delay_ps_;  // by input
  std::vector<TimePs> last_credit_ps_;   // by input: left
  std::vector<Output> outputs_;
  std::vector<NextChannel> channels_;
  std::vector<std::uint32_t> nominees_, winners_, asked_;  // scratch of an allocation
  std::uint64_t queued_ = 0;
  WakeSlot wake_;
  TimePs now_ = 0;  // of the last allocation
  LinkObserver* observer_ = nullptr;
  std::size_t observed_ = 0;
};

}  // namespace wafertlm
