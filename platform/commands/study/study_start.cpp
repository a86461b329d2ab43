// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/study_start.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "platform/commands/study/sweep/cell_files.h"
#include "platform/host/files.h"

namespace wafertlm {
namespace {

using nlohmann::json;

std::filesystem::path start_file(const std::filesystem::path& out) {
  return CellFiles(out).sweep() / "study.json";
}

}  // namespace

void note_start(const StudyStart& start) {
  const SweepOptions& options = start.options;
  std::filesystem::create_directories(CellFiles(start.out).sweep());
  std::error_code ignored;
  if (!options.resumed)  // of a start before this one
    for (const char* const name : {"cells.json", "journal", "plans"})
      std::filesystem::remove_all(CellFiles(start.out).sweep() / name, ignored);
  CellFiles(start.out).put(start_file(start.out), json{{"study", start.study},
                                                       {"out", start.out},
                                                       {"set", start.overrides},
                                                       {"engine", options.engine},
                                                       {"jobs", options.jobs},
                                                       {"memory_bytes", options.limits.memory_bytes},
                                                       {"processor_s", options.limits.processor_s},
                                                       {"retries", options.limits.retries},
                                                       {"reports", options.reports},
                                                       {"cells_per_task", options.cells_per_task},
                                                       {"sbatch", options.sbatch},
                                                       {"waits", options.waits},
                                                       {"launcher", options.launcher}}
                                                          .dump(1) +
                                                      "\n");
}

StudyStart noted_start(const std::filesystem::path& out) try {
  const json text = json::parse(text_of(start_file(out)));
  StudyStart start;
  start.study = text.at("study");
  start.out = text.at("out");
  start.overrides = text.at("set").get<std::vector<std::string>>();
  SweepOptions& options = start.options;
  options.engine = text.at("engine");
  options.jobs = text.at("jobs");
  options.limits = {text.at("memory_bytes"), text.at("processor_s"), text.at("retries")};
  options.reports = text.at("reports");
  options.cells_per_task = text.at("cells_per_task");
  options.sbatch = text.at("sbatch");
  options.waits = text.at("waits");
  options.launcher = text.at("launcher");
  return start;
} catch (const json::exception&) {
  throw std::invalid_argument(out.string() +
                              ": no study was started there; `wafertlm study STUDY.yaml --out " +
                              out.string() + "` does");
}

}  // namespace wafertlm
