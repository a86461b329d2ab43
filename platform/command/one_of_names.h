// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace wafertlm {

/// Accepts one of `names`; else the message names the nearest one.
CLI::Validator one_of_names(std::vector<std::string> names);

}  // namespace wafertlm
