// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "platform/host/folder_lock.h"
#include "platform/host/manifest.h"

namespace wafertlm {

/// The files that a command writes into a folder: a set, in place of an earlier one. They are made in a
/// hidden folder there and take their names together (commit); until then the earlier ones stay. What a
/// manifest says that an earlier command wrote is replaced or removed; all else is the user's and stays, and
/// so does the folder itself. Signals wait while names are given; after a SIGKILL then the manifest lists
/// both sets. One command at a time. All names are hidden: .wafertlm-manifest.json, -lock,
/// -incomplete-RANDOM.
class OutputFolder {
 public:
  /// Makes the folder if need be. @param holder the command, for others that want the folder. @param set sets
  /// of other names do not know each other. @throws std::invalid_argument: it cannot be written, another
  /// command works there, or a file of the earlier set was changed.
  OutputFolder(const std::filesystem::path& folder, const std::string& holder, const std::string& set = "");
  /// Without commit() or keep() nothing is left.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// As it was given.
  const std::filesystem::path& path() const { return given_; }
  /// Where to write.
  const std::filesystem::path& working() const { return working_; }
  /// @throws std::invalid_argument that names it: one of the files is there, and is the user's.
  void require_free(const std::vector<std::string>& names) const { manifest_->require_ours(names); }
  /// Writes a file into working(). @throws std::runtime_error.
  void write(const std::string& name, const std::string& text) const;
  /// Puts the new set in place. @param stay files of the earlier one that become part of the new one.
  /// @throws std::invalid_argument as require_free, std::runtime_error: it is still in working().
  void commit(const std::vector<std::string>& stay = {});
  /// Names of the earlier set.
  std::vector<std::string> earlier() const { return manifest_->names(); }
  /// A text with the names that files in working() have after commit().
  std::string in_place(std::string text) const;
  /// What was written so far is kept in working(); the command has failed.
  void keep() { keeps_ = true; }

 private:
  void exchange(const FileDigests& written, const FileDigests& kept);

  std::filesystem::path given_, folder_, made_, working_;
  bool keeps_ = false, done_ = false;
  std::unique_ptr<FolderLock> lock_;
  std::unique_ptr<Manifest> manifest_;
};

/// @throws std::invalid_argument, beginning with `what`: no results can be put there.
void require_output_folder(const std::string& what, const std::filesystem::path& folder);

/// The command that writes results into a folder now; empty: none.
std::string writer_of(const std::filesystem::path& folder);

/// @throws std::invalid_argument: results there may be of two commands, for one was killed in its exchange.
void require_whole_set(const std::filesystem::path& folder);

/// The files of all sets in a folder, as they are listed.
std::vector<std::filesystem::path> written_files(const std::filesystem::path& folder);

}  // namespace wafertlm
