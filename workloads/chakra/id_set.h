// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>

namespace wafertlm::chakra {

/// A set of node ids, 64 of them in a word: less than a byte per id where ids are dense, as in real traces.
class IdSet {
 public:
  /// False if it was there.
  bool insert(std::uint64_t id) {
    std::uint64_t& word = words_[id >> kShift];
    const std::uint64_t bit = std::uint64_t{1} << (id & kMask);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  bool contains(std::uint64_t id) const {
    const auto found = words_.find(id >> kShift);
    return found != words_.end() && (found->second >> (id & kMask) & 1) != 0;
  }
  void clear() { words_.clear(); }

 private:
  static constexpr unsigned kShift = 6;
  static constexpr std::uint64_t kMask = 63;
  std::unordered_map<std::uint64_t, std::uint64_t> words_;
};

}  // namespace wafertlm::chakra
