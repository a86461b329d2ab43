// SPDX-License-Identifier: Apache-2.0
// Closed forms of checkpointing, with failures that are exponentially distributed. Times in seconds.
#pragma once
#include <utility>
#include <vector>

namespace wafertlm::goodput {

struct Checkpointing {
  double mtbf_s;        ///< M: between failures of the job
  double checkpoint_s;  ///< delta
  double restart_s;     ///< R
};

/// sqrt(2 delta M) (Young 1974).
double young_interval(const Checkpointing& of);
/// sqrt(2 delta M) (1 + sqrt(delta/2M)/3 + (delta/2M)/9) - delta; M from delta = 2M on (Daly 2006).
double daly_interval(const Checkpointing& of);
/// Where expected_goodput is largest: (1 - t/M) e^((t + delta)/M) = 1.
double exact_interval(const Checkpointing& of);

/// Work over expected time with a checkpoint after each `interval_s` of work, in the long run, failures
/// during checkpoint and restart included: t / (M e^(R/M) (e^((t + delta)/M) - 1)).
double expected_goodput(const Checkpointing& of, double interval_s);

/// The interval at which 1/goodput = a + b t + c/t, fitted to these points (interval, goodput) by least
/// squares, is least; 0: the points have no least. Three points or more.
double fitted_interval(const std::vector<std::pair<double, double>>& points);

}  // namespace wafertlm::goodput
