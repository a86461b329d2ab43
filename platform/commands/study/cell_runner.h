// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/study/grid/grid.h"
#include "platform/commands/study/progress.h"
#include "platform/commands/study/sweep/sweep.h"

namespace wafertlm {

enum class CellStatus : std::uint8_t { done, failed, bad_input, not_run };
/// As files write them.
std::string name_of(CellStatus status);

/// What a cell came to.
struct CellOutcome {
  std::map<std::string, nlohmann::json> values;  ///< by name of a column that reads
  std::map<std::string, double> half_widths;     ///< at 95 %, the same; what is exact has none
  std::string error;                             ///< empty: none
  CellStatus status = CellStatus::done;
};

/// Runs cells with an engine (sweep/) and keeps what the columns read from each in folder/cells/<id>.json:
/// what is there is not run again. A cell that fails leaves its output in folder/cells/<id>/.
class CellRunner {
 public:
  CellRunner(const config::StudySpec& study, std::filesystem::path folder, SweepOptions options);

  /// The outcomes in the order of `jobs`. @param expected_s tells how long they will take, by job; asked if
  /// some have to run; empty: all the same
  /// @throws Interrupted, Submitted, std::runtime_error: the engine cannot go on.
  std::vector<CellOutcome> run(const std::vector<CellJob>& jobs, const std::string& what,
                               const std::function<std::vector<double>()>& expected_s = {});
  /// What jobs have come to so far, in their order; those that have not ended are not_run.
  std::vector<CellOutcome> so_far(const std::vector<CellJob>& jobs) const;

 private:
  std::optional<CellOutcome> recall(const std::string& id) const;
  CellOutcome outcome_of(const std::string& id) const;
  SweepPlan plan_of(std::vector<PlannedCell> cells) const;
  void sweep(SweepPlan plan, const std::string& what, Progress::State state, bool expects);
  void note_cells(const std::vector<CellJob>& jobs, const std::string& what,
                  const std::vector<double>& expected_s, bool expects) const;

  const config::StudySpec& study_;
  CellFiles files_;
  SweepOptions options_;
  Progress progress_;
};

}  // namespace wafertlm
