// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tlm/kernel/state_visitor.h"

namespace wafertlm::ethernet {

/// How often values came, in classes of at most 1/32 of their values: below 64 each has its own.
class LogHistogram {
 public:
  void add(std::uint64_t value) {
    const std::size_t place = class_of(value);
    if (place >= counts_.size()) counts_.resize(place + 1);
    ++counts_[place];
    ++total_;
    sum_low_ += value & 0xFFFFFFFF;
    sum_high_ += value >> 32;
    most_ = std::max(most_, value);
  }
  void add(const LogHistogram& other) {
    counts_.resize(std::max(counts_.size(), other.counts_.size()));
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    total_ += other.total_;
    sum_low_ += other.sum_low_;
    sum_high_ += other.sum_high_;
    most_ = std::max(most_, other.most_);
  }

  std::uint64_t total() const { return total_; }
  std::uint64_t most() const { return most_; }
  double mean() const {
    const double sum = std::ldexp(static_cast<double>(sum_high_), 32) + static_cast<double>(sum_low_);
    return total_ == 0 ? 0 : sum / static_cast<double>(total_);
  }
  /// Nearest rank; the largest value of its class, so up to 1/32 too high, but never above most(). Without
  /// values 0.
  std::uint64_t percentile(double percent) const {
    const double wanted = std::ceil(percent / 100 * static_cast<double>(total_) - 1e-9);
    const auto rank = static_cast<std::uint64_t>(std::max(wanted, 1.0));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if ((seen += counts_[i]) >= rank) return std::min(largest_of(i), most_);
    return most_;
  }
  /// `highest`: no value is larger, ever. As many counts whatever has come.
  void list_state(StateVisitor& state, std::uint64_t highest) {
    counts_.resize(class_of(highest) + 1);
    for (std::uint64_t& count : counts_) state.count(count);
    state.count(total_);
    state.count(sum_low_);
    state.count(sum_high_);
  }

 private:
  static constexpr unsigned kBits = 5;  // 32 classes from a power of two to the next
  static constexpr std::uint64_t kExact = std::uint64_t{2} << kBits;
  static std::size_t class_of(std::uint64_t value) {
    if (value < kExact) return value;
    const unsigned shift = 63 - static_cast<unsigned>(__builtin_clzll(value)) - kBits;
    return (std::size_t{shift} << kBits) + (value >> shift);
  }
  static std::uint64_t largest_of(std::size_t place) {
    if (place < kExact) return place;
    const std::size_t shift = (place >> kBits) - 1;
    const std::uint64_t first = place - (shift << kBits);
    return ((first + 1) << shift) - 1;
  }

  std::vector<std::uint64_t> counts_;  // by class
  std::uint64_t total_ = 0, most_ = 0;
  std::uint64_t sum_low_ = 0, sum_high_ = 0;  // of the lower and the upper halves of values
};

}  // namespace wafertlm::ethernet
