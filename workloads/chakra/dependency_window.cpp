// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/dependency_window.h"

namespace wafertlm::chakra {

std::uint32_t DependencyWindow::add(std::uint32_t slot, const Node& node) {
  if (slot >= open_.size()) open_.resize(slot + 1);
  open_[slot] = 0;
  for (const auto* list : {&node.ctrl_deps, &node.data_deps})
    for (const std::uint64_t parent : *list)
      if (!done_.contains(parent)) wait_for(parent, slot);
  return open_[slot];
}

void DependencyWindow::wait_for(std::uint64_t parent, std::uint32_t slot) {
  std::uint32_t edge = free_edge_;
  if (edge == kEnd) {
    edge = static_cast<std::uint32_t>(edges_.size());
    edges_.push_back({});
  } else {
    free_edge_ = edges_[edge].next;
  }
  edges_[edge] = {slot, kEnd};
  const auto [found, is_first] = waiters_.try_emplace(parent, Waiters{edge, edge});
  if (!is_first) {
    edges_[found->second.last].next = edge;
    found->second.last = edge;
  }
  ++open_[slot];
}

std::optional<std::uint64_t> DependencyWindow::open_parent(std::uint32_t slot) const {
  std::optional<std::uint64_t> lowest;
  for (const auto& [parent, waiters] : waiters_)
    for (std::uint32_t edge = waiters.first; edge != kEnd; edge = edges_[edge].next)
      if (edges_[edge].slot == slot && (!lowest || parent < *lowest)) lowest = parent;
  return lowest;
}

void DependencyWindow::clear() {
  done_.clear();
  waiters_.clear();
  edges_.clear();
  free_edge_ = kEnd;
  open_.clear();
}

}  // namespace wafertlm::chakra
