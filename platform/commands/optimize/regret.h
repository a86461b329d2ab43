// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/commands/optimize/candidates.h"

namespace wafertlm::optimize {

/// What each workload loses by designs made for others: T/T_own − 1.
struct Regret {
  std::vector<const Candidate*> own;        ///< by workload: the fastest for it
  std::vector<std::vector<double>> by_own;  ///< [i][j]: workload j on the design of workload i
  std::vector<double> joint;                ///< on the design for all of them
};

/// Of candidates that were simulated; empty with one workload.
Regret regret_of(const std::vector<const Candidate*>& possible, const Candidate& joint);

}  // namespace wafertlm::optimize
