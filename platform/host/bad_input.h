// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <string>

namespace wafertlm {

/// Whether what a command throws says that its input is bad: exit code 2.
bool is_bad_input(const std::exception& error);

/// Of a file or folder that cannot be written: throws `what` with the reason (of errno) behind, as
/// std::runtime_error if the disk is full or broken, else as std::invalid_argument, for then the name is bad.
[[noreturn]] void fail_to_write(const std::string& what, int error);

}  // namespace wafertlm
