// SPDX-License-Identifier: Apache-2.0
#include "tlm/kernel/wake_queue.h"

#include <algorithm>
#include <iterator>

namespace wafertlm {
namespace {

// An object, not a function: std::sort inlines it.
constexpr auto earlier = [](const WakeQueue::Entry& a, const WakeQueue::Entry& b) { return a.before(b); };

constexpr std::size_t kCompact = 256;      // popped entries that the open buckets keep at most
constexpr std::uint64_t kAheadSlots = 64;  // buckets are opened at most so far ahead of the time
constexpr std::uint32_t kCrowded = 512;    // with fewer wake-ups than this everything fits the cache anyway

}  // namespace

WakeQueue::WakeQueue(TimePs horizon_ps) : horizon_ps_(horizon_ps) { set_buckets(kMinBuckets); }

void WakeQueue::set_buckets(std::uint32_t buckets) {
  mask_ = buckets - 1;
  for (shift_ = 0; TimePs{buckets} << shift_ < horizon_ps_;) ++shift_;
  heads_.assign(buckets, kNil);
  used_.assign(buckets / 64, 0);
  used_words_.assign((buckets / 64 + 63) / 64, 0);
}

/// More and shorter buckets. There are about as many as entries: few of them stay in the cache, and a bucket
/// is short to sort.
void WakeQueue::refine() {
  std::vector<Entry> entries;
  for (std::uint32_t node : heads_)
    for (; node != kNil; node = nodes_[node].next) entries.push_back(nodes_[node].entry);
  const unsigned before = shift_;
  set_buckets(4 * buckets());
  // The open bucket's time is over; the first of its shorter ones that may still hold something is the last.
  open_slot_ = ((open_slot_ + 1) << before >> shift_) - 1;
  nodes_.clear();
  free_ = kNil;
  pending_ = 0;
  for (const Entry& entry : entries) put(entry.at >> shift_, entry);
}

inline void WakeQueue::put(std::uint64_t slot, const Entry& entry) {
  const auto bucket = static_cast<std::uint32_t>(slot) & mask_;
  std::uint32_t number = free_;
  if (number == kNil) {
    number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[number].next;
  }
  Node& node = nodes_[number];
  node.entry = entry;
  node.next = heads_[bucket];
  heads_[bucket] = number;
  ++pending_;
  std::uint64_t& word = used_[bucket / 64];
  if (word == 0) used_words_[bucket / 4096] |= std::uint64_t{1} << bucket / 64 % 64;
  word |= std::uint64_t{1} << bucket % 64;
}

void WakeQueue::push(TimePs now, const Entry& entry) {
  const TimePs at = entry.at;
  const std::uint64_t slot = at >> shift_;
  // After a rest the calendar begins anew at the present; it spans all slots from the open one on.
  if (pending_ == 0 && open_front_ == open_.size()) open_slot_ = std::max(open_slot_, now >> shift_);
  if (slot - open_slot_ - 1 < mask_) {
    put(slot, entry);
    if (pending_ == buckets() && buckets() < kMaxBuckets) refine();
  } else if (at == now) {
    immediate_[static_cast<std::size_t>(entry.turn())].push_back(entry);
  } else if (slot <= open_slot_) {
    // Into the bucket that is being worked on: a delay shorter than a bucket. Rare, but where thousands are
    // in lock-step it is so for all of them.
    constexpr std::ptrdiff_t kMaxMoved = 64;
    if (open_.size() - open_front_ > std::size_t{kMaxMoved} && entry.before(*(open_.end() - kMaxMoved))) {
      late_.push_back(entry);
      std::push_heap(late_.begin(), late_.end(), later);
      return;
    }
    open_.insert(std::upper_bound(open_.begin() + static_cast<std::ptrdiff_t>(open_front_), open_.end(),
                                  entry, earlier),
                 entry);
  } else {
    far_.push_back(entry);
    std::push_heap(far_.begin(), far_.end(), later);
  }
}

/// The first used bucket from `from` on, going round; kNil if there is none.
inline std::uint32_t WakeQueue::next_used(std::uint32_t from) const {
  const auto words = static_cast<std::uint32_t>(used_.size()),
             groups = static_cast<std::uint32_t>(used_words_.size());
  std::uint32_t word = from / 64;
  std::uint64_t bits = used_[word] & (~std::uint64_t{0} << from % 64);
  if (bits == 0) {
    const std::uint32_t first = (word + 1) & (words - 1);
    std::uint32_t group = first / 64;
    std::uint64_t summary = used_words_[group] & (~std::uint64_t{0} << first % 64);
    for (std::uint32_t k = 0; summary == 0 && k < groups; ++k)
      summary = used_words_[group = (group + 1) & (groups - 1)];
    if (summary == 0) return kNil;
    word = group * 64 + static_cast<std::uint32_t>(__builtin_ctzll(summary));
    bits = used_[word];
  }
  return word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(bits));
}

