// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm/kernel/wake_queue.h"

namespace wafertlm {

/// Pending wake-ups of the partitions of a platform, each partition's in a sorted queue of its own, so that a
/// partition can go ahead of the others for the length of a window of time: what it touches stays in the
/// cache from its first wake-up to its last. The next one of all is found by the first of each partition, and
/// of groups of partitions. A partition has a few entries, or many that come nearly in the order of time.
class WakePartitions {
 public:
  using Entry = WakeQueue::Entry;

  /// How far partitions may go: to `at`, not with it but for what comes before `than` at that time.
  struct Limit {
    TimePs at;
    const Entry* than = nullptr;
    bool allows(const Entry& entry) const { return entry.at < at || (than && entry.before(*than)); }
  };

  /// Requires entry.partition != kNoPartition, and that entries come in the order of insertion.
  void push(const Entry& entry);
  /// The same for the partition that run() is at.
  void push_at_work(const Entry& entry) {
    queues_[at_work_].insert(entry);
    ++pending_;
  }
  /// The next of all partitions, null if there is none; valid until something is pushed.
  const Entry* front() const;
  /// The time of the next entry, kNever if there is none.
  TimePs next_ps() const {
    const Entry* const next = front();
    return next ? next->at : kNever;
  }
  /// Takes out what front() returns. Requires that there is one.
  Entry pop();
  /// Delivers partition by partition what `limit` allows, also what deliver(entry) pushes. `ahead`: with
  /// hints to what comes next, which pay if it is not in the cache.
  template <typename Deliver>
  void run(const Limit& limit, bool ahead, const Deliver& deliver);
  Partition at_work() const { return at_work_; }
  /// Visits all entries, in no order that means anything.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const Queue& queue : queues_)
      for (const Entry& entry : queue) visit(entry);
  }
  bool is_at_work(Partition partition) const { return partition == at_work_ && partition != kNoPartition; }
  std::size_t pending() const { return pending_; }

 private:
  static constexpr std::size_t kGroup = 64;  // partitions

  /// Sorted. In place of a ring, which would go through all of its block, it stays where it is in the cache.
  class Queue {
   public:
    bool empty() const { return first_ == end_; }
    const Entry& front() const { return block_[first_]; }
    /// The time of the front, kNever if there is none.
    TimePs next_ps() const { return empty() ? kNever : front().at; }
    const Entry* begin() const { return block_.data() + first_; }
    const Entry* end() const { return block_.data() + end_; }
    void pop_front() { ++first_; }
    /// Among those of its time and turn it is the last.
    void insert(const Entry& entry) {
      if (first_ > kMaxGone || end_ == block_.size()) make_room();
      const Entry* const front = &block_[first_];
      Entry* place = &block_[end_++];
      for (; place != front && entry.before(place[-1]); --place) *place = place[-1];
      // One by one: a copy in one piece would wait for the parts of `entry`, which have just been written.
      place->at = entry.at;
      place->order = entry.order;
      place->target = entry.target;
      place->what = entry.what;
      place->partition = entry.partition;
    }

   private:
    static constexpr std::uint32_t kMaxGone = 48;
    void make_room() {
      std::copy(begin() - 1, end(), block_.data());
      end_ -= first_ - 1;
      first_ = 1;
      if (end_ == block_.size()) block_.resize(2 * end_);
    }
    std::vector<Entry> block_ = std::vector<Entry>(4);
    std::uint32_t first_ = 1, end_ = 1;  // those before the first are gone; there is always one
  };
  Entry pop(Partition partition);
  void find_first(std::size_t group);
  void look_ahead(std::size_t at, const Limit& limit) const;

  std::vector<Queue> queues_;  // by partition
  std::vector<TimePs> first_;  // by partition; kNever: none
  std::vector<TimePs> first_of_group_;
  std::vector<Partition> used_;  // partitions with something in the window
  Partition at_work_ = kNoPartition;
  std::size_t pending_ = 0;
};

inline void WakePartitions::push(const Entry& entry) {
  if (entry.partition >= first_.size()) {
    queues_.resize(entry.partition + 1);
    first_.resize(entry.partition + 1, kNever);
    first_of_group_.resize(entry.partition / kGroup + 1, kNever);
  }
  queues_[entry.partition].insert(entry);
  ++pending_;
  if (entry.at >= first_[entry.partition]) return;
  first_[entry.partition] = entry.at;
  TimePs& of_group = first_of_group_[entry.partition / kGroup];
  of_group = std::min(of_group, entry.at);
}

inline WakePartitions::Entry WakePartitions::pop(Partition partition) {
  Queue& queue = queues_[partition];
  const Entry entry = queue.front();
  queue.pop_front();
  --pending_;
  return entry;
}

template <typename Deliver>
void WakePartitions::run(const Limit& limit, bool ahead, const Deliver& deliver) {
  struct AtWork {
    ~AtWork() { partition = kNoPartition; }
    Partition& partition;
  } until_end{at_work_};
  used_.clear();
  for (std::size_t group = 0; group < first_of_group_.size(); ++group) {
    if (first_of_group_[group] > limit.at) continue;
    const std::size_t end = std::min((group + 1) * kGroup, first_.size());
    for (std::size_t partition = group * kGroup; partition < end; ++partition)
      if (first_[partition] <= limit.at) used_.push_back(static_cast<Partition>(partition));
  }
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const Partition partition = at_work_ = used_[i];
    if (ahead) look_ahead(i, limit);
    // Asked anew each time, since deliver() may push.
    while (!queues_[partition].empty() && limit.allows(queues_[partition].front())) deliver(pop(partition));
    first_[partition] = queues_[partition].next_ps();
    if (i + 1 == used_.size() || used_[i + 1] / kGroup != partition / kGroup) find_first(partition / kGroup);
  }
}

}  // namespace wafertlm
