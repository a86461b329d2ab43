// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/host/presets.h"
#include "platform/host/validators.h"
#include "platform/spec/file_kinds.h"

namespace wafertlm {

/// `wafertlm presets`: what `add_file()` finds by name.
std::function<int()> add_presets_command(CLI::App& app) {
  auto kind = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("presets", "List the presets, which commands find by name, and where they are");
  command->add_option("KIND", *kind, "Only these")->check(one_of_names(config::preset_folders));
  command->footer("Examples:\n  wafertlm presets experiments\n  wafertlm run resnet50_dp20_mesh_5x4");
  return [kind] {
    const std::vector<std::string> folders = config::preset_folders();
    const std::filesystem::path folder = required_configs_folder(folders);
    for (const std::string& each : folders) {
      if (!kind->empty() && *kind != each) continue;
      fmt::print("{}, in {}\n", each, (folder / each).string());
      for (const std::string& name : preset_names(each)) fmt::print("  {}\n", name);
    }
    return 0;
  };
}

}  // namespace wafertlm
