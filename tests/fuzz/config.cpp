// SPDX-License-Identifier: Apache-2.0
// YAML files of all kinds, as `wafertlm check` reads them: the key at the top says which.
#include "platform/commands/study/grid/grid.h"
#include "platform/commands/study/study_command.h"
#include "platform/spec/fabric_kinds.h"
#include "tests/fuzz/config_file.h"
#include "tests/fuzz/targets.h"

namespace wafertlm::fuzz {
namespace {

using config::FileKind;

/// Every cell of a study is a file to read.
constexpr std::size_t kMostCells = 16;

void check(FileKind kind, const std::string& path) {
  switch (kind) {
    case FileKind::platform:
      if (const auto spec = loaded(config::load_platform, path))
        fabric_kind(spec->wafer).describe(spec->wafer);
      break;
    case FileKind::experiment:
      loaded(config::load_experiment, path);
      break;
    case FileKind::workload:
      loaded(config::load_workload, path);
      break;
    case FileKind::model:
      if (const auto spec = loaded(config::load_model, path))
        accepted([&] { return config::build_model(*spec); });
      break;
    case FileKind::study:
      if (const auto spec = loaded(config::load_study, path)) {
        const auto cells = accepted([&] { return grid_of(*spec); });
        if (cells && cells->size() <= kMostCells) accepted([&] { return check_study(*spec, path); });
      }
      break;
  }
}

}  // namespace

void config(const std::string& input) {
  // What `extends`, `platform` and `file` of an input can name.
  static const std::string kBase =
      write("base.yaml", "platform: base\nwafer: {width: 2, height: 1, fabric: {link_bandwidth: 1 GB/s}}\n");
  const std::string path = write("input.yaml", input);
  if (const auto kind = accepted([&] { return config::detect_kind(path); })) check(*kind, path);
}

}  // namespace wafertlm::fuzz
