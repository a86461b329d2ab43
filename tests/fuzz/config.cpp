// SPDX-License-Identifier: Apache-2.0
// YAML files of all kinds, as `wafertlm check` reads them: the key at the top says which.
#include <functional>
#include <map>
#include <sstream>

#include "platform/commands/check/all_kinds.h"
#include "platform/commands/study/grid/grid.h"
#include "platform/commands/study/study_command.h"
#include "platform/describe/document.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/file_kinds.h"
#include "tests/fuzz/config_file.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {
namespace {

using config::StructType;

/// Every cell of a study is a file to read.
constexpr std::size_t kMostCells = 16;

/// Kinds whose resolved text must load as the same.
const std::map<const StructType*, std::function<void(const std::string&)>>& resolved_kinds() {
  static const std::map<const StructType*, std::function<void(const std::string&)>> kinds = {
      {config::platform_type().get(),
       [](const std::string& path) {
         if (const auto spec = loaded<config::PlatformSpec>(config::load_platform, path))
           fabric_kind(spec->wafer).describe(spec->wafer);
       }},
      {config::experiment_type().get(),
       [](const std::string& path) { loaded<config::ExperimentSpec>(config::load_experiment, path); }},
      {config::workload_type().get(),
       [](const std::string& path) { loaded<config::WorkloadSpec>(config::load_workload, path); }},
      {config::model_type().get(),
       [](const std::string& path) {
         if (const auto spec = loaded<config::ModelSpec>(config::load_model, path))
           accepted([&] { return config::build_model(*spec); });
       }},
      {config::study_type().get(), [](const std::string& path) {
         if (const auto spec = loaded<config::StudySpec>(config::load_study, path)) {
           const auto cells = accepted([&] { return grid_of(*spec); });
           if (cells && cells->size() <= kMostCells) accepted([&] { return check_study(*spec, path); });
         }
       }}};
  return kinds;
}

}  // namespace

void config(const std::string& input) {
  // What `extends`, `platform` and `file` of an input can name.
  static const std::string kBase =
      write("base.yaml", "platform: base\nwafer: {width: 2, height: 1, fabric: {link_bandwidth: 1 GB/s}}\n");
  const std::string path = write("input.yaml", input);
  const auto kind = accepted([&] { return config::kind_of(config::load_document(path), all_file_kinds()); });
  if (!kind) return;
  const auto resolved = resolved_kinds().find(kind->type);
  if (resolved != resolved_kinds().end())
    resolved->second(path);
  else
    accepted([&] {
      std::ostringstream text;
      kind->check({path}, text);
      return text.str();
    });
}

}  // namespace wafertlm::fuzz
