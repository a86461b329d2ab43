// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/commands/study/sweep/sweep.h"

namespace wafertlm {

/// Where and when cells run, and on how many machines. What they come to does not depend on it.
struct EngineKind {
  const char* name;
  const char* what;  ///< for --help
  /// Before anything is made. @throws std::invalid_argument: what it needs is not there.
  void (*require)(const SweepOptions&);
  /// Until every cell has a result or a reason. @throws Interrupted, Submitted, std::runtime_error: the
  /// machines cannot be had.
  void (*run)(const Sweep&);
};

const std::vector<EngineKind>& engine_kinds();
/// @throws std::invalid_argument that names the nearest.
const EngineKind& engine_kind(const std::string& name);

/// Thrown when others go on: a job was submitted that runs the cells, and one that collects. No failure.
class Submitted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The engines.
void run_on_this_machine(const Sweep& sweep);
void require_slurm(const SweepOptions& options);
void run_on_slurm(const Sweep& sweep);
void require_mpi(const SweepOptions& options);
void run_on_mpi(const Sweep& sweep);

/// What a task of a Slurm array does: its share of the plan in `file`. @return exit code.
int run_slurm_task(const std::string& file, std::size_t task);
/// What a worker of MPI does: reads numbers of cells of the plan from standard input, and answers each with a
/// line when the cell has ended. @return exit code.
int run_cells_from_input(const std::string& file);

/// As many cells at the same time as were asked for, or as there are cores.
unsigned cells_at_a_time(const SweepOptions& options);

}  // namespace wafertlm
