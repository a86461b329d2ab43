// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/describe/fields.h"

namespace wafertlm {

class Machine;

namespace results {

/// What was not simulated because it repeats (run.acceleration).
const Fields<Machine>& accelerated_fields();

}  // namespace results
}  // namespace wafertlm
