// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "workloads/trace_model/learn.h"
#include "workloads/trace_model/shape.h"

namespace wafertlm::trace_model {

/// The means of this many equally long stretches of a slot's occurrences are kept, and as many different
/// sizes.
constexpr std::size_t kMostStretches = 64;

/// How values of a trace are changed before a model keeps them.
class Changes {
 public:
  /// @param shapes of the job, whose slots' mean durations are balanced.
  Changes(const Jobs& jobs, const std::vector<Shape>& shapes, const LearnOptions& options);

  std::uint64_t bytes(std::uint64_t value) const;
  /// Of the computations of a slot: their duration, operations and bytes that they touch.
  double of_slot(std::size_t shape, std::uint32_t slot) const { return of_slot_[shape][slot]; }
  /// What of_slot() stays within.
  double half() const { return half_; }

 private:
  void balance_bytes(const Jobs& jobs, std::uint64_t seed);
  void balance_slots(const Jobs& jobs, const std::vector<Shape>& shapes, std::uint64_t seed);

  double bound_, half_;
  std::map<std::uint64_t, double> of_bytes_;
  std::vector<std::vector<double>> of_slot_;
};

/// Fills in what the slots of shapes[number] take and move, and the pace of its ranks.
void fill_values(Shape& shape, std::size_t number, const Jobs& jobs, const Changes& changes);

}  // namespace wafertlm::trace_model
