// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/describe/node.h"
#include "platform/spec/experiment_spec.h"
#include "tlm/kernel/units.h"

namespace wafertlm {

/// How a run of a changed experiment went.
struct TrialResult {
  std::optional<TimePs> iteration_ps = {};  ///< of the last iteration
  std::string problem = {};                 ///< why there is none, a line; empty: it was not tried
  double host_s = 0;                        ///< it took

  bool was_tried() const { return iteration_ps.has_value() || !problem.empty(); }
};

/// RTL beside its model has no part in times. Returns whether some is in place of it; then all stays, for an
/// entry may keep a later one from a switch.
bool leave_out_rtl_beside(config::ExperimentSpec& experiment);

/// Simulates an experiment with changes, each in a process of its own, as `wafertlm run --set` does.
class Trials {
 public:
  using Clock = std::chrono::steady_clock;
  /// @param experiment a resolved one @param jobs at the same time @param limit of all trials together, from
  /// now @param most of trials
  Trials(const config::Node& experiment, unsigned jobs, std::chrono::seconds limit, std::size_t most);

  /// Each entry is the settings of one trial ("wafer.fabric.link_latency=10 ns"). What there is no time left
  /// for, and what is beyond the most, is not tried. `what` is for the line that says how far it is.
  std::vector<TrialResult> run(const std::vector<std::vector<std::string>>& settings,
                               const std::string& what);

 private:
  const config::Node& experiment_;
  unsigned jobs_;
  Clock::time_point end_;
  std::size_t left_;
};

}  // namespace wafertlm
