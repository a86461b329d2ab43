// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm::config {

/// Whether a value of `collectives.algorithm` is the path of a tuning table: it ends in .yaml or .yml.
bool names_tuning_table(const std::string& algorithm);

}  // namespace wafertlm::config
