// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace wafertlm {

/// Names of our own beside those of users begin so.
constexpr const char* kHidden = ".wafertlm-";
/// Twelve hexadecimal digits that nobody can foresee.
std::string random_word();

/// @throws std::invalid_argument, beginning with `what`: no file can be put there, for it is a folder, a
/// link, a pipe, or its folder cannot be written to.
void require_output_file(const std::string& what, const std::filesystem::path& file);

/// A file that takes its name when it is complete: before, and if it never is, it has a hidden one beside. A
/// character device is written as it is. An earlier file gives its mode.
class PendingFile {
 public:
  /// @throws std::invalid_argument that names `option`: no file can be put there.
  PendingFile(const std::string& option, std::filesystem::path path);
  /// What was not put in place goes, if it is not to be kept.
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  std::string path() const { return path_.string(); }
  /// Where to write.
  std::string incomplete() const { return incomplete_.string(); }
  /// @throws std::runtime_error.
  void put_in_place();
  /// It stays as incomplete().
  void keep() { keeps_ = true; }

 private:
  std::filesystem::path path_, incomplete_;
  bool keeps_ = false;
};

/// Writes it under another name and then puts it in place. @throws std::invalid_argument as PendingFile;
/// std::runtime_error.
void write_file(const std::string& option, const std::filesystem::path& file, const std::string& text);

/// Removes `folder` and those above it up to `top`, as far as they are empty. @param top empty: none
void remove_empty_folders(std::filesystem::path folder, const std::filesystem::path& top);

}  // namespace wafertlm
