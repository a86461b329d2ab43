// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "models/mesh/mesh_params.h"

namespace wafertlm {

/// Lines for `wafertlm check`: what does not work, who is cut off, which pairs of NPUs go around it and how
/// much farther, and the busiest link when all send to all, beside the whole wafer's. Empty: all works.
std::string describe_defects(const MeshParams& mesh);

}  // namespace wafertlm