bool WakeQueue::open_next(std::uint64_t last) {
  const auto start = static_cast<std::uint32_t>(open_slot_ + 1) & mask_;
  const std::uint32_t bucket = pending_ == 0 ? kNil : next_used(start);
  if (bucket == kNil) return false;
  const std::uint64_t slot = nodes_[heads_[bucket]].entry.at >> shift_;
  if (slot > last) return false;
  open_slot_ = slot;
  if (open_front_ == open_.size()) {
    open_.clear();
    open_front_ = 0;
  } else if (open_front_ >= kCompact) {
    open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(open_front_));
    open_front_ = 0;
  }
  const std::size_t before = open_.size();
  for (std::uint32_t node = heads_[bucket]; node != kNil;) {
    open_.push_back(nodes_[node].entry);
    const std::uint32_t next = nodes_[node].next;
    nodes_[node].next = free_;
    free_ = node;
    node = next;
    --pending_;
  }
  heads_[bucket] = kNil;
  std::uint64_t& word = used_[bucket / 64];
  word &= ~(std::uint64_t{1} << bucket % 64);
  if (word == 0) used_words_[bucket / 4096] &= ~(std::uint64_t{1} << bucket / 64 % 64);
  // The list has the last one first: turned, it is mostly in order.
  const auto first = open_.begin() + static_cast<std::ptrdiff_t>(before);
  std::reverse(first, open_.end());
  if (!std::is_sorted(first, open_.end(), earlier)) std::sort(first, open_.end(), earlier);
  return true;
}

const WakeQueue::Entry* WakeQueue::front() {
  const Entry* first = nullptr;
  const auto consider = [&](const Entry& entry, Source source) {
    if (first && !entry.before(*first)) return;
    first = &entry;
    front_in_ = source;
  };
  // Late entries are of open buckets, so before all others.
  if (open_front_ != open_.size() || (late_.empty() && open_next()))
    consider(open_[open_front_], Source::open);
  for (std::size_t turn = 0; turn < std::size(immediate_); ++turn) {
    if (immediate_[turn].empty()) continue;
    consider(immediate_[turn].front(), Source::immediate);
    front_turn_ = turn;
    break;
  }
  if (!late_.empty()) consider(late_.front(), Source::late);
  if (!far_.empty()) consider(far_.front(), Source::far);
  return first;
}

void WakeQueue::pop_other() {
  if (front_in_ == Source::immediate) {
    immediate_[front_turn_].pop_front();
  } else if (front_in_ == Source::late) {
    std::pop_heap(late_.begin(), late_.end(), later);
    late_.pop_back();
  } else {
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
  }
}

bool WakeQueue::is_crowded(std::size_t others) const {
  return pending_ + (open_.size() - open_front_) + others >= kCrowded;
}

void WakeQueue::look_ahead(TimePs now) {
  if (!is_crowded()) return;
  constexpr std::size_t kTarget = 16, kDepth[] = {12, 9, 6, 3, 1};  // entries ahead
  while (open_.size() - open_front_ < kTarget + 1)
    if (!open_next((now >> shift_) + kAheadSlots)) break;
  const std::size_t left = open_.size() - open_front_;
  const Entry* const next = open_.data() + open_front_ - 1;
  if (left > kTarget) next[kTarget].target->prefetch_object();
  for (unsigned depth = 0; depth < std::size(kDepth); ++depth)
    if (left >= kDepth[depth]) next[kDepth[depth]].target->prefetch(next[kDepth[depth]].what, depth);
}

}  // namespace wafertlm
