// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/cli/command_tree.h"

namespace wafertlm {

/// "wafertlm-trace-info": the name of a command's page.
std::string man_name(const ShownCommand& command);
/// A page of section 1, in the macros of man(7).
std::string man_page(const ShownCommand& command);

}  // namespace wafertlm
