// SPDX-License-Identifier: Apache-2.0
#include "tlm/kernel/wake_partitions.h"

#include <iterator>

namespace wafertlm {

const WakePartitions::Entry* WakePartitions::front() const {
  const auto group = std::min_element(first_of_group_.begin(), first_of_group_.end());
  if (group == first_of_group_.end() || *group == kNever) return nullptr;
  // At one time the order of insertion decides, also between groups.
  const Entry* first = nullptr;
  for (std::size_t g = 0; g < first_of_group_.size(); ++g) {
    if (first_of_group_[g] != *group) continue;
    for (std::size_t partition = g * kGroup; partition < std::min((g + 1) * kGroup, first_.size());
         ++partition)
      if (first_[partition] == *group && (!first || queues_[partition].front().before(*first)))
        first = &queues_[partition].front();
  }
  return first;
}

WakePartitions::Entry WakePartitions::pop() {
  const Partition partition = front()->partition;
  const Entry entry = pop(partition);
  first_[partition] = queues_[partition].next_ps();
  find_first(partition / kGroup);
  return entry;
}

void WakePartitions::find_first(std::size_t group) {
  const auto begin = first_.begin() + static_cast<std::ptrdiff_t>(group * kGroup);
  const auto size = static_cast<std::ptrdiff_t>(std::min(kGroup, first_.size() - group * kGroup));
  first_of_group_[group] = *std::min_element(begin, begin + size);
}

/// Hints to the targets of the partitions that come next, each time for what is nearer.
void WakePartitions::look_ahead(std::size_t at, const Limit& limit) const {
  constexpr std::size_t kTarget = 4, kPartitions[] = {3, 2, 2, 1, 1};  // partitions ahead, by depth
  const auto for_each = [&](std::size_t ahead, const auto& visit) {
    if (at + ahead >= used_.size()) return;
    for (const Entry& entry : queues_[used_[at + ahead]]) {
      if (!limit.allows(entry)) break;
      visit(entry);
    }
  };
  if (at + kTarget + 1 < used_.size()) __builtin_prefetch(queues_[used_[at + kTarget + 1]].begin());
  for_each(kTarget, [](const Entry& entry) { entry.target->prefetch_object(); });
  for (unsigned depth = 0; depth < std::size(kPartitions); ++depth)
    for_each(kPartitions[depth], [&](const Entry& entry) { entry.target->prefetch(entry.what, depth); });
}

}  // namespace wafertlm
