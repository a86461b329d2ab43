// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <set>
#include <utility>
#include <vector>

namespace wafertlm {

/// Objects that are handed out and come back; no allocation once the high-water mark is reached. T has a
/// member `data`, a vector whose storage is kept when the object is used again.
template <typename T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// An object in its initial state.
  T& acquire() {
    if (free_.empty()) {
      blocks_.push_back(std::make_unique<T[]>(kBlock));
      for (std::size_t i = kBlock; i-- > 0;) free_.push_back(&blocks_.back()[i]);
    }
    T& object = *free_.back();
    free_.pop_back();
    auto storage = std::move(object.data);
    storage.clear();
    // Made again in its place: assigning a new one, or T(), would write it twice.
    object.~T();
    new (&object) T;
    object.data = std::move(storage);
    high_water_ = std::max(high_water_, in_use());
    return object;
  }
  void release(T& object) { free_.push_back(&object); }

  /// Visits the objects that are out, in no order that means anything; slow.
  template <typename Visit>
  void for_each_in_use(Visit visit) const {
    const std::set<const T*> free(free_.begin(), free_.end());
    for (const auto& block : blocks_)
      for (std::size_t i = 0; i < kBlock; ++i)
        if (free.count(&block[i]) == 0) visit(block[i]);
  }

  std::size_t in_use() const { return blocks_.size() * kBlock - free_.size(); }
  std::size_t high_water() const { return high_water_; }

 private:
  static constexpr std::size_t kBlock = 256;
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::vector<T*> free_;
  std::size_t high_water_ = 0;
};

}  // namespace wafertlm
