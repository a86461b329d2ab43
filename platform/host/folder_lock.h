// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace wafertlm {

/// A lock on what a command writes into a folder: a hidden file, held by its descriptor, so that it goes with
/// the process, however that ends. The file says who holds it, and where that command's unfinished files are;
/// it stays after a command that was killed or that left some (leave). One that others made is never written.
class FolderLock {
 public:
  /// @param holder says to others who has it. @param what names what is locked, "--out results".
  /// @throws std::invalid_argument: somebody else has it (names who), or no lock can be made there.
  FolderLock(std::filesystem::path file, const std::string& holder, const std::string& what);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Name of the folder with what an earlier command could not finish; empty: none.
  const std::string& left() const { return left_; }
  /// Notes the name of this command's.
  void note(const std::string& unfinished) const;
  /// The file stays: something was left.
  void leave() { leaves_ = true; }

 private:
  bool take();

  std::filesystem::path path_;
  std::string who_, left_;
  int file_ = -1;
  bool is_ours_ = false, leaves_ = false;
};

/// Who holds such a lock now; empty: nobody.
std::string holder_of(const std::filesystem::path& lock);

}  // namespace wafertlm
