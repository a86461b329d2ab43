// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/sweep/sweep_plan.h"

#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "platform/host/digest.h"
#include "platform/host/files.h"

namespace wafertlm {

using nlohmann::json;

std::vector<std::size_t> SweepPlan::cells_of_task(std::size_t task) const {
  std::vector<std::size_t> own;
  for (std::size_t cell = task; cell < cells.size(); cell += tasks) own.push_back(cell);
  return own;
}

std::string kept_as(const config::ColumnSpec& column) {
  return fmt::format("{} {}", static_cast<int>(column.taken), column.read);
}

void write_plan(const std::filesystem::path& file, const SweepPlan& plan) {
  json cells = json::array(), columns = json::array();
  for (const PlannedCell& cell : plan.cells)
    cells.push_back({cell.id, cell.words, cell.expected_s, cell.failures, cell.losses});
  for (const config::ColumnSpec& column : plan.columns)
    columns.push_back({column.read, static_cast<int>(column.taken)});
  write_file("plan", file,
             json{{"program", plan.program},
                  {"program_digest", plan.program_digest},
                  {"folder", plan.folder},
                  {"study_folder", plan.study_folder},
                  {"memory_bytes", plan.limits.memory_bytes},
                  {"processor_s", plan.limits.processor_s},
                  {"retries", plan.limits.retries},
                  {"reports", plan.reports},
                  {"columns", columns},
                  {"cells", cells},
                  {"round", plan.round},
                  {"tasks", plan.tasks}}
                     .dump() +
                 "\n");
}

SweepPlan read_plan(const std::filesystem::path& file) try {
  const json text = json::parse(std::ifstream(file));
  SweepPlan plan;
  plan.program = text.at("program");
  plan.program_digest = text.at("program_digest");
  plan.folder = text.at("folder");
  plan.study_folder = text.at("study_folder");
  plan.limits = {text.at("memory_bytes"), text.at("processor_s"), text.at("retries")};
  plan.reports = text.at("reports");
  for (const json& column : text.at("columns")) {
    config::ColumnSpec& read = plan.columns.emplace_back();
    read.read = column.at(0);
    read.taken = static_cast<config::Taken>(column.at(1).get<int>());
  }
  for (const json& cell : text.at("cells"))
    plan.cells.push_back({cell.at(0), cell.at(1), cell.at(2), cell.at(3), cell.at(4)});
  plan.round = text.at("round");
  plan.tasks = text.at("tasks");
  if (sha256_of_file(plan.program) != plan.program_digest)
    throw std::invalid_argument(
        plan.program +
        " is not the program that the study began with; `wafertlm study` again, with this one");
  return plan;
} catch (const json::exception& error) {
  throw std::invalid_argument(file.string() + " is no plan of a study: " + error.what());
}

}  // namespace wafertlm
