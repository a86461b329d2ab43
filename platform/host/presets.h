// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "platform/describe/preset_files.h"

namespace wafertlm {

/// The folder of the presets. @throws std::invalid_argument: there is none, or it has none of the folders
/// `kinds`.
std::filesystem::path required_configs_folder(const std::vector<std::string>& kinds);

/// Turns the name of a preset of these kinds, where there is no such file, into its path. A name close to one
/// is refused with it; all others stay as they are.
CLI::Validator preset_or_file(const std::function<std::vector<std::string>()>& kinds);

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
