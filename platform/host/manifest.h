// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace wafertlm {

/// Names of files in a folder, and their SHA-256.
using FileDigests = std::map<std::string, std::string>;

/// What earlier commands of ours wrote into a folder: a hidden JSON file there. Whatever is not in it, or has
/// another digest by now, is the user's.
class Manifest {
 public:
  /// Reads it; without a file it is empty. @param what names the folder in messages, "--out results".
  /// @throws std::invalid_argument: the file is not one of ours.
  Manifest(std::filesystem::path file, std::string what);

  /// All that are listed, whatever became of them.
  std::vector<std::string> names() const;
  /// Those that are there as they were written, when they were last looked at.
  const FileDigests& unchanged() const { return unchanged_; }
  void look();
  /// Whether a command was killed while it put a set in place of another: there may be files of both.
  bool is_cut() const { return !earlier_.empty(); }
  /// @throws std::invalid_argument that names it: a listed file was changed, or one of `names` is there and
  /// not listed.
  void require_ours(const std::vector<std::string>& names) const;
  /// Lists `files` beside what is listed, which they are about to replace. @param scratch a name for it until
  /// it is written, in the same file system
  void begin(const FileDigests& files, const std::filesystem::path& scratch);
  /// They are in place.
  void end(const std::filesystem::path& scratch);

 private:
  void write(const std::filesystem::path& scratch) const;

  std::filesystem::path path_;
  std::string what_;
  FileDigests files_, earlier_;  ///< earlier_: while files_ are put in place, and if that was cut short
  FileDigests unchanged_;
};

}  // namespace wafertlm
