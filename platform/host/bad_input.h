// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>

namespace wafertlm {

/// Whether what a command throws says that its input is bad: exit code 2.
bool is_bad_input(const std::exception& error);

}  // namespace wafertlm
