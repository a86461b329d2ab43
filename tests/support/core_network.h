// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tlm/link/cut_through.h"

namespace wafertlm {

/// A switch that knows one output.
struct OneOutput final : RouteFunction {
  PortId output_for(const Packet&) const override { return PortId{0}; }
};

/// SwitchCores joined by links, driven by an event loop of its own. No SystemC: thousands of networks fit
/// into one process. An input without a link is a source with an unlimited queue; an output without one leads
/// to a sink, which takes everything and gives room back when the tail is there.
class CoreNetwork {
 public:
  explicit CoreNetwork(const ClassTable& classes) : classes_(classes) {}

  /// @return the number of the new switch; `routes` must outlive the network.
  std::size_t add_switch(const SwitchParams& params, const RouteFunction& routes);
  void connect(std::size_t from, PortId output, std::size_t to, PortId input);
  /// What reaches its switch at once comes first of an instant, as with Turn::sources.
  void come_first(std::size_t number) { nodes_[number].turn = 0; }
  /// After all connects: links become calls from core to core, so that on_grant is not called any more, and
  /// packets, each of a message, leave in trains.
  void form_trains();

  /// Offers a packet (all of it is there at created_ps) to an input without a link; in order of time.
  void offer(std::size_t to, PortId input, const Packet& packet);
  /// Runs until nothing is left to do until `end`, and nobody is late.
  void run(TimePs end = kNever);
  std::size_t wakes() const { return woken_; }
  /// From now on wakes of one instant come in random order, not in that of the requests.
  void shuffle(std::uint64_t seed) { shuffle_ = seed; }

  TimePs now() const { return now_; }
  const SwitchCore& core(std::size_t number) const { return nodes_[number].core; }
  /// No packet queued, all credits home.
  bool at_rest() const;

  /// Called for every grant, with the packet as it goes on the link: head out at now(), tail_ps at the next
  /// input.
  std::function<void(std::size_t number, PortId output, const Packet& packet)> on_grant;
  /// Called for every packet that reaches a sink at packet.tail_ps.
  std::function<void(const Packet& packet)> on_delivery;

 private:
  struct End {
    std::size_t number;
    PortId port;
  };
  struct Node final : SwitchHost, PacketSink {
    Node(CoreNetwork& network, std::size_t id, const SwitchParams& params, const RouteFunction& routes)
        : owner(network), number(id), core(params, network.classes_, routes, *this) {}
    void forward(PortId output, Packet& packet, TimePs head_ps) override;
    void return_credit(PortId input, Packet& packet, TimePs at) override;
    void request_wake(PortId output, TimePs at) override;
    bool may_be_late() const override { return true; }
    TimePs request_late_wake(PortId output, TimePs, TimePs by) override {
      request_wake(output, by);
      return by;
    }
    void take(Packet& packet, TimePs) override { owner.on_delivery(packet); }
    TimePs credit_delay_ps() const override { return 0; }

    CoreNetwork& owner;
    std::size_t number;
    int turn = 1;
    CutThroughSwitch core;
    std::map<PortId, End> next, previous;
  };

  const ClassTable& classes_;
  std::deque<Node> nodes_;
  std::deque<Packet> packets_;
  std::multimap<std::pair<TimePs, int>, End> wakes_;  // by time and turn, then in order of insertion
  TimePs now_ = 0;
  std::size_t woken_ = 0;
  std::uint64_t shuffle_ = 0;  // state of the random order, 0: none
};

}  // namespace wafertlm
