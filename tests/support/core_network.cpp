// SPDX-License-Identifier: Apache-2.0
#include "tests/support/core_network.h"

#include <iterator>

namespace wafertlm {

std::size_t CoreNetwork::add_switch(const SwitchParams& params, const RouteFunction& routes) {
  nodes_.emplace_back(*this, nodes_.size(), params, routes);
  return nodes_.size() - 1;
}

void CoreNetwork::connect(std::size_t from, PortId output, std::size_t to, PortId input) {
  nodes_[from].next.emplace(output, End{to, input});
  nodes_[to].previous.emplace(input, End{from, output});
}

void CoreNetwork::form_trains() {
  for (Node& node : nodes_)
    for (std::size_t i = 0; i < node.core.outputs(); ++i) {
      const auto output = static_cast<PortId>(i);
      const auto to = node.next.find(output);
      if (to == node.next.end())
        node.core.lead_to(output, static_cast<PacketSink&>(node));
      else
        node.core.lead_to(output, nodes_[to->second.number].core, to->second.port, true);
    }
  for (Node& node : nodes_) node.core.form_trains();
}

void CoreNetwork::offer(std::size_t to, PortId input, const Packet& packet) {
  packets_.push_back(packet);
  packets_.back().tail_ps = packet.created_ps;
  nodes_[to].core.arrive(input, packets_.back(), packet.created_ps);
}

void CoreNetwork::run(TimePs end) {
  while (!wakes_.empty() && wakes_.begin()->first.first <= end) {
    auto chosen = wakes_.begin();
    if (shuffle_ != 0) {
      shuffle_ = shuffle_ * 6364136223846793005ULL + 1442695040888963407ULL;
      std::advance(chosen, (shuffle_ >> 33) % wakes_.count(chosen->first));
    }
    const auto [when, port] = *chosen;
    wakes_.erase(chosen);
    now_ = when.first;
    ++woken_;
    nodes_[port.number].core.wake(port.port, now_);
  }
  if (end == kNever) return;
  now_ = end;
  for (Node& node : nodes_) node.core.settle(end);
}

bool CoreNetwork::at_rest() const {
  for (const Node& node : nodes_)
    if (node.core.queued() != 0 || node.core.outstanding_credits() != 0) return false;
  return true;
}

void CoreNetwork::Node::forward(PortId output, Packet& packet, TimePs head_ps) {
  if (owner.on_grant) owner.on_grant(number, output, packet);
  const auto to = next.find(output);
  if (to != next.end()) {
    owner.nodes_[to->second.number].core.arrive(to->second.port, packet, head_ps);
    return;
  }
  if (owner.on_delivery) owner.on_delivery(packet);
  core.credit(output, packet.vc, packet.wire_bytes, packet.tail_ps, owner.now_);
}

void CoreNetwork::Node::return_credit(PortId input, Packet& packet, TimePs at) {
  const auto from = previous.find(input);
  if (from == previous.end()) return;
  owner.nodes_[from->second.number].core.credit(from->second.port, packet.vc, packet.wire_bytes, at,
                                                owner.now_);
}

void CoreNetwork::Node::request_wake(PortId output, TimePs at) {
  owner.wakes_.emplace(std::make_pair(at, turn), End{number, output});
}

}  // namespace wafertlm
