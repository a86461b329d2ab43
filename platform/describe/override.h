// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/describe/struct_type.h"

namespace wafertlm::config {

/// Applies one "a.b.c=value" (from `--set`). The value is YAML and replaces what was there; relative paths in
/// it refer to the current folder. Returns the path, complete where `--set` may leave keys out. @throws
/// ConfigError: no '=', no such path (names the nearest), a list or value on the way.
std::string apply_override(Node& root, const StructType& type, const std::string& text);

}  // namespace wafertlm::config
