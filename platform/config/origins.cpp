// SPDX-License-Identifier: Apache-2.0
#include "platform/config/origins.h"

namespace wafertlm::config {

Origins Origins::below(const std::string& prefix) const {
  Origins result;
  const std::string start = prefix + ".";
  for (const auto& [path, origin] : by_path_)
    if (path.compare(0, start.size(), start) == 0) result.by_path_[path.substr(start.size())] = origin;
  return result;
}

std::map<std::string, std::string> Origins::provenances() const {
  std::map<std::string, std::string> result;
  for (const auto& [path, origin] : by_path_)
    if (!origin.provenance.empty()) result[path] = origin.provenance;
  return result;
}

}  // namespace wafertlm::config
