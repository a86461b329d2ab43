// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace wafertlm {

/// The folder of the presets: $WAFERTLM_CONFIGS, ../share/wafertlm/configs beside the program's folder (as
/// installed), or ../configs (a build folder in the source tree). Empty: there is none.
std::filesystem::path configs_folder();

/// The same. @throws std::invalid_argument: there is none, or it has none of the folders `kinds`.
std::filesystem::path required_configs_folder(const std::vector<std::string>& kinds);

/// Names of the files in a folder of presets ("platforms"), sorted, without ".yaml".
std::vector<std::string> preset_names(const std::string& kind);

/// A file that the command needs: `name` stands for it. A plain name of a preset of these kinds, where there
/// is no such file, is replaced by its path. A name close to one is refused with it; all others stay as they
/// are.
/// @param kinds are asked for when a file is given
CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& file, const std::string& what,
                      const std::function<std::vector<std::string>()>& kinds,
                      const std::string& form = "FILE");
/// The same of one kind: "platforms".
CLI::Option* add_file(CLI::App& command, const std::string& name, std::string& file, const std::string& what,
                      const char* kind, const std::string& form = "FILE");

}  // namespace wafertlm
