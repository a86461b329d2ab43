// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tlm/wake_queue.h"

namespace wafertlm {

/// The wake-ups of a window of time, region by region: what a region touches stays in the cache from its
/// first wake-up to its last.
class WakeWindow {
 public:
  /// Adds an entry that is due in the window, in the order of the queue.
  void add(const WakeQueue::Entry& entry);
  /// Delivers everything and empties the window; `deliver(entry)` may call insert(). `ahead`: with hints to
  /// what comes next, which pay if it is not in the cache.
  template <typename Deliver>
  void run(bool ahead, const Deliver& deliver);
  /// One more of the region that is at work. @throws std::logic_error if it is another's.
  void insert(const WakeQueue::Entry& entry);

 private:
  static constexpr std::uint32_t kNil = ~std::uint32_t{0};
  struct Link {
    WakeQueue::Entry entry;
    std::uint32_t next;
  };
  struct Ends {
    std::uint32_t first = kNil, last = kNil;
  };
  void look_ahead(std::size_t at) const;
  WakeQueue::Entry take();

  std::vector<Link> links_;   // of all regions
  std::vector<Ends> ends_;    // by region
  std::vector<Region> used_;  // regions with entries
  // Of the region at work: a list in order, and a heap of what was inserted since.
  std::uint32_t next_ = kNil;
  std::vector<WakeQueue::Entry> inserted_;
  Region at_work_ = kNoRegion;
};

inline WakeQueue::Entry WakeWindow::take() {
  if (inserted_.empty() || (next_ != kNil && links_[next_].entry.before(inserted_.front())))
    return links_[std::exchange(next_, links_[next_].next)].entry;
  const WakeQueue::Entry entry = inserted_.front();
  std::pop_heap(inserted_.begin(), inserted_.end(), WakeQueue::later);
  inserted_.pop_back();
  return entry;
}

template <typename Deliver>
void WakeWindow::run(bool ahead, const Deliver& deliver) {
  std::sort(used_.begin(), used_.end());  // neighbours in space after each other
  for (std::size_t i = 0; i < used_.size(); ++i) {
    at_work_ = used_[i];
    if (ahead) look_ahead(i);
    next_ = std::exchange(ends_[at_work_], {}).first;
    while (next_ != kNil || !inserted_.empty()) deliver(take());
  }
  at_work_ = kNoRegion;
  used_.clear();
  links_.clear();
}

}  // namespace wafertlm
