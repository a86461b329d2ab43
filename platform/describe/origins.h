// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <utility>

#include "platform/text/config_error.h"

namespace wafertlm::config {

/// Where one value came from.
struct Origin {
  SourceLocation place;
  std::string provenance;  ///< "P: fred.md section 2"; may be empty
};

/// The origin of every value that was written, by path ("wafer.fabric.classes[2].vc"). A path that is missing
/// has its default. Two are equal when they give the same provenances: the same values may stand in another
/// file.
class Origins {
 public:
  void record(const std::string& path, Origin origin) { by_path_[path] = std::move(origin); }
  const Origin* find(const std::string& path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : &found->second;
  }
  /// Those below `prefix` ("platform"), without it.
  Origins below(const std::string& prefix) const {
    Origins result;
    const std::string start = prefix + ".";
    for (const auto& [path, origin] : by_path_)
      if (path.compare(0, start.size(), start) == 0) result.by_path_[path.substr(start.size())] = origin;
    return result;
  }
  friend bool operator==(const Origins& a, const Origins& b) { return a.provenances() == b.provenances(); }

 private:
  std::map<std::string, std::string> provenances() const {
    std::map<std::string, std::string> result;
    for (const auto& [path, origin] : by_path_)
      if (!origin.provenance.empty()) result[path] = origin.provenance;
    return result;
  }
  std::map<std::string, Origin> by_path_;
};

}  // namespace wafertlm::config
