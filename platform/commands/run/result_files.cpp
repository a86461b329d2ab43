// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/run/result_files.h"

#include <sys/resource.h>

#include "platform/results/tables.h"

namespace wafertlm {

std::filesystem::path results_folder(const ExperimentOptions& options) {
  namespace fs = std::filesystem;
  return options.out.empty() ? fs::path("out") / fs::path(options.experiment).stem() : fs::path(options.out);
}

std::vector<std::string> kept_names() {
  std::vector<std::string> names = {"results.json", "resolved.yaml"};
  for (std::string& name : names_of_result_tables()) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> names_of_results(const ExperimentOptions& options,
                                          const config::ResolvedFiles& configuration) {
  std::vector<std::string> names = kept_names();
  if (!options.report.empty()) names.push_back(options.report);
  if (!options.log.empty()) names.emplace_back("transactions.sqlite");
  if (!options.trace.empty() && options.trace_file.empty()) names.emplace_back("trace.perfetto-trace");
  for (const auto& [name, text] : options.with_results) names.push_back(name);
  for (const auto& [name, text] : configuration.tables) names.push_back(name);
  return names;
}

Files given_files(const ExperimentOptions& options, const config::ResolvedFiles& configuration) {
  Files files = options.with_results;
  files.emplace_back("resolved.yaml", configuration.yaml);
  files.insert(files.end(), configuration.tables.begin(), configuration.tables.end());
  return files;
}

Files made_files(const nlohmann::ordered_json& results) {
  Files files = {{"results.json", results.dump(1) + "\n"}};
  for (auto& table : result_tables(results)) files.push_back(std::move(table));
  return files;
}

std::string operands_text(const config::PlatformSpec& platform, const Measurements& measured) {
  if (platform.npu.compute.operands == config::OperandSource::free) return {};
  for (const NpuMeasurements& npu : measured.npus)
    if (npu.operand_bytes != 0) return {};
  return "npu.compute.operands: hbm had no effect, because no computation says how many bytes it moves or "
         "which matrix products it is: give traces a tensor_size, a table of layers their activation_bytes "
         "(with data_parallel), or take a model by its shape (transformer, convolutions).\n";
}

std::uint64_t peak_rss_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace wafertlm
