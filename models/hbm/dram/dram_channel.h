// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "models/hbm/dram/dram_params.h"
#include "models/hbm/dram/lost_time.h"
#include "models/hbm/dram/row_visit.h"

namespace wafertlm {

/// A pseudo-channel with its controller. What it does, at both levels:
///   - Requests are taken in their order, reads as long as there are places in the queue, writes as long as
///     there are in the buffer. A write is done when its data is in the buffer.
///   - Rows are opened for the reads, or for the writes during a drain, in the order in which their banks are
///     free; visits of one bank in their order, so nobody starves. Rows stay open.
///   - The data bus serves, visit by visit, those whose rows are open first. Between reads and writes it
///   turns
///     when no visit of the same direction has its rows open.
///   - Every bank is refreshed once in tREFI, staggered. A refresh waits while its bank has visits of the
///     direction that is served, until `postponed_refreshes` are due.
class DramChannel {
 public:
  struct Done {
    std::uint32_t tag;
    TimePs end_ps;  ///< data read, or in the write buffer
  };

  DramChannel() = default;
  virtual ~DramChannel() = default;

  /// A visit that arrives at `now` (a time before that of an earlier call counts as that). Returns its end if
  /// that is certain at once, else kNever; it is in `done` later.
  virtual TimePs push(const RowVisit& visit, std::uint32_t tag, TimePs now) = 0;
  /// Decides whatever is decided before `until`; ends go to `done`.
  virtual void run_until(TimePs until) = 0;
  /// What is not decided yet does not end before that; kNever: nothing waits.
  virtual TimePs next_ps() const = 0;
  /// Of what is decided.
  virtual DramTime time() const = 0;

  std::vector<Done> done;  ///< for whoever runs the channel to take out

 protected:
  DramChannel(const DramChannel&) = default;
  DramChannel& operator=(const DramChannel&) = default;
};

}  // namespace wafertlm
