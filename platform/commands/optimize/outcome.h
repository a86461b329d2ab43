// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/optimize/candidates.h"
#include "platform/commands/optimize/corner_bound.h"

namespace wafertlm::optimize {

/// What each workload loses by designs made for others: T/T_own − 1.
struct Regret {
  std::vector<const Candidate*> own;        ///< by workload: the fastest for it
  std::vector<std::vector<double>> by_own;  ///< [i][j]: workload j on the design of workload i
  std::vector<double> joint;                ///< on the design for all of them
};

/// What came out.
struct Outcome {
  const OptimizeSpec& spec;
  const Candidates& candidates;
  const Candidate* middle = nullptr;  ///< equal shares, or the middle of all ranges
  const Candidate* best = nullptr;    ///< by the first goal (of two: its end of the front)
  std::vector<std::string> methods = {};
  std::optional<double> plane_bound = {};
  CornerBound corner = {};
  std::vector<const Candidate*> front = {};  ///< with two goals: those that no other beats in both
  Regret regret = {};                        ///< with several workloads
  /// With `explain`: the best one's time against LIBRA's model.
  std::optional<model_gap::Difference> difference = {};
  bool out_of_time = false;  ///< host_seconds ended the search
  double hypervolume = 0;    ///< of the front over equal shares, or the worst of each goal, in parts of these
};

/// "time", "time_cost".
const char* name_of(Goal goal);
/// "time (s)": with the unit of its values in JSON and charts.
std::string name_with_unit(Goal goal);
/// Which of these no other is as good as in both goals and better in one, by the first. Equal ones are all
/// kept.
std::vector<const Candidate*> pareto_front(const std::vector<const Candidate*>& candidates, Goal first,
                                           Goal second);
/// The area that the front dominates within the rectangle up to `reference`, in parts of that rectangle.
double hypervolume(const std::vector<const Candidate*>& front, const Candidate& reference, Goal first,
                   Goal second);

std::string outcome_text(const Outcome& outcome);
nlohmann::ordered_json outcome_json(const Outcome& outcome);

/// Of candidates that were simulated; empty with one workload.
Regret regret_of(const std::vector<const Candidate*>& possible, const Candidate& joint);

}  // namespace wafertlm::optimize
