// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/describe/file_kind.h"

namespace wafertlm {

/// Their `check` builds what the file describes, so that what only elaboration finds (routes that can
/// deadlock) is found too. Once in a process.
config::FileKind platform_file_kind();
/// The same; all that a run does before it simulates.
config::FileKind experiment_file_kind();

/// What the platform in a file, or that of its experiment, costs by the table in another.
/// @throws std::invalid_argument: it is another kind of file.
std::string platform_costs(const config::CheckRequest& request, const config::FileKind& kind,
                           const std::string& costs);

}  // namespace wafertlm
