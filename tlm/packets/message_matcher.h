// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tlm/packets/message.h"

namespace wafertlm {

/// Matches messages with who waits for them, whichever comes first: chains over one array of entries that are
/// used again, so no allocation per message. (Two standard maps, one of them of queues, took up to five
/// allocations and some twenty cache lines per message.)
template <typename Waiter, typename Message = wafertlm::Message>
class MessageMatcher {
 public:
  /// Of one key there are waiters or messages, never both.
  struct Entry {
    MessageKey key;
    Message* message = nullptr;  ///< that came early; null: `waiter` waits
    Waiter waiter;
    std::uint32_t next = 0;
  };

  /// The first entry of this key, in the order of add(); null if there is none.
  const Entry* find(const MessageKey& key) const {
    if (first_.empty()) return nullptr;
    std::uint32_t at = first_[bucket(key)];
    while (at != kNil && !(entries_[at].key == key)) at = entries_[at].next;
    return at == kNil ? nullptr : &entries_[at];
  }
  void add(const MessageKey& key, Message* message, const Waiter& waiter) {
    if (free_ == kNil) grow();
    const std::uint32_t at = free_;
    free_ = entries_[at].next;
    entries_[at] = {key, message, waiter, kNil};
    append(at);
  }
  /// Takes out what find() returned.
  void remove(const Entry& entry) {
    const auto at = static_cast<std::uint32_t>(&entry - entries_.data());
    std::uint32_t* place = &first_[bucket(entry.key)];
    while (*place != at) place = &entries_[*place].next;
    *place = std::exchange(entries_[at].next, free_);
    free_ = at;
  }
  bool empty() const {
    return std::all_of(first_.begin(), first_.end(), [](std::uint32_t at) { return at == kNil; });
  }
  /// In no order that means anything.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::uint32_t at : first_)
      for (; at != kNil; at = entries_[at].next) visit(entries_[at]);
  }

 private:
  static constexpr std::uint32_t kNil = ~std::uint32_t{0};

  std::size_t bucket(const MessageKey& key) const {
    std::uint64_t hash = key.operation * 0x9E3779B97F4A7C15ULL;
    hash = (hash ^ (hash >> 32) ^ key.tag) * 0xBF58476D1CE4E5B9ULL;
    hash = (hash ^ (hash >> 29) ^ index_of(key.source)) * 0x94D049BB133111EBULL;
    return (hash ^ (hash >> 31)) & (first_.size() - 1);
  }
  /// At the end of its chain: messages of one key are taken in the order in which they came.
  void append(std::uint32_t at) {
    std::uint32_t* place = &first_[bucket(entries_[at].key)];
    while (*place != kNil) place = &entries_[*place].next;
    *place = at;
    entries_[at].next = kNil;
  }
  /// Twice the room, and as many chains, built again from their beginnings.
  void grow() {
    const std::size_t room = entries_.empty() ? 4 : 2 * entries_.size();
    const std::vector<std::uint32_t> chains = std::exchange(first_, std::vector<std::uint32_t>(room, kNil));
    for (std::uint32_t at : chains)
      while (at != kNil) append(std::exchange(at, entries_[at].next));
    for (std::size_t at = entries_.size(); at < room; ++at) {
      entries_.emplace_back();
      entries_[at].next = std::exchange(free_, static_cast<std::uint32_t>(at));
    }
  }

  std::vector<std::uint32_t> first_;  // of each chain; a power of two
  std::vector<Entry> entries_;
  std::uint32_t free_ = kNil;
};

}  // namespace wafertlm
