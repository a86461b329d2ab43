// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/libra/cell_times.h"

#include <cmath>
#include <utility>

#include "platform/text/config_error.h"

namespace wafertlm::model_gap {
namespace {

std::int64_t picoseconds(const CellOutcome& outcome, const char* column) {
  const auto& value = outcome.values.at(column);
  return value.is_number() ? std::llround(value.get<double>() * 1e12) : 0;
}

}  // namespace

CellTimes::CellTimes(const std::string& experiment, const std::filesystem::path& folder,
                     SweepOptions engine) {
  study_.name = "model and simulation";
  study_.command = "run";
  study_.file = experiment;
  for (const auto& [name, path] :
       {std::pair("time", "iteration_time_s"), std::pair("compute", "iterations[-1].breakdown_s.compute")}) {
    config::ColumnSpec column;
    column.name = name;
    column.read = path;
    study_.columns.push_back(std::move(column));
  }
  runner_ = std::make_unique<CellRunner>(study_, folder, std::move(engine));
}

void require_sound(const Cell& cell) {
  config::StudySpec study;
  study.file = cell.file;
  job_of(study, cell);
}

std::string least_latency(Cell cell) {
  cell.overrides.emplace_back("wafer.fabric.dimensions[0].latency=0 ps");
  try {
    require_sound(cell);
    return "0 ps";
  } catch (const config::ConfigError&) {
    return "1 ps";
  }
}

std::vector<Run> CellTimes::of(const std::vector<Cell>& cells, const std::string& what) {
  std::vector<Run> runs(cells.size());
  std::vector<CellJob> jobs;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < cells.size(); ++i) try {
      jobs.push_back(job_of(study_, cells[i]));
      numbers.push_back(i);
    } catch (const config::ConfigError& error) {
      runs[i].error = error.what();
    }
  const std::vector<CellOutcome> outcomes = runner_->run(jobs, what);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Run& run = runs[numbers[i]];
    run.error = outcomes[i].error;
    if (!run.error.empty()) continue;
    run.time_ps = picoseconds(outcomes[i], "time");
    run.compute_ps = picoseconds(outcomes[i], "compute");
  }
  return runs;
}

}  // namespace wafertlm::model_gap
