// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tlm/wake_queue.h"

namespace wafertlm {

/// The wake-ups of a window of time, region by region: what a region touches stays in the cache from its
/// first wake-up to its last.
class WakeWindow {
 public:
  /// Adds an entry that is due in the window, in the order of the queue.
  void add(const WakeQueue::Entry& entry);
  /// Delivers everything and empties the window; `deliver(entry)` may call insert().
  template <typename Deliver>
  void run(const Deliver& deliver);
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
  bool pop(WakeQueue::Entry& entry);

  std::vector<Link> links_;            // of all regions
  std::vector<Ends> ends_;             // by region
  std::vector<Region> used_;           // regions with entries
  std::vector<WakeQueue::Entry> due_;  // heap, of the region at work
  Region at_work_ = kNoRegion;
};

template <typename Deliver>
void WakeWindow::run(const Deliver& deliver) {
  std::sort(used_.begin(), used_.end());  // neighbours in space after each other
  for (std::size_t i = 0; i < used_.size(); ++i) {
    at_work_ = used_[i];
    look_ahead(i);
    for (std::uint32_t link = ends_[at_work_].first; link != kNil; link = links_[link].next)
      due_.push_back(links_[link].entry);  // sorted, so a heap
    ends_[at_work_] = {};
    for (WakeQueue::Entry entry; pop(entry);) deliver(entry);
  }
  at_work_ = kNoRegion;
  used_.clear();
  links_.clear();
}

}  // namespace wafertlm
