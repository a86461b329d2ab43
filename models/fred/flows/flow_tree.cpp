// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/flow_tree.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace wafertlm {

AdditionOrder in_sequence(std::size_t inputs) {
  AdditionOrder order;
  for (std::uint32_t i = 1; i < inputs; ++i) order.push_back({0, i});
  return order;
}

std::size_t FlowTree::add_switch(std::uint32_t ports) {
  nodes_.emplace_back();
  nodes_.back().ports.resize(ports);
  return nodes_.size() - 1;
}

void FlowTree::attach(NpuId endpoint, std::size_t to, PortId port) {
  attachments_.resize(std::max(attachments_.size(), index_of(endpoint) + 1));
  attachments_[index_of(endpoint)] = Attachment{to, port};
  nodes_.at(to).ports.at(index_of(port)).endpoint = endpoint;
}

void FlowTree::join(std::size_t child, PortId child_port, std::size_t parent, PortId parent_port) {
  nodes_.at(child).parent = Attachment{parent, parent_port};
  nodes_.at(child).up = child_port;
  nodes_.at(parent).ports.at(index_of(parent_port)).child = child;
}

FlowTree::Attachment FlowTree::attachment(NpuId endpoint) const {
  if (index_of(endpoint) >= attachments_.size() || !attachments_[index_of(endpoint)])
    throw std::invalid_argument("endpoint " + std::to_string(index_of(endpoint)) + " hangs on no switch");
  return *attachments_[index_of(endpoint)];
}

std::optional<FlowTree::Attachment> FlowTree::behind(std::size_t from, PortId output) const {
  const Node& node = nodes_[from];
  if (node.parent && output == node.up) return node.parent;
  const Port& port = node.ports.at(index_of(output));
  if (port.child) return Attachment{*port.child, nodes_[*port.child].up};
  return std::nullopt;
}

/// How many of them hang below each switch.
std::vector<std::size_t> FlowTree::count_below(const std::vector<NpuId>& endpoints) const {
  std::vector<std::size_t> below(nodes_.size());
  for (const NpuId endpoint : endpoints)
    for (std::optional<Attachment> at = attachment(endpoint); at; at = nodes_[at->at].parent) ++below[at->at];
  return below;
}

std::vector<FlowTree::Place> FlowTree::legs(const std::vector<NpuId>& contributors,
                                            const std::vector<NpuId>& receivers) const {
  if (contributors.empty() || receivers.empty())
    throw std::invalid_argument("a flow needs a contributor and a receiver");
  const std::vector<std::size_t> sends = count_below(contributors), takes = count_below(receivers);
  const auto is_in = [](const std::vector<NpuId>& list, NpuId endpoint) {
    return std::find(list.begin(), list.end(), endpoint) != list.end();
  };
  // Where the sum is complete.
  std::size_t top = attachment(contributors.front()).at;
  while (sends[top] != contributors.size()) {
    if (!nodes_[top].parent) throw std::invalid_argument("the contributors of a flow are in different trees");
    top = nodes_[top].parent->at;
  }
  std::vector<bool> above(nodes_.size());  // on the way up from there
  for (std::optional<Attachment> at = nodes_[top].parent; at; at = nodes_[at->at].parent)
    above[at->at] = true;

  std::vector<Place> places;
  const auto add = [&](std::size_t at, FlowLeg leg) {
    if (leg.inputs.empty() || leg.outputs.empty()) return;
    std::sort(leg.inputs.begin(), leg.inputs.end());
    std::sort(leg.outputs.begin(), leg.outputs.end());
    leg.order = in_sequence(leg.inputs.size());
    places.push_back({at, std::move(leg)});
  };
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    const Node& node = nodes_[at];
    std::vector<PortId> from, to;
    for (std::size_t p = 0; p < node.ports.size(); ++p) {
      const Port& port = node.ports[p];
      const auto id = static_cast<PortId>(p);
      if (port.endpoint ? is_in(contributors, *port.endpoint) : port.child && sends[*port.child] != 0)
        from.push_back(id);
      const bool comes_from = port.child && (*port.child == top || above[*port.child]);
      if (port.endpoint ? is_in(receivers, *port.endpoint)
                        : port.child && takes[*port.child] != 0 && !comes_from)
        to.push_back(id);
    }
    const bool outside = takes[at] != receivers.size();
    if (at == top || above[at]) {
      // Above the top there is one input: the port towards it.
      if (outside && node.parent) to.push_back(node.up);
      add(at, {from, to, {}});
    } else {
      if (sends[at] != 0) add(at, {from, {node.up}, {}});
      if (node.parent) add(at, {{node.up}, to, {}});
    }
    if ((at == top || above[at]) && outside && !node.parent)
      throw std::invalid_argument("a receiver of a flow is in another tree than its contributors");
  }
  return places;
}

AdditionOrder FlowTree::additions(const std::vector<NpuId>& contributors,
                                  const std::vector<Place>& legs) const {
  // Whose buffer holds the sum that comes out of an endpoint, or of a switch upwards.
  std::vector<std::optional<std::uint32_t>> holder(nodes_.size());
  AdditionOrder all;
  std::vector<bool> done(legs.size());
  for (bool again = true; again;) {
    again = false;
    for (std::size_t k = 0; k < legs.size(); ++k) {
      if (done[k]) continue;
      const auto& [at, leg] = legs[k];
      std::vector<std::uint32_t> inputs;
      for (const PortId input : leg.inputs) {
        const Node& node = nodes_[at];
        if (node.parent && input == node.up) continue;  // comes down: the sum is complete
        const Port& port = node.ports[index_of(input)];
        if (port.endpoint)
          inputs.push_back(static_cast<std::uint32_t>(
              std::find(contributors.begin(), contributors.end(), *port.endpoint) - contributors.begin()));
        else if (holder[*port.child])
          inputs.push_back(*holder[*port.child]);
      }
      if (inputs.size() != leg.inputs.size()) continue;
      for (const Addition& addition : leg.order)
        all.push_back({inputs[addition.into], inputs[addition.from]});
      holder[at] = leg.order.empty() ? inputs.front() : inputs[leg.order.back().into];
      done[k] = again = true;
    }
  }
  return all;
}

}  // namespace wafertlm
