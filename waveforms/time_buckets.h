// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Amounts over time, of many series, in a bounded number of buckets: when the time goes beyond the last one,
/// two become one. Nothing is lost but resolution.
class TimeBuckets {
 public:
  explicit TimeBuckets(std::size_t series = 0, std::size_t most = 256) : most_(most), sums_(series) {}

  /// Spreads `amount` evenly from `from_ps` to `to_ps`; equal times: all at once. Of whole amounts every
  /// bucket gets a whole part, the same of whatever width they were: so sums hang on no order.
  void add(std::size_t series, TimePs from_ps, TimePs to_ps, double amount);

  /// Adds those of another one with as many series.
  void add(const TimeBuckets& other);

  /// Buckets are wide enough for this moment.
  void reach(TimePs to_ps);
  /// None any more, in buckets of this width.
  void clear(TimePs width_ps);
  /// Amounts of a series by bucket of width_ps().
  void set(std::size_t series, std::vector<double> sums) { sums_[series] = std::move(sums); }

  std::size_t series() const { return sums_.size(); }
  TimePs width_ps() const { return width_ps_; }
  /// Amounts by bucket; buckets behind the last amount are not there.
  const std::vector<double>& sums(std::size_t series) const { return sums_[series]; }

 private:
  void widen();

  std::size_t most_;
  TimePs width_ps_ = 1000;
  std::vector<std::vector<double>> sums_;
};

}  // namespace wafertlm
