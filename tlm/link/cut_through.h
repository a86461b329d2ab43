// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/link/cut_through_arbiter.h"
#include "tlm/link/cut_through_port.h"
#include "tlm/link/cut_through_requests.h"
#include "tlm/link/cut_through_trains.h"
#include "tlm/link/cut_through_waits.h"
#include "tlm/link/ring_rules.h"
#include "tlm/link/switch_core.h"

namespace wafertlm {

/// Virtual cut-through: a packet goes in one piece, when the next buffer has room for all of it. It has a
/// head and a tail time at every port:
///   start = max(head_in + pipeline, output free, credit),  output free = start + bytes/bandwidth,
///   tail_out = max(output free, tail_in + pipeline);  next input: head = start + latency, tail = tail_out +
///   latency.
/// Both are known when the packet is granted, so a hop costs one event: arrivals are announced ahead and each
/// output computes its own next wake-up. Who goes is the arbiter's choice. Outputs do not share state within
/// an instant, so the order in which ports or switches are woken does not matter; but for inputs that start
/// their packets one by one (SwitchParams::input_start_ps): of an input the output that is woken first takes
/// its packet first.
class alignas(64) CutThroughSwitch final : public SwitchCore {
 public:
  /// As make_switch_core(). Without an arbiter that of rule 4.
  CutThroughSwitch(const SwitchParams& params, const ClassTable& classes, const RouteFunction& routes,
                   SwitchHost& host, std::unique_ptr<cut_through::Arbiter> arbiter = nullptr);

  void arrive(PortId input, Packet& packet, TimePs head_ps) override {
    arrive_for(routes_.output_for(packet), input, packet, head_ps);
  }
  void arrive_for(PortId output, PortId input, Packet& packet, TimePs head_ps) override;
  void credit(PortId output, VcId vc, std::uint32_t bytes, TimePs at, TimePs now) override;
  void count(PortId output, const Packet& packet, TimePs start_ps, TimePs end_ps) override;
  bool wake(PortId output, TimePs now) override;
  void lead_to(PortId output, SwitchCore& next, PortId input, bool gives_back) override;
  void lead_to(PortId output, PacketSink& sink) override;
  bool form_trains() override;
  void set_rate(PortId output, std::uint64_t bytes_per_s, TimePs now) override;
  void route_again(PortId output, TimePs now) override;
  void settle(TimePs now) override;

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return all_outputs_.size(); }
  OutputCounters counters(PortId output) const override;
  std::uint64_t bytes_per_s(PortId output) const override {
    return outputs_[index_of(output)].line.bytes_per_s();
  }
  std::uint64_t queued() const override;
  std::uint64_t outstanding_credits() const override;
  void observe(LinkObserver& observer, std::size_t number) override;
  void list_state(PortId output, StateVisitor& state) override;
  void ask_again(PortId output) override;

  void prefetch_output(PortId output) const override;
  void prefetch_contenders(PortId output) const override;
  Winner likely_winner(PortId output) const override;
  void prefetch_arrival(PortId input, const Packet& packet) const override;
  void prefetch_credit(PortId output, VcId vc) const override {
    __builtin_prefetch(&channels_[index_of(output) * vcs_ + index_of(vc)]);
  }

 private:
  using Queue = cut_through::Queue;
  using Channel = cut_through::Channel;
  using Output = cut_through::Output;
  using InputStart = cut_through::InputStart;

  Queue& queue(const Output& output, std::size_t vc, std::size_t input) const {
    return output.queues[vc * inputs_ + input];
  }
  void set_front(Queue& queue);
  void expose(Queue& queue, std::size_t input, std::size_t vc);
  void send(Output& output, const cut_through::Arbiter::Choice& choice, TimePs now);
  void ask_wake(Output& output, TimePs at) {
    if (has_trains_)
      ask_for_train(output, at);
    else if (output.wake.ask(at))
      host_.request_wake(PortId{output.port}, at);
  }
  bool arbitrate(Output& output, TimePs now);
  void hand_over(Output& output, Packet& packet, TimePs now);
  void ask_for_train(Output& output, TimePs at);
  void request_train(Output& output);
  bool send_train(Output& output, TimePs now);
  void plan_next(Output& output);
  void bring_up(Output& output, TimePs now);
  void charge_down(Output& output, Queue& waiting, TimePs now);
  void tell_of_repeats(const Output& output, std::uint64_t before, const StateVisitor& state);
  void credit_with_effect(PortId port, Channel& to, std::uint32_t bytes, TimePs at, TimePs now);
  // One start of an input at a time.
  void hold_back(std::size_t input, ClassId by, TimePs now);
  void wait_for_start(const Output& output, Queue& queue, const InputStart& start);

  // What every hop reads: one cache line with the base class.
  Output* outputs_ = nullptr;
  Queue* queues_ = nullptr;  // [output if per_output_][vc][input]
  SwitchHost& host_;
  const ClassTable& classes_;
  TimePs pipeline_ps_;
  std::uint32_t inputs_;
  std::uint8_t vcs_;
  bool per_output_;  // else an input's queues are shared by all outputs
  bool is_observed_ = false;
  bool has_rings_;
  bool has_trains_ = false;
  TimePs input_start_ps_;
  std::vector<cut_through::Behind> behind_;      // by output
  std::vector<cut_through::Before> before_;      // by input
  const Output* leaving_ = nullptr;              // whose train leaves
  std::unique_ptr<cut_through::Arbiter> other_;  // in place of round_robin_
  cut_through::RequestSet requests_;
  cut_through::WaitAccount waits_;
  cut_through::RoundRobin round_robin_;
  // The rest.
  RingRules ring_rules_;
  LinkObserver* observer_ = nullptr;
  std::size_t observed_ = 0;
  bool takes_repeats_ = true;  // who observes does
  std::vector<Output> all_outputs_;
  std::vector<Channel> channels_;  // [output][vc]
  std::vector<Queue> all_queues_;
  std::vector<InputStart> starts_;  // [input]; empty without input_start_ps_
  struct Down {
    TimePs busy_until_ps = 0, since_ps = 0;
  };
  std::vector<Down> down_;  // by output, of those whose link is down; empty if none ever was
};

}  // namespace wafertlm
