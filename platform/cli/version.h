// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm {

/// Of `wafertlm --version`: "wafertlm 0.1.0 (commit 1234abcd5678)", and the SystemC, Verilator and compiler
/// that it was built with, a line each.
std::string version_text();

}  // namespace wafertlm
