// SPDX-License-Identifier: Apache-2.0
#include "tlm/wake_regions.h"

#include <iterator>

namespace wafertlm {

const WakeRegions::Entry* WakeRegions::front() const {
  const auto group = std::min_element(first_of_group_.begin(), first_of_group_.end());
  if (group == first_of_group_.end() || *group == kNever) return nullptr;
  // At one time the order of insertion decides, also between groups.
  const Entry* first = nullptr;
  for (std::size_t g = 0; g < first_of_group_.size(); ++g) {
    if (first_of_group_[g] != *group) continue;
    for (std::size_t region = g * kGroup; region < std::min((g + 1) * kGroup, first_.size()); ++region)
      if (first_[region] == *group && (!first || queues_[region].front().before(*first)))
        first = &queues_[region].front();
  }
  return first;
}

WakeRegions::Entry WakeRegions::pop() {
  const Region region = front()->region;
  const Entry entry = pop(region);
  first_[region] = queues_[region].next_ps();
  find_first(region / kGroup);
  return entry;
}

void WakeRegions::find_first(std::size_t group) {
  const auto begin = first_.begin() + static_cast<std::ptrdiff_t>(group * kGroup);
  const auto size = static_cast<std::ptrdiff_t>(std::min(kGroup, first_.size() - group * kGroup));
  first_of_group_[group] = *std::min_element(begin, begin + size);
}

/// Hints to the targets of the regions that come next, each time for what is nearer.
void WakeRegions::look_ahead(std::size_t at, const Limit& limit) const {
  constexpr std::size_t kTarget = 4, kRegions[] = {3, 2, 2, 1, 1};  // regions ahead, by depth
  const auto for_each = [&](std::size_t ahead, const auto& visit) {
    if (at + ahead >= used_.size()) return;
    for (const Entry& entry : queues_[used_[at + ahead]]) {
      if (!limit.allows(entry)) break;
      visit(entry);
    }
  };
  if (at + kTarget + 1 < used_.size()) __builtin_prefetch(queues_[used_[at + kTarget + 1]].begin());
  for_each(kTarget, [](const Entry& entry) { entry.target->prefetch_object(); });
  for (unsigned depth = 0; depth < std::size(kRegions); ++depth)
    for_each(kRegions[depth], [&](const Entry& entry) { entry.target->prefetch(entry.what, depth); });
}

}  // namespace wafertlm
