// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/fabric/fabric.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// Members of a group need not all reach each other: some algorithms only send to neighbours.
/// @throws std::invalid_argument: a message of the program, or the answer to it, would cross what has failed.
void require_routes(const CollectiveProgram& program, const Fabric& fabric);

}  // namespace wafertlm
