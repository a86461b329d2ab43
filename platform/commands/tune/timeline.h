// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "platform/commands/tune/backend.h"

namespace wafertlm::backends {

/// What the host of a rank issues next; all ranks issue the same.
struct Action {
  enum class Kind : std::uint8_t {
    compute,      ///< on the compute stream
    communicate,  ///< with `backend`
    wait,         ///< for all asynchronous operations before it
  };
  enum class Call : std::uint8_t {
    ordered,       ///< what is issued to the compute stream later waits for it
    asynchronous,  ///< what comes behind the next wait waits for it
    blocking,      ///< the host stands still, too
  };
  Kind kind = Kind::compute;
  TimePs time_ps = 0;       ///< of the computation or operation
  std::size_t backend = 0;  ///< of communicate
  Call call = Call::ordered;
  TimePs change_ps = 0;  ///< of communicate: the engine is busy so long before it begins
};

struct TimelineResult {
  TimePs time_ps = 0;                    ///< until all streams and the host are done
  TimePs compute_ps = 0;                 ///< all computations together
  std::vector<TimePs> start_ps, end_ps;  ///< of each action; of a wait when the host passed it
};

/// Stream rules as in MCR-DL (arXiv 2303.08374, read from its public code), calls of the host taking no time:
/// an operation begins when the compute stream has done what was issued before it (an event) and its engine
/// is free; the compute stream then waits for its event (asynchronous: at the wait). A backend that
/// progresses on the host is not covered by events: the host first waits until the compute stream is idle,
/// then for a barrier; unless asynchronous it stands still until the end.
/// @throws std::out_of_range: an action of a backend that there is not.
TimelineResult run_timeline(const std::vector<Action>& actions, const std::vector<Backend>& backends);

}  // namespace wafertlm::backends
