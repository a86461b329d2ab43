// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/dependency_order.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace wafertlm::chakra {
namespace {

CommunicationChannel channel(const Communication& entry) {
  return {entry.type, entry.type == NodeType::CommColl ? entry.group : entry.peer, entry.tag};
}

}  // namespace

void DependencyOrder::add(const Node& node, const std::optional<Communication>& communication) {
  ++nodes_;
  std::optional<Numbered> numbered;
  if (communication) numbered = Numbered{*communication, in_file_[channel(*communication)]++};
  if (!seen_.insert(node.id)) {
    if (!duplicate_) duplicate_ = node.id;
    return;
  }
  std::uint32_t slot = static_cast<std::uint32_t>(held_.size());
  if (!free_.empty()) slot = free_.back();
  if (window_.add(slot, node) == 0) return finish(node.id, numbered);
  if (slot == held_.size())
    held_.emplace_back();
  else
    free_.pop_back();
  Held& held = held_[slot];
  held = {node.id, {}, numbered, true};
  for (const std::uint64_t parent : node.ctrl_deps)
    if (!window_.is_done(parent)) held.parents.emplace_back(parent, true);
  for (const std::uint64_t parent : node.data_deps)
    if (!window_.is_done(parent)) held.parents.emplace_back(parent, false);
  position_.resize(held_.size());
  position_[slot] = nodes_;
}

void DependencyOrder::number(const Numbered& entry) {
  const std::uint64_t in_order = in_order_[channel(entry.communication)]++;
  if (in_order != entry.in_file) numbers_.emplace(entry.communication.node, in_order);
  communications_.push_back(entry.communication);
}

void DependencyOrder::finish(std::uint64_t id, const std::optional<Numbered>& communication) {
  if (communication) number(*communication);
  if (done_) done_(id);
  std::priority_queue<std::pair<std::uint64_t, std::uint32_t>,
                      std::vector<std::pair<std::uint64_t, std::uint32_t>>, std::greater<>>
      ready;
  const auto release = [&](std::uint32_t slot, bool is_ready) {
    if (is_ready) ready.emplace(position_[slot], slot);
  };
  window_.done(id, release);
  while (!ready.empty()) {
    const std::uint32_t slot = ready.top().second;
    ready.pop();
    const Held held = std::exchange(held_[slot], {});
    free_.push_back(slot);
    if (held.communication) number(*held.communication);
    if (done_) done_(held.id);
    window_.done(held.id, release);
  }
}

/// In file order.
std::vector<const DependencyOrder::Held*> DependencyOrder::held_in_order() const {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < held_.size(); ++slot)
    if (held_[slot].used) slots.push_back(slot);
  std::sort(slots.begin(), slots.end(),
            [this](std::uint32_t a, std::uint32_t b) { return position_[a] < position_[b]; });
  std::vector<const Held*> order;
  order.reserve(slots.size());
  for (const std::uint32_t slot : slots) order.push_back(&held_[slot]);
  return order;
}

std::vector<DependencyOrder::Missing> DependencyOrder::missing() const {
  std::vector<Missing> all;
  for (const Held* held : held_in_order())
    for (const auto& [parent, control] : held->parents)
      if (!seen_.contains(parent)) all.push_back({held->id, parent, control});
  return all;
}

/// What is held needs something that is held: going from parent to parent ends in a cycle.
std::vector<std::uint64_t> DependencyOrder::cycle() const {
  const auto order = held_in_order();
  if (order.empty()) return {};
  std::unordered_map<std::uint64_t, const Held*> by_id;
  for (const Held* held : order) by_id.emplace(held->id, held);
  std::vector<std::uint64_t> path;
  std::unordered_map<std::uint64_t, std::size_t> position;
  const Held* at = order.front();
  while (position.emplace(at->id, path.size()).second) {
    path.push_back(at->id);
    const auto open = std::find_if(at->parents.begin(), at->parents.end(),
                                   [&](const auto& parent) { return by_id.count(parent.first) != 0; });
    at = by_id.at(open->first);
  }
  path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(position.at(at->id)));
  return path;
}

}  // namespace wafertlm::chakra
