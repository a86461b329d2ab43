// SPDX-License-Identifier: Apache-2.0
#include "platform/describe/preset_files.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

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

std::vector<std::string> preset_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (fs::directory_iterator each(configs_folder() / folder, none), end; each != end; each.increment(none))
    if (each->path().extension() == ".yaml") names.push_back(each->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool may_name_preset(const std::string& name) {
  return !name.empty() && name.find_first_of("/.") == std::string::npos;
}

fs::path preset_file(const std::string& folder, const std::string& name) {
  if (folder == kAnyPresets) {
    const std::vector<fs::path> files = preset_files(name);
    return files.size() == 1 ? files.front() : fs::path();
  }
  const fs::path configs = configs_folder();
  if (configs.empty() || folder.empty() || !may_name_preset(name)) return {};
  const fs::path file = configs / folder / (name + ".yaml");
  std::error_code none;
  return fs::is_regular_file(file, none) ? file : fs::path();
}

std::vector<fs::path> preset_files(const std::string& name) {
  std::vector<fs::path> files;
  const fs::path configs = configs_folder();
  std::error_code none;
  if (configs.empty() || !may_name_preset(name)) return files;
  for (fs::recursive_directory_iterator each(configs, none), end; each != end; each.increment(none))
    if (each->path().filename() == name + ".yaml") files.push_back(each->path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace wafertlm
