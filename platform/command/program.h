// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace wafertlm {

/// Whether the shell would find this program (along PATH).
bool is_installed(const std::string& program);

/// Runs another program to its end, without a shell; what it prints is dropped, its errors are shown.
/// @param words the program, found along PATH, and its arguments. @returns whether it ended with exit code 0.
bool run_program(const std::vector<std::string>& words);

}  // namespace wafertlm
