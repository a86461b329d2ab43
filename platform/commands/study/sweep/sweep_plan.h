// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/spec/study_spec.h"

namespace wafertlm {

/// A cell that has to run.
struct PlannedCell {
  std::string id;  ///< of program, command and every resolved value: the same id, the same result
  std::vector<std::string> words;  ///< of the command line behind the program
  double expected_s = 1;           ///< of the host; relative to each other they order the cells
  std::uint32_t failures = 0;      ///< of earlier attempts
  std::uint32_t losses = 0;        ///< workers that ended while they ran it
};

/// What the tool allows a cell.
struct CellLimits {
  std::uint64_t memory_bytes = 0;  ///< of address space; 0: no limit
  std::uint32_t processor_s = 0;   ///< 0: no limit
  std::uint32_t retries = 1;       ///< after a failure other than bad input
};

/// All that a worker must know, on whatever machine: a file that nobody changes.
struct SweepPlan {
  std::string program, program_digest;  ///< path, SHA-256
  std::string folder;                   ///< where commands are run
  std::string study_folder;             ///< with cells/
  CellLimits limits;
  bool reports = false;                     ///< cells write report.html, too
  std::vector<config::ColumnSpec> columns;  ///< those that read
  std::vector<PlannedCell> cells;           ///< the longest first
  std::uint32_t round = 0;                  ///< of submissions, from 1
  std::uint32_t tasks = 1;                  ///< task t runs cells t, t + tasks, t + 2 tasks …

  std::vector<std::size_t> cells_of_task(std::size_t task) const;
};

void write_plan(const std::filesystem::path& file, const SweepPlan& plan);
/// @throws std::invalid_argument: no plan, or the program is no longer the one that it was made with.
SweepPlan read_plan(const std::filesystem::path& file);

/// Of one column that reads, as its value is kept.
std::string kept_as(const config::ColumnSpec& column);

}  // namespace wafertlm
