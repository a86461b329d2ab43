// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// What ran in a run and what each operation waited for, so that it can be timed again with some of it
/// faster.
///
/// An operation starts when all that it waits for has ended, plus the lag that it had in the run. It ends its
/// own time after it has started and after all operations of its meeting have started: a collective's ranks
/// meet each other, a receive meets its send. The order of service stays as it was: what used a resource
/// before is among what an operation waits for, and contention within an operation's own time is not undone.
class RecordedGraph {
 public:
  struct Operation {
    TimePs start_ps = 0, end_ps = 0;  ///< in the run
    std::uint32_t category = 0;       ///< any numbering
    std::uint32_t meeting = kNone;    ///< number of the meeting whose starts it waits for
    std::vector<std::uint32_t> waits_for;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t add(Operation operation);
  void set_waits(std::uint32_t number, std::vector<std::uint32_t> waits_for) {
    operations_[number].waits_for = std::move(waits_for);
  }
  /// `member` starts in the meeting; meetings are numbered from 0 without a gap.
  void meet(std::uint32_t meeting, std::uint32_t member);
  /// Call when all is there. What an operation waits for and had not ended when it started was no reason: it
  /// is left out, and counted.
  void close();
  std::uint64_t left_out() const { return left_out_; }
  std::size_t size() const { return operations_.size(); }
  const Operation& operation(std::uint32_t number) const { return operations_[number]; }
  /// The time an operation took by itself: from the last start of its meeting, or its own, to its end.
  TimePs own_ps(std::uint32_t number) const { return own_ps_[number]; }

  /// When each operation ends if its own time is `own(number)`.
  std::vector<TimePs> retime(const std::function<TimePs(std::uint32_t)>& own) const;

 private:
  std::vector<Operation> operations_;
  std::vector<std::vector<std::uint32_t>> meetings_;
  std::vector<TimePs> lag_ps_, own_ps_;
  std::vector<bool> meets_;           // its own time runs from its meeting's last start
  std::vector<std::uint32_t> order_;  // starts, meetings and ends, so that each follows what it needs
  std::uint64_t left_out_ = 0;
};

}  // namespace wafertlm
