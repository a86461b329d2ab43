// SPDX-License-Identifier: Apache-2.0
#include "tlm/wake_window.h"

#include <iterator>
#include <stdexcept>
#include <string>

namespace wafertlm {
void WakeWindow::add(const WakeQueue::Entry& entry) {
  if (entry.region >= ends_.size()) ends_.resize(entry.region + 1);
  Ends& ends = ends_[entry.region];
  const auto number = static_cast<std::uint32_t>(links_.size());
  links_.push_back({entry, kNil});
  if (ends.first == kNil) {
    ends.first = number;
    used_.push_back(entry.region);
  } else {
    links_[ends.last].next = number;
  }
  ends.last = number;
}

void WakeWindow::insert(const WakeQueue::Entry& entry) {
  if (entry.region != at_work_)
    throw std::logic_error("region " + std::to_string(at_work_) + " acts on region " +
                           std::to_string(entry.region) + " at " + std::to_string(entry.at) +
                           " ps, within a window of time; see Scheduler::allow_windows");
  inserted_.push_back(entry);
  std::push_heap(inserted_.begin(), inserted_.end(), WakeQueue::later);
}

/// Hints to the targets of the regions that come next, each time for what is nearer.
void WakeWindow::look_ahead(std::size_t at) const {
  constexpr std::size_t kTarget = 4, kRegions[] = {3, 2, 2, 1, 1};  // regions ahead, by depth
  const auto for_each = [&](std::size_t ahead, const auto& visit) {
    if (at + ahead >= used_.size()) return;
    for (std::uint32_t link = ends_[used_[at + ahead]].first; link != kNil; link = links_[link].next)
      visit(links_[link].entry);
  };
  for_each(kTarget, [](const WakeQueue::Entry& entry) { entry.target->prefetch_object(); });
  for (unsigned depth = 0; depth < std::size(kRegions); ++depth)
    for_each(kRegions[depth],
             [&](const WakeQueue::Entry& entry) { entry.target->prefetch(entry.what, depth); });
}

}  // namespace wafertlm
