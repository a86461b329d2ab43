// SPDX-License-Identifier: Apache-2.0
#include "tlm/wake_regions.h"

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

void WakeRegions::add_hint(Region region, const CacheHint& state) {
  if (region >= hints_.size()) hints_.resize(region + 1);
  hints_[region].push_back(&state);
}

/// While one region runs, the tables of the one after the next are fetched, and what those of the next, which
/// are there by then, point to.
void WakeRegions::look_ahead(std::size_t at) const {
  const auto for_each = [&](std::size_t place, const auto& visit) {
    if (place >= used_.size() || used_[place] >= hints_.size()) return;
    for (const CacheHint* state : hints_[used_[place]]) visit(*state);
  };
  if (at + 3 < used_.size()) prefetch_lines(queues_[used_[at + 3]].begin(), 1);
  for_each(at + 2, [](const CacheHint& state) { state.prefetch(); });
  for_each(at + 1, [](const CacheHint& state) { state.prefetch_pointees(); });
}

}  // namespace wafertlm
