// SPDX-License-Identifier: Apache-2.0
// What engines start on other machines.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>

#include "platform/commands/study/sweep/cell_worker.h"
#include "platform/commands/study/sweep/engine.h"
#include "platform/host/interrupt.h"

namespace wafertlm {

int run_slurm_task(const std::string& file, std::size_t task) {
  const SweepPlan plan = read_plan(file);
  const InterruptNotes interrupts;
  std::filesystem::current_path(plan.folder);
  const char* const cpus = std::getenv("SLURM_CPUS_PER_TASK");
  const unsigned long at_a_time = cpus == nullptr ? 1 : std::strtoul(cpus, nullptr, 10);
  CellWorker(plan, plan.program, Sweep::journal(plan, std::to_string(task)))
      .run(plan.cells_of_task(task), static_cast<unsigned>(std::max(1UL, at_a_time)));
  return 0;
}

int run_cells_from_input(const std::string& file) {
  const SweepPlan plan = read_plan(file);
  const InterruptNotes interrupts;
  std::filesystem::current_path(plan.folder);
  CellWorker worker(plan, plan.program, Sweep::journal(plan, worker_name()));
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t cell = std::stoul(line);
    if (cell >= plan.cells.size()) throw std::invalid_argument("the plan has no cell " + line);
    worker.run({cell}, 1);
    std::cout << "done" << std::endl;
  }
  return 0;
}

}  // namespace wafertlm
