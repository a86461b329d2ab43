// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace wafertlm {

/// A lock on a file beside what it guards; goes with the process, however that ends.
class FileLock {
 public:
  /// @param holder says to others who has it. @throws std::invalid_argument: somebody else has it (names
  /// who), or the file cannot be written. @param what names what is locked, "--out results"
  FileLock(std::filesystem::path path, const std::string& holder, const std::string& what);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

/// The command that writes into a folder now, as its lock says; empty: none.
std::string lock_holder(const std::filesystem::path& folder);

/// The folder of a command's results. They are made in a folder beside, NAME.incomplete, and take the place
/// of earlier ones in one step (commit). Until then the folder is as it was; what a command that fails has
/// written stays in NAME.incomplete, if it says so (keep). One command at a time: NAME.lock.
///
/// Where a folder cannot be put in another's place (a mount point, the current folder, a parent folder that
/// cannot be written) NAME/incomplete is used, and files are moved one by one.
class OutputFolder {
 public:
  /// @param holder the command, for others that want the folder. @throws std::invalid_argument: it cannot be
  /// written, or another command works there.
  OutputFolder(const std::filesystem::path& folder, const std::string& holder);
  /// Without commit() or keep() nothing is left.
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// As it was given.
  const std::filesystem::path& path() const { return given_; }
  /// Where to write.
  const std::filesystem::path& working() const { return working_; }
  /// Puts what was written in place. Of what was there before everything goes that matches one of `own`
  /// (globs, of the names of results); the rest stays. @throws std::runtime_error: it is still in working().
  void commit(const std::vector<std::string>& own);
  /// A text with the names that files in working() have after commit().
  std::string in_place(std::string text) const;
  /// What was written so far is kept in working(); the command has failed.
  void keep() { keeps_ = true; }

 private:
  void link_what_stays(const std::vector<std::string>& own) const;
  void move_each(const std::vector<std::string>& names, const std::vector<std::string>& own) const;

  std::filesystem::path given_, folder_, made_, working_;
  bool beside_ = true, keeps_ = false, done_ = false;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace wafertlm
