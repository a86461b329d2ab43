// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/path_oram.h"

#include <algorithm>

namespace wafertlm {

PathOram::PathOram(std::uint64_t pages, std::uint32_t bucket_blocks, const Key& key)
    : levels_(levels_for(pages)), bucket_blocks_(bucket_blocks), random_(key) {}

std::uint32_t PathOram::levels_for(std::uint64_t pages) {
  std::uint32_t levels = 1;
  while (levels < 62 && (std::uint64_t{1} << levels) < pages) ++levels;
  return levels;
}

std::uint64_t PathOram::leaf_of(std::uint64_t page) {
  const auto found = position_.find(page);
  return found != position_.end() ? found->second.leaf
                                  : position_.emplace(page, Position{random_leaf(), 0}).first->second.leaf;
}

std::vector<std::uint64_t> PathOram::buckets(const Leaves& leaves, std::uint32_t level) const {
  std::vector<std::uint64_t> all;
  for (const std::uint64_t leaf : leaves) all.push_back(bucket(leaf, level));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::uint64_t> PathOram::paths(const Leaves& leaves) const {
  std::vector<std::uint64_t> slots;
  for (std::uint32_t level = 0; level < levels_; ++level)
    for (const std::uint64_t bucket : buckets(leaves, level))
      for (std::uint32_t i = 0; i < bucket_blocks_; ++i) slots.push_back(bucket * bucket_blocks_ + i);
  return slots;
}

std::uint64_t PathOram::content(std::uint64_t slot) const {
  const auto found = buckets_.find(slot / bucket_blocks_);
  const std::uint64_t position = slot % bucket_blocks_;
  return found == buckets_.end() || position >= found->second.size() ? kDummy : found->second[position];
}

void PathOram::take(const Leaves& leaves) {
  for (std::uint32_t level = 0; level < levels_; ++level)
    for (const std::uint64_t bucket : buckets(leaves, level)) {
      const auto found = buckets_.find(bucket);
      if (found == buckets_.end()) continue;
      stash_.insert(stash_.end(), found->second.begin(), found->second.end());
      buckets_.erase(found);
    }
  std::sort(stash_.begin(), stash_.end());
}

void PathOram::hold(std::uint64_t page) {
  const auto place = std::lower_bound(stash_.begin(), stash_.end(), page);
  if (place == stash_.end() || *place != page) stash_.insert(place, page);
}

void PathOram::put_back(const Leaves& leaves) {
  for (std::uint32_t level = levels_; level-- > 0;)
    for (const std::uint64_t here : buckets(leaves, level)) {
      std::vector<std::uint64_t> placed;
      for (auto page = stash_.begin(); page != stash_.end() && placed.size() < bucket_blocks_;) {
        Position& position = position_.at(*page);
        if (bucket(position.leaf, level) == here) {
          ++position.version;
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
