// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm::test {

/// A folder of its own for one test, removed at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Writes a file, makes the folders it needs. @return its path
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace wafertlm::test
