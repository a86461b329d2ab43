// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

#include "platform/commands/study/sweep/cell_files.h"
#include "platform/commands/study/sweep/sweep_plan.h"

namespace wafertlm {

/// How a study's cells are run.
struct SweepOptions {
  std::string engine = "local";
  unsigned jobs = 0;  ///< cells at the same time; 0: as many as there are cores
  CellLimits limits;
  bool reports = false;         ///< every cell writes a report of its run
  unsigned cells_per_task = 0;  ///< Slurm; 0: the engine chooses
  std::string sbatch;           ///< Slurm: more options, as in a shell
  bool waits = true;            ///< Slurm; else a job collects
  std::string launcher;         ///< MPI: what starts the workers; {ranks} is how many; empty: mpirun
  bool resumed = false;         ///< what has failed stays failed
};

/// The cells that have no result yet, for an engine.
class Sweep {
 public:
  /// Told now and then: how many run (where that is known).
  using Show = std::function<void(const CellFiles::Ended&, std::size_t running)>;
  /// @param plan all cells, the longest first; the rest of it but round and tasks. @param is_due whether
  /// `show` would show something
  Sweep(SweepPlan plan, SweepOptions options, std::function<bool()> is_due, Show show);

  const SweepOptions& options() const { return options_; }
  const CellFiles& files() const { return files_; }
  /// With how often cells have failed and were lost so far; those lost too often are given up. Ids of cells
  /// that have ended are left out. Of a round of its own.
  /// Call it when no worker of an earlier round runs.
  SweepPlan next_round() const;
  /// How many have ended.
  std::size_t ended() const;
  bool is_over() const { return ended() == plan_.cells.size(); }
  std::size_t size() const { return plan_.cells.size(); }
  /// Attempts that were begun, of any cell: without more of them nothing is going on.
  std::size_t attempts() const;
  void show(std::size_t running) const;

  std::filesystem::path plan_file(const SweepPlan& round) const;
  /// Of a task, or of a worker, of the round.
  static std::filesystem::path journal(const SweepPlan& round, const std::string& worker);

 private:
  SweepPlan plan_;
  SweepOptions options_;
  CellFiles files_;
  std::function<bool()> is_due_;
  Show show_;
};

/// Workers may end early, but not again and again.
class Patience {
 public:
  explicit Patience(const Sweep& sweep);
  /// After workers have ended and cells are left. @throws std::runtime_error that begins with `who`: they
  /// began none, or three times none ended.
  void require_progress(const std::string& who);

 private:
  const Sweep& sweep_;
  std::size_t attempts_, ended_;
  int fruitless_ = 0;
};

}  // namespace wafertlm
