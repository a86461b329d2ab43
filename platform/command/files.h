// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace wafertlm {

/// Before a long simulation: the file can be written to. Makes it if there is none.
/// @throws std::invalid_argument that names `option`.
void require_writable_file(const std::string& option, const std::filesystem::path& file);

/// The same for a folder; creates it if need be.
/// @throws std::invalid_argument that says what is in the way.
void require_writable_folder(const std::filesystem::path& folder);

/// Removes files of an earlier run, so that a run that fails leaves none that could be taken for its own.
/// @throws std::invalid_argument, naming the file.
void remove_files(const std::filesystem::path& folder, const std::vector<std::string>& names);

/// Writes all files (name, text) under temporary names and then puts them in place, so that a folder never
/// holds half a result. @throws std::runtime_error, naming the file.
void write_files(const std::filesystem::path& folder,
                 const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace wafertlm
