// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/cli/command_tree.h"

namespace wafertlm {

/// Scripts that complete commands, options, their values and files in a shell.
std::string bash_completion(const ShownCommand& root);
std::string zsh_completion(const ShownCommand& root);
std::string fish_completion(const ShownCommand& root);

}  // namespace wafertlm
