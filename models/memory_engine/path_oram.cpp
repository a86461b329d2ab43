// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/path_oram.h"

#include <algorithm>

namespace wafertlm {

PathOram::PathOram(std::uint64_t pages, std::uint32_t bucket_blocks, std::uint64_t seed)
    : bucket_blocks_(bucket_blocks), random_(seed) {
  while (levels_ < 62 && (std::uint64_t{1} << levels_) < pages) ++levels_;
}

std::uint64_t PathOram::leaf_of(std::uint64_t page) {
  const auto found = leaf_.find(page);
  return found != leaf_.end() ? found->second : leaf_.emplace(page, random_leaf()).first->second;
}

std::vector<std::uint64_t> PathOram::path(std::uint64_t leaf) const {
  std::vector<std::uint64_t> slots;
  slots.reserve(levels_ * bucket_blocks_);
  for (std::uint32_t level = 0; level < levels_; ++level)
    for (std::uint32_t i = 0; i < bucket_blocks_; ++i)
      slots.push_back(bucket(leaf, level) * bucket_blocks_ + i);
  return slots;
}

std::uint64_t PathOram::content(std::uint64_t slot) const {
  const auto found = buckets_.find(slot / bucket_blocks_);
  const std::uint64_t position = slot % bucket_blocks_;
  return found == buckets_.end() || position >= found->second.size() ? kDummy : found->second[position];
}

void PathOram::take(std::uint64_t leaf, std::uint64_t page) {
  for (std::uint32_t level = 0; level < levels_; ++level) {
    const auto found = buckets_.find(bucket(leaf, level));
    if (found == buckets_.end()) continue;
    stash_.insert(stash_.end(), found->second.begin(), found->second.end());
    buckets_.erase(found);
  }
  leaf_[page] = random_leaf();
  if (std::find(stash_.begin(), stash_.end(), page) == stash_.end())
    stash_.push_back(page);  // its first access
  std::sort(stash_.begin(), stash_.end());
}

void PathOram::put_back(std::uint64_t leaf) {
  for (std::uint32_t level = levels_; level-- > 0;) {
    std::vector<std::uint64_t> placed;
    const std::uint64_t here = bucket(leaf, level);
    for (auto page = stash_.begin(); page != stash_.end() && placed.size() < bucket_blocks_;) {
      if (bucket(leaf_.at(*page), level) == here) {
        placed.push_back(*page);
        page = stash_.erase(page);
      } else {
        ++page;
      }
    }
    if (!placed.empty()) buckets_[here] = std::move(placed);
  }
}

}  // namespace wafertlm
