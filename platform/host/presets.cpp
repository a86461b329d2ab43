// SPDX-License-Identifier: Apache-2.0
#include "platform/host/presets.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "platform/text/suggest.h"

namespace wafertlm {

namespace fs = std::filesystem;

fs::path configs_folder() {
  if (const char* const given = std::getenv("WAFERTLM_CONFIGS"); given != nullptr && *given != '\0')
    return given;
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (const char* const candidate : {"../share/wafertlm/configs", "../configs"}) {
    const fs::path folder = (program / candidate).lexically_normal();
    if (fs::is_directory(folder / "experiments", none)) return folder;
  }
  return {};
}

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

std::vector<std::string> preset_names(const std::string& kind) {
  std::vector<std::string> names;
  std::error_code none;
  for (fs::directory_iterator each(configs_folder() / kind, none), end; each != end; each.increment(none))
    if (each->path().extension() == ".yaml") names.push_back(each->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

CLI::Validator preset_or_file(const std::function<std::vector<std::string>()>& kinds) {
  return CLI::Validator(
      [kinds](std::string& text) -> std::string {
        std::error_code none;
        const bool is_plain = text.find_first_of("/.") == std::string::npos && !text.empty();
        if (!is_plain || fs::exists(text, none)) return "";
        std::vector<std::string> all;
        for (const std::string& kind : kinds()) {
          const fs::path file = configs_folder() / kind / (text + ".yaml");
          if (fs::is_regular_file(file, none)) {
            text = file.string();
            return "";
          }
          for (std::string& name : preset_names(kind)) all.push_back(std::move(name));
        }
        const std::string hint = config::did_you_mean(text, all);
        return hint.empty() ? "" : "there is no file and no preset '" + text + "'" + hint;
      },
      "", "preset");
}

}  // namespace

CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& file, const std::string& what,
                      const std::function<std::vector<std::string>()>& kinds, const std::string& form) {
  return command.add_option(name, file, what)->required()->transform(preset_or_file(kinds))->type_name(form);
}

CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& file, const std::string& what,
                      const char* kind, const std::string& form) {
  return add_file(
      command, name, file, what, [kind] { return std::vector<std::string>{kind}; }, form);
}

}  // namespace wafertlm
