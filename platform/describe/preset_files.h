// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace wafertlm {

/// The folder of the presets: $WAFERTLM_CONFIGS, ../share/wafertlm/configs beside the program's folder (as
/// installed), or ../configs (a build folder in the source tree). Empty: there is none.
std::filesystem::path configs_folder();

/// Names of the files in a folder of presets ("platforms"), sorted, without ".yaml".
std::vector<std::string> preset_names(const std::string& folder);

/// Whether a preset may be called so: no path, no end of a file's name.
bool may_name_preset(const std::string& name);

/// In place of a folder: of any, if only one has it.
constexpr const char* kAnyPresets = "*";

/// The preset of this name in a folder ("platforms"); empty: none.
std::filesystem::path preset_file(const std::string& folder, const std::string& name);
/// Those of this name in all folders, sorted.
std::vector<std::filesystem::path> preset_files(const std::string& name);

}  // namespace wafertlm
