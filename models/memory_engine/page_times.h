// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// How long page accesses take: their mean, and quantiles that are at most 1/128 too large.
class PageTimes {
 public:
  void add(TimePs time) {
    const std::size_t bin = bin_of(time);
    if (bin >= counts_.size()) counts_.resize(bin + 1);
    ++counts_[bin];
    ++count_;
    sum_ps_ += time;
  }
  void add(const PageTimes& other) {
    if (counts_.size() < other.counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ps_ += other.sum_ps_;
  }
  std::uint64_t count() const { return count_; }
  TimePs mean_ps() const { return count_ == 0 ? 0 : static_cast<TimePs>(sum_ps_ / count_); }
  /// So many percent take no longer.
  TimePs quantile_ps(std::uint32_t percent) const {
    const std::uint64_t needed = (count_ * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < counts_.size(); ++bin)
      if ((seen += counts_[bin]) >= needed && seen != 0) return most_of(bin);
    return 0;
  }

 private:
  /// Times below 256 ps each, then 128 bins for each power of two.
  static constexpr TimePs kBins = 128;
  static std::size_t bin_of(TimePs time) {
    unsigned shift = 0;
    while (time >> shift >= 2 * kBins) ++shift;
    return static_cast<std::size_t>(shift * kBins + (time >> shift));
  }
  static TimePs most_of(std::size_t bin) {
    const std::size_t shift = bin < 2 * kBins ? 0 : bin / kBins - 1;
    return ((bin - shift * kBins + 1) << shift) - 1;
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  Uint128 sum_ps_ = 0;
};

}  // namespace wafertlm
