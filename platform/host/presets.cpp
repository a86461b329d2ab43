// SPDX-License-Identifier: Apache-2.0
#include "platform/host/presets.h"

#include <fmt/core.h>

#include <stdexcept>
#include <system_error>
#include <utility>

#include "platform/host/options.h"
#include "platform/host/verbosity.h"
#include "platform/text/suggest.h"

namespace wafertlm {

namespace fs = std::filesystem;

fs::path required_configs_folder(const std::vector<std::string>& kinds) {
  const fs::path folder = configs_folder();
  if (folder.empty())
    throw std::invalid_argument("no presets are installed; set WAFERTLM_CONFIGS to the folder configs/");
  std::error_code none;
  for (const std::string& kind : kinds)
    if (fs::is_directory(folder / kind, none)) return folder;
  throw std::invalid_argument(
      folder.string() + " (WAFERTLM_CONFIGS) has no presets; let it be the folder configs/, which has " +
      config::listed(kinds));
}

CLI::Validator preset_or_file(const std::function<std::vector<std::string>()>& kinds) {
  return CLI::Validator(
      [kinds](std::string& text) -> std::string {
        std::error_code none;
        if (!may_name_preset(text)) return "";
        std::vector<std::string> all;
        for (const std::string& kind : kinds()) {
          const fs::path file = preset_file(kind, text);
          if (!file.empty() && fs::exists(text, none)) {
            if (verbosity() == Verbosity::verbose)
              fmt::print(stderr, "note: {} is the file here, not the preset {}\n", text, file.string());
            return "";
          }
          if (!file.empty()) {
            text = file.string();
            return "";
          }
          for (std::string& name : preset_names(kind)) all.push_back(std::move(name));
        }
        if (fs::exists(text, none)) return "";
        const std::string hint = config::did_you_mean(text, all);
        return hint.empty() ? "" : "there is no file and no preset '" + text + "'" + hint;
      },
      "", "preset");
}

CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& file, const std::string& what,
                      const std::function<std::vector<std::string>()>& kinds, const std::string& form) {
  return command.add_option(name, file, what)
      ->required()
      ->transform(preset_or_file(kinds))
      ->check(completes([kinds] {
        std::vector<std::string> names;
        for (const std::string& kind : kinds())
          for (std::string& each : preset_names(kind)) names.push_back(std::move(each));
        return names;
      }))
      ->type_name(form);
}

CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& file, const std::string& what,
                      const char* kind, const std::string& form) {
  return add_file(
      command, name, file, what, [kind] { return std::vector<std::string>{kind}; }, form);
}

}  // namespace wafertlm
