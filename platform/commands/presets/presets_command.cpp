// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "platform/commands/check/all_kinds.h"
#include "platform/commands/presets/preset_list.h"
#include "platform/host/json_output.h"
#include "platform/host/options.h"
#include "platform/host/presets.h"
#include "platform/text/aligned.h"
#include "platform/text/suggest.h"

namespace wafertlm {
namespace {

struct PresetOptions {
  std::vector<std::string> words;
  bool json = false;
};

std::vector<std::string> all_preset_folders() {
  std::vector<std::string> folders;
  for (const config::FileKind& kind : all_file_kinds())
    if (const std::string& each = kind.type->presets();
        !each.empty() && std::find(folders.begin(), folders.end(), each) == folders.end())
      folders.push_back(each);
  return folders;
}

/// "models" for workloads/models.
std::string last_part(const std::string& folder) { return folder.substr(folder.rfind('/') + 1); }

int list_presets(PresetOptions options) {
  std::vector<std::string> folders = all_preset_folders();
  const std::filesystem::path configs = required_configs_folder(folders);
  const auto is_kind = [&](const std::string& folder) {
    return !options.words.empty() &&
           (folder == options.words.front() || last_part(folder) == options.words.front());
  };
  if (const auto kind = std::find_if(folders.begin(), folders.end(), is_kind); kind != folders.end()) {
    folders = {*kind};
    options.words.erase(options.words.begin());
  }
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  std::string text;
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    TextRows rows;
    for (const Preset& each : presets_of({folder})) {
      names.push_back(each.name);
      if (!has_words(each.name + " " + each.what, options.words)) continue;
      rows.push_back({each.name, each.what});
      found.push_back(
          {{"kind", folder}, {"name", each.name}, {"what", each.what}, {"file", each.file.string()}});
    }
    if (!rows.empty())
      text +=
          fmt::format("{}, in {}\n{}", last_part(folder), (configs / folder).string(), aligned(rows, "l"));
  }
  if (found.empty()) {
    for (const std::string& folder : folders) names.push_back(last_part(folder));
    throw std::invalid_argument(fmt::format("no preset has '{}'{}", fmt::join(options.words, " "),
                                            config::did_you_mean(options.words.front(), names)));
  }
  fmt::print("{}", options.json ? json_text({{"presets", found}}) : text);
  return 0;
}

}  // namespace

/// `wafertlm presets`: what commands and YAML files find by name.
std::function<int()> add_presets_command(CLI::App& app) {
  auto options = std::make_shared<PresetOptions>();
  CLI::App* command =
      app.add_subcommand("presets", "List the presets, which commands and files find by name: what each is");
  command
      ->add_option("WORD", options->words,
                   "A kind (platforms, models), or what its name or description has; several: all of them")
      ->check(completes(all_preset_folders));
  add_json_flag(*command, options->json);
  command->footer(
      "A file of that name, where it is named, goes before the preset.\n"
      "Examples:\n"
      "  wafertlm presets experiments\n"
      "  wafertlm presets fred switch\n"
      "  wafertlm run resnet50_dp20_mesh_5x4 --set platform=fred_d");
  return [options] { return list_presets(*options); };
}

}  // namespace wafertlm
