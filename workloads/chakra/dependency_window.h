// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::chakra {

/// A set of node ids, 64 of them in a word: less than a byte per id where ids are dense, as in real traces.
class IdSet {
 public:
  /// False if it was there.
  bool insert(std::uint64_t id) {
    std::uint64_t& word = words_[id >> kShift];
    const std::uint64_t bit = std::uint64_t{1} << (id & kMask);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  bool contains(std::uint64_t id) const {
    const auto found = words_.find(id >> kShift);
    return found != words_.end() && (found->second >> (id & kMask) & 1) != 0;
  }
  void clear() { words_.clear(); }

 private:
  static constexpr unsigned kShift = 6;
  static constexpr std::uint64_t kMask = 63;
  std::unordered_map<std::uint64_t, std::uint64_t> words_;
};

/// Who waits for whom, among the nodes of one trace that have been read and are not done. Memory grows with
/// those and their open dependencies, plus a bit per node that is done. The caller numbers what it holds
/// (slots).
class DependencyWindow {
 public:
  /// Holds a node. Returns how many of its parents are not done; with 0 it is not held.
  std::uint32_t add(std::uint32_t slot, const Node& node);
  /// The node is done: calls `visit(slot, ready)` for each that waited for it, in the order in which they
  /// were added; ready: it waits for nothing else.
  template <typename Visit>
  void done(std::uint64_t id, Visit visit);
  /// A parent that is not in the trace counts as done. Before the first add() that needs it.
  void satisfy(std::uint64_t id) { done_.insert(id); }
  bool is_done(std::uint64_t id) const { return done_.contains(id); }
  /// A parent that the slot waits for (the lowest id): for messages, it looks at everything.
  std::optional<std::uint64_t> open_parent(std::uint32_t slot) const;
  void clear();

 private:
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
  struct Edge {
    std::uint32_t slot, next;
  };
  struct Waiters {
    std::uint32_t first, last;
  };
  void wait_for(std::uint64_t parent, std::uint32_t slot);

  IdSet done_;
  std::unordered_map<std::uint64_t, Waiters> waiters_;  // by parent
  std::vector<Edge> edges_;
  std::uint32_t free_edge_ = kEnd;
  std::vector<std::uint32_t> open_;  // parents not done, by slot
};

template <typename Visit>
void DependencyWindow::done(std::uint64_t id, Visit visit) {
  done_.insert(id);
  const auto found = waiters_.find(id);
  if (found == waiters_.end()) return;
  std::uint32_t edge = found->second.first;
  waiters_.erase(found);
  while (edge != kEnd) {
    const Edge now = edges_[edge];
    edges_[edge].next = free_edge_;
    free_edge_ = edge;
    edge = now.next;
    visit(now.slot, --open_[now.slot] == 0);
  }
}

}  // namespace wafertlm::chakra
