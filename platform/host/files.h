// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace wafertlm {

/// Before a long simulation: the file can be written to.
/// @throws std::invalid_argument that names `option`.
void require_writable_file(const std::string& option, const std::filesystem::path& file);

/// The same for a folder; creates it if need be.
/// @throws std::invalid_argument that says what is in the way.
void require_writable_folder(const std::filesystem::path& folder);

/// A file that takes its name when it is complete: before, and if it never is, it is STEM.incomplete.SUFFIX.
/// What is there and no plain file (a pipe, a device) is written as it is.
class PendingFile {
 public:
  /// @throws std::invalid_argument that names `option`: there is no folder to write to.
  PendingFile(const std::string& option, std::filesystem::path path);
  std::string path() const { return path_.string(); }
  std::string incomplete() const { return incomplete_.string(); }
  /// @throws std::runtime_error.
  void put_in_place() const;

 private:
  std::filesystem::path path_, incomplete_;
};

/// Writes all files (name, text) under temporary names and then puts them in place, so that a folder never
/// holds half a result. @throws std::runtime_error, naming the file.
void write_files(const std::filesystem::path& folder,
                 const std::vector<std::pair<std::string, std::string>>& files);
/// The same of one file. What is there and no plain file (a pipe, a device) is written as it is.
void write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace wafertlm
