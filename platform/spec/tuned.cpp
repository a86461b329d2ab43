// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/tuned.h"

#include <filesystem>

namespace wafertlm::config {

bool names_tuning_table(const std::string& algorithm) {
  const std::string suffix = std::filesystem::path(algorithm).extension().string();
  return suffix == ".yaml" || suffix == ".yml";
}

}  // namespace wafertlm::config
