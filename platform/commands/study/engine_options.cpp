// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/engine_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "platform/commands/study/sweep/engine.h"
#include "platform/host/options.h"
#include "platform/text/quantity.h"
#include "tlm/kernel/units.h"

namespace wafertlm {
namespace {

/// Below, the program cannot even start.
constexpr std::uint64_t kLeastMemory = std::uint64_t{64} << 20;

template <class T>
void take(const std::optional<T>& given, T& value) {
  if (given) value = *given;
}

template <class Parse>
std::uint64_t quantity(const char* option, const std::string& text, Parse parse) {
  try {
    return parse(text);
  } catch (const config::QuantityError& error) {
    throw std::invalid_argument(fmt::format("{} {}: {}", option, text, error.what()));
  }
}

}  // namespace

void EngineOptions::add_to(CLI::App& command) {
  std::string engines;
  for (const EngineKind& kind : engine_kinds())
    engines += fmt::format("{}{} ({})", engines.empty() ? "" : ", ", kind.name, kind.what);
  command.add_option("--engine", engine_, "What runs the cells: " + engines)->type_name("NAME");
  add_shared_option(command, "--jobs", jobs_, "cells (Slurm: tasks, as many as it lets)")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--retries", retries_, "More attempts for a cell that fails, not for bad input; 1")
      ->check(CLI::Range(0, 100));
  command.add_option("--memory-limit", memory_limit_, "Of a cell (address space): 4GiB; none")
      ->type_name("SIZE");
  add_shared_option(command, "--time-limit", time_limit_, "a cell; none if not given");
  command.add_option("--cells-per-task", cells_per_task_, "Slurm: cells of one task of an array")
      ->check(CLI::Range(1, 100'000));
  command.add_option("--sbatch", sbatch_, "Slurm: more options of sbatch: '--partition=p --time=60'");
  command.add_flag("--no-wait", no_wait_, "Slurm: submit the cells and a job that collects, and return");
  command.add_option("--launcher", launcher_,
                     "MPI: what starts the workers, with {ranks} for their number: 'mpirun --hostfile h'");
}

SweepOptions EngineOptions::chosen(SweepOptions options) const {
  take(engine_, options.engine);
  take(jobs_, options.jobs);
  take(retries_, options.limits.retries);
  take(cells_per_task_, options.cells_per_task);
  take(sbatch_, options.sbatch);
  take(launcher_, options.launcher);
  const auto only_with = [&](const char* option, bool is_given, const char* engine) {
    if (is_given && options.engine != engine)
      throw std::invalid_argument(fmt::format("{} is for --engine {}", option, engine));
  };
  only_with("--cells-per-task", cells_per_task_.has_value(), "slurm");
  only_with("--sbatch", sbatch_.has_value(), "slurm");
  only_with("--no-wait", no_wait_, "slurm");
  only_with("--launcher", launcher_.has_value(), "mpi");
  if (no_wait_) options.waits = false;
  if (memory_limit_) {
    options.limits.memory_bytes = quantity("--memory-limit", *memory_limit_, config::parse_size);
    if (options.limits.memory_bytes < kLeastMemory)
      throw std::invalid_argument("--memory-limit " + *memory_limit_ + ": at least 64 MiB");
  }
  if (time_limit_) {
    const std::uint64_t whole_s =
        (quantity("--time-limit", *time_limit_, config::parse_time) + kPsPerSecond - 1) / kPsPerSecond;
    if (whole_s == 0) throw std::invalid_argument("--time-limit " + *time_limit_ + ": at least 1 s");
    options.limits.processor_s = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(whole_s, std::numeric_limits<std::int32_t>::max()));
  }
  return options;
}

}  // namespace wafertlm
