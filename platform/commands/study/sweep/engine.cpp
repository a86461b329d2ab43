// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/engine.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <thread>

#include "platform/commands/study/sweep/cell_worker.h"
#include "platform/text/suggest.h"

namespace wafertlm {

const std::vector<EngineKind>& engine_kinds() {
  static const std::vector<EngineKind> kinds = {
      {"local", "processes of this machine", [](const SweepOptions&) {}, run_on_this_machine},
      {"slurm", "arrays of jobs", require_slurm, run_on_slurm},
      {"mpi", "a manager and workers", require_mpi, run_on_mpi},
  };
  return kinds;
}

const EngineKind& engine_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const EngineKind& kind : engine_kinds()) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  throw std::invalid_argument("--engine: there is no engine '" + name + "'" +
                              config::suggestion(name, names, "there are"));
}

unsigned cells_at_a_time(const SweepOptions& options) {
  return options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
}

void run_on_this_machine(const Sweep& sweep) {
  const SweepPlan round = sweep.next_round();
  std::vector<std::size_t> all(round.cells.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  CellWorker(round, "/proc/self/exe", Sweep::journal(round, "local"))
      .run(all, cells_at_a_time(sweep.options()), [&](std::size_t running) { sweep.show(running); });
}

}  // namespace wafertlm
