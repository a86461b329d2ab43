// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/describe/node.h"

namespace wafertlm::config {

bool is_readable_file(const std::string& path);

/// One file as it stands, without `extends`. It holds exactly one map. @throws ConfigError
Node read_yaml_file(const std::string& path);

/// One YAML value; every node of it has the given place. @throws ConfigError
Node read_yaml_text(const std::string& text, const SourceLocation& place);

}  // namespace wafertlm::config
