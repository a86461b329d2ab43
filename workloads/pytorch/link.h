// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "workloads/pytorch/host_trace.h"
#include "workloads/pytorch/timeline.h"

namespace wafertlm::pytorch {

/// Which operators of a host trace were found in the device trace of the same run.
struct LinkSummary {
  std::uint64_t nodes = 0;  ///< operators; processes and threads are none
  std::uint64_t linked = 0;
  std::uint64_t roots = 0;        ///< processes and threads
  std::uint64_t other_names = 0;  ///< the event with a node's rf_id has another name
  bool by_function_id = false;    ///< else by the sequence of names of each thread
  Counts unlinked;                ///< by name

  /// Of the nodes of the host trace.
  Tally account() const {
    Tally tally{nodes + roots, linked, {}, {}};
    tally.leave_out("process or thread", roots);
    tally.refuse("operator without event", nodes - linked);
    return tally;
  }
};

/// Finds the event of every operator: by "Record function id" where the device trace has it, and only with an
/// equal name (numbers of another run agree by chance); else thread by thread by the sequence of names. What
/// the operators say of communications then is with the events.
LinkSummary link(const HostTrace& host, Timeline& timeline);

}  // namespace wafertlm::pytorch
