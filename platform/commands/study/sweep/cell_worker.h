// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/cell_processes.h"
#include "platform/commands/study/sweep/journal.h"
#include "platform/commands/study/sweep/sweep_plan.h"

namespace wafertlm {

/// A cell whose workers ended so often while they ran it is given up.
constexpr std::uint32_t kMostLosses = 3;
/// Of a command.
constexpr int kExitBadInput = 2;
/// Keeps the reason, and the exit code, where the cell came to one.
void give_up(const CellFiles& files, const PlannedCell& cell, const std::string& error, int exit_code = 0);
/// The reason of one that is given up.
std::string lost_text();

/// Runs cells of a plan in processes, in the current folder, and keeps what they came to: the figures that
/// the columns read, or after all retries the reason. Nothing that a cell does ends it.
class CellWorker {
 public:
  /// @param program what runs the cells, as for execv  @param journal goes on from what it holds
  CellWorker(const SweepPlan& plan, std::string program, const std::filesystem::path& journal);

  /// In this order, so many at a time; cells that have ended meanwhile are left out. `turn` is called after
  /// each that ends and now and then, with how many run. @throws Interrupted.
  void run(const std::vector<std::size_t>& cells, unsigned at_a_time,
           const std::function<void(std::size_t)>& turn = {});

 private:
  void start(std::size_t cell, CellProcesses& processes);
  bool finish(const CellProcesses::Ended& ended);
  std::string keep_figures(const PlannedCell& cell, const std::filesystem::path& folder) const;
  std::string reason(const CellProcesses::Ended& ended, const std::filesystem::path& folder) const;

  const SweepPlan& plan_;
  CellFiles files_;
  std::string program_;
  Journal journal_;
  std::vector<std::uint32_t> failures_, losses_;  // by cell
  std::map<std::size_t, Attempt> running_;
};

}  // namespace wafertlm
