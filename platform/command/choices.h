// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace wafertlm {

/// Accepts one of `names`; else the message names the nearest one.
CLI::Validator one_of(std::vector<std::string> names);

/// An option that was given an empty value is a mistake, for instance of a shell variable.
/// @throws std::invalid_argument that names the option.
void refuse_empty_values(const CLI::App& command);

}  // namespace wafertlm
