// SPDX-License-Identifier: Apache-2.0
#include "tlm/scheduler.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace wafertlm {
namespace {

// Objects, not functions: std::sort inlines them.
constexpr auto earlier = [](const WakeQueue::Entry& a, const WakeQueue::Entry& b) {
  return a.at != b.at ? a.at < b.at : static_cast<std::int32_t>(a.order - b.order) < 0;
};
/// For the standard heap, whose front is the last by this order.
constexpr auto later = [](const WakeQueue::Entry& a, const WakeQueue::Entry& b) { return earlier(b, a); };

constexpr std::size_t kCompact = 256;         // popped entries that the open buckets keep at most
constexpr std::uint64_t kAheadSlots = 64;     // buckets are opened at most so far ahead of the time
constexpr std::uint64_t kMostLeading = 4096;  // wake-ups per activation; then the kernel has a look around
constexpr std::uint32_t kCrowded = 512;  // with fewer wake-ups than this everything fits the cache anyway

}  // namespace

WakeQueue::WakeQueue(TimePs horizon_ps) : horizon_ps_(horizon_ps) { set_buckets(kFewestBuckets); }

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

void WakeQueue::push(TimePs now, TimePs at, Wakeable& target, std::uint32_t what, bool may_lead) {
  const Entry entry{at, &target, what, order_ + may_lead};
  order_ += 2;
  const std::uint64_t slot = at >> shift_;
  // After a rest the calendar begins anew at the present; it spans all slots from the open one on.
  if (pending_ == 0 && open_front_ == open_.size()) open_slot_ = std::max(open_slot_, now >> shift_);
  if (slot - open_slot_ - 1 < mask_) {
    put(slot, entry);
    if (pending_ == buckets() && buckets() < kMostBuckets) refine();
  } else if (at == now) {
    immediate_.push_back(entry);
  } else if (slot <= open_slot_) {
    // Into the bucket that is being worked on: rare, a delay shorter than a bucket.
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
  if (open_.size() - before > 1)
    std::sort(open_.begin() + static_cast<std::ptrdiff_t>(before), open_.end(), earlier);
  return true;
}

const WakeQueue::Entry* WakeQueue::front() {
  const Entry* first = nullptr;
  if (open_front_ != open_.size() || open_next()) {
    first = &open_[open_front_];
    front_in_ = Source::open;
  }
  // For one instant: the far entries were pushed first, those pushed at the instant itself last.
  if (!immediate_.empty() && (!first || immediate_.front().at < first->at)) {
    first = &immediate_.front();
    front_in_ = Source::immediate;
  }
  if (!far_.empty() && (!first || far_.front().at <= first->at)) {
    first = &far_.front();
    front_in_ = Source::far;
  }
  return first;
}

void WakeQueue::pop_other() {
  if (front_in_ == Source::immediate) {
    immediate_.pop_front();
  } else {
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
  }
}

void WakeQueue::look_ahead(TimePs now) {
  if (pending_ + (open_.size() - open_front_) < kCrowded) return;
  constexpr std::size_t kTarget = 16, kDepth[] = {12, 9, 6, 3, 1};  // entries ahead
  while (open_.size() - open_front_ < kTarget + 1)
    if (!open_next((now >> shift_) + kAheadSlots)) break;
  const std::size_t left = open_.size() - open_front_;
  const Entry* const next = open_.data() + open_front_ - 1;
  if (left > kTarget) {
    const auto* const object = reinterpret_cast<const char*>(next[kTarget].target);
    for (std::size_t k = 0; k < 192; k += 64) __builtin_prefetch(object + k);
  }
  for (unsigned depth = 0; depth < std::size(kDepth); ++depth)
    if (left >= kDepth[depth]) next[kDepth[depth]].target->prefetch(next[kDepth[depth]].what, depth);
}

Scheduler::Scheduler(const sc_core::sc_module_name& name, TimePs horizon_ps)
    : sc_module(name), queue_(horizon_ps) {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw std::invalid_argument("the time resolution must be 1 ps; it is " +
                                sc_core::sc_get_time_resolution().to_string());
  SC_HAS_PROCESS(Scheduler);
  SC_METHOD(dispatch);
  sensitive << due_;
  dont_initialize();
}

void Scheduler::schedule(TimePs at, Wakeable& target, std::uint32_t what, bool may_lead) {
  const TimePs time = now();
  if (at < time)
    throw std::logic_error("wake-up at " + std::to_string(at) + " ps lies before now, " +
                           std::to_string(time) + " ps");
  queue_.push(time, at, target, what, may_lead);
  if (dispatching_ || at >= notified_ps_) return;
  due_.cancel();
  due_.notify(to_sc_time(at - time));
  notified_ps_ = at;
}

void Scheduler::run(TimePs duration_ps, sc_core::sc_starvation_policy policy) {
  struct Restore {
    ~Restore() { end_ps = 0; }
    TimePs& end_ps;
  } restore{run_end_ps_};
  if (duration_ps == kNever) {
    run_end_ps_ = kNever;
    sc_core::sc_start();
  } else {
    run_end_ps_ = kernel_now_ps() + duration_ps;
    sc_core::sc_start(to_sc_time(duration_ps), policy);
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Up to when this activation may deliver: before anything that another process does, and within run().
TimePs Scheduler::lead_limit_ps(TimePs kernel_ps) const {
  if (run_end_ps_ <= kernel_ps) return kernel_ps;
  const TimePs free_ps = sc_core::sc_time_to_pending_activity().value();
  return free_ps == 0 ? kernel_ps : std::min(run_end_ps_, kernel_ps + free_ps) - 1;
}

void Scheduler::dispatch() {
  const TimePs kernel_ps = local_ps_ = kernel_now_ps();
  const TimePs limit_ps = lead_limit_ps(kernel_ps);
  dispatching_ = true;
  const std::uint64_t last_event = events_ + kMostLeading;
  try {
    while (const WakeQueue::Entry* const next = queue_.front()) {
      if (next->at > kernel_ps && (next->at > limit_ps || !next->may_lead() || events_ >= last_event)) break;
      const WakeQueue::Entry entry = *next;
      queue_.pop();
      local_ps_ = entry.at;
      ++events_;
      queue_.look_ahead(local_ps_);
      entry.target->wake(entry.what, entry.at);
    }
  } catch (...) {
    dispatching_ = false;
    if (run_end_ps_ == 0) throw;  // a plain sc_start(): the kernel reports it
    failure_ = std::current_exception();
    sc_core::sc_pause();
    return;
  }
  dispatching_ = false;
  notify_next(kernel_ps);
}

/// Asks for the next activation. If none comes within the run, one lets the kernel's time catch up.
void Scheduler::notify_next(TimePs kernel_ps) {
  notified_ps_ = queue_.next_ps();
  if (local_ps_ > kernel_ps && notified_ps_ >= run_end_ps_) notified_ps_ = local_ps_;
  if (notified_ps_ != kNever) due_.notify(to_sc_time(notified_ps_ - kernel_ps));
}

}  // namespace wafertlm
