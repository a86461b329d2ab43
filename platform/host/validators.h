// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace wafertlm {

/// Accepts one of `names`; else the message names the nearest one.
CLI::Validator one_of_names(const std::vector<std::string>& names);
/// The same of names that are found when somebody asks for them: a word was given, or help is wanted.
CLI::Validator one_of_names(const std::function<std::vector<std::string>()>& names);
/// Turns a size (64, 4KiB, 1M) into its number of bytes.
CLI::Validator size_in_bytes();
/// Numbers from 0, or above 0. CLI11's own name the largest number that there is, in 309 digits.
CLI::Validator not_negative();
CLI::Validator positive();

}  // namespace wafertlm
