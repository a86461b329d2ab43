// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platform/commands/study/calibration.h"
#include "platform/commands/study/cell_runner.h"

namespace wafertlm {

/// A study that has run.
struct StudyResult {
  const config::StudySpec& study;
  const std::vector<Cell>& cells;
  const std::vector<CellJob>& jobs;
  const std::vector<CellOutcome>& outcomes;
  const std::vector<Calibrated>& calibrated;
};

/// The published value beside a column of a cell; null: none.
const config::ReferenceSpec* reference_of(const config::StudySpec& study, const Cell& cell,
                                          const std::string& column);

/// What is printed: notes, calibrations, tables, summaries, and where references come from.
std::string study_text(const StudyResult& result);
/// The fields of results.json (see platform/commands/study/README.md).
nlohmann::ordered_json study_json(const StudyResult& result);
/// study_table() as text.
std::string study_csv(const StudyResult& result);

}  // namespace wafertlm
