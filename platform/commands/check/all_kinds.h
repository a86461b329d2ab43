// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "platform/describe/file_kind.h"

namespace wafertlm {

/// A row for each kind of YAML file that there is.
const std::vector<config::FileKind>& all_file_kinds();

}  // namespace wafertlm
