// SPDX-License-Identifier: Apache-2.0
#include "models/fred/flows/flow_tree.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace wafertlm {

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

std::size_t FlowTree::lowest_above(const std::vector<NpuId>& endpoints,
                                   const std::vector<std::size_t>& below) const {
  std::size_t at = attachment(endpoints.front()).at;
  while (below[at] != endpoints.size()) {
    if (!nodes_[at].parent) throw std::invalid_argument("the members of a flow are in different trees");
    at = nodes_[at].parent->at;
  }
  return at;
}

std::vector<FlowTree::SwitchBranch> FlowTree::branches(const std::vector<NpuId>& contributors,
                                                       const std::vector<NpuId>& receivers) const {
  if (contributors.empty() || receivers.empty())
    throw std::invalid_argument("a flow needs a contributor and a receiver");
  const std::vector<std::size_t> sends = count_below(contributors), takes = count_below(receivers);
  const std::size_t source = lowest_above(contributors, sends), target = lowest_above(receivers, takes);
  // The sum is complete at `turn`. If all receivers are below a part of the contributors' tree, that is where
  // they are: what is there is added to what comes down.
  std::vector<bool> above(nodes_.size()), above_target(nodes_.size());
  for (std::optional<Attachment> at = nodes_[target].parent; at; at = nodes_[at->at].parent)
    above_target[at->at] = true;
  const std::size_t turn = above_target[source] ? target : source;
  for (std::optional<Attachment> at = nodes_[turn].parent; at; at = nodes_[at->at].parent)
    above[at->at] = true;

  const auto is_in = [](const std::vector<NpuId>& list, NpuId endpoint) {
    return std::find(list.begin(), list.end(), endpoint) != list.end();
  };
  std::vector<SwitchBranch> places;
  const auto add = [&](std::size_t at, std::vector<PortId> inputs, std::vector<PortId> outputs) {
    if (inputs.empty() || outputs.empty()) return;
    std::sort(inputs.begin(), inputs.end());
    std::sort(outputs.begin(), outputs.end());
    FlowBranch branch{std::move(inputs), std::move(outputs), {}, {}, {}};
    const Node& node = nodes_[at];
    if (node.parent && std::binary_search(branch.inputs.begin(), branch.inputs.end(), node.up))
      branch.from_above = node.up;
    if (order_)
      branch.order = order_(at, branch);
    else
      for (std::uint32_t i = 1; i < branch.inputs.size(); ++i) branch.order.push_back({0, i});
    places.push_back({at, std::move(branch)});
  };
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    const Node& node = nodes_[at];
    const bool on_way = at == turn || above[at];
    const bool more_sources = sends[at] != contributors.size(), more_targets = takes[at] != receivers.size();
    std::vector<PortId> from, to;
    for (std::size_t p = 0; p < node.ports.size(); ++p) {
      const Port& port = node.ports[p];
      const auto id = static_cast<PortId>(p);
      if (port.endpoint) {
        if (is_in(contributors, *port.endpoint)) from.push_back(id);
        if (is_in(receivers, *port.endpoint)) to.push_back(id);
      } else if (port.child) {
        // Towards the turn a link carries what comes from beyond it, away from it what is due there.
        const bool towards_turn = *port.child == turn || above[*port.child];
        if (towards_turn ? takes[*port.child] != receivers.size() && sends[*port.child] != 0 &&
                               sends[*port.child] == contributors.size()
                         : sends[*port.child] != 0)
          from.push_back(id);
        if (towards_turn ? sends[*port.child] != contributors.size() : takes[*port.child] != 0)
          to.push_back(id);
      }
    }
    if (!on_way) {
      if (sends[at] != 0) add(at, from, {node.up});
      if (takes[at] != 0 && node.parent) add(at, {node.up}, to);
      continue;
    }
    if (node.parent && more_sources) from.push_back(node.up);
    if (node.parent && more_targets) to.push_back(node.up);
    add(at, from, to);
  }
  return places;
}

AdditionOrder FlowTree::additions(const std::vector<NpuId>& contributors,
                                  const std::vector<SwitchBranch>& branches) const {
  // Whose buffer holds what leaves a switch.
  std::map<std::pair<std::size_t, PortId>, std::uint32_t> holder;
  AdditionOrder all;
  std::vector<bool> done(branches.size());
  for (bool again = true; again;) {
    again = false;
    for (std::size_t k = 0; k < branches.size(); ++k) {
      if (done[k]) continue;
      const auto& [at, branch] = branches[k];
      std::vector<std::uint32_t> inputs;
      for (const PortId input : branch.inputs) {
        if (const auto before = behind(at, input)) {
          const auto found = holder.find({before->at, before->port});
          if (found != holder.end()) inputs.push_back(found->second);
        } else {
          const NpuId endpoint = *nodes_[at].ports[index_of(input)].endpoint;
          const auto rank =
              std::find(contributors.begin(), contributors.end(), endpoint) - contributors.begin();
          inputs.push_back(static_cast<std::uint32_t>(rank));
        }
      }
      if (inputs.size() != branch.inputs.size()) continue;
      for (const Addition& addition : branch.order)
        all.push_back({inputs[addition.into], inputs[addition.from]});
      for (const PortId output : branch.outputs)
        holder[{at, output}] = branch.order.empty() ? inputs.front() : inputs[branch.order.back().into];
      done[k] = again = true;
    }
  }
  return all;
}

std::vector<std::size_t> FlowPaths::ways_of(const std::vector<NpuId>& contributors,
                                            const std::vector<NpuId>& receivers) const {
  if (!choice_) return {0};
  std::vector<NpuId> members = contributors;
  members.insert(members.end(), receivers.begin(), receivers.end());
  return choice_(members);
}

FlowPaths::Plan FlowPaths::plan(const std::vector<NpuId>& contributors, const std::vector<NpuId>& receivers,
                                std::uint64_t packets, std::uint64_t first) const {
  const std::vector<std::size_t> ways = ways_of(contributors, receivers);
  const auto stripes = static_cast<std::uint32_t>(ways.size());
  Plan plan{{}, stripes};
  for (std::uint32_t k = 0; k < stripes && k < packets; ++k) {
    const Path& way = trees_.at(ways[(first + k) % stripes]);
    for (FlowTree::SwitchBranch& place : way.tree.branches(contributors, receivers)) {
      if (!way.switches.empty()) place.at = way.switches[place.at];
      place.branch.share = {stripes, k};
      plan.places.push_back(std::move(place));
    }
  }
  return plan;
}

AdditionOrder FlowPaths::additions(const std::vector<NpuId>& contributors,
                                   const std::vector<NpuId>& receivers) const {
  const FlowTree& tree = trees_.at(ways_of(contributors, receivers).front()).tree;
  return tree.additions(contributors, tree.branches(contributors, receivers));
}

}  // namespace wafertlm
