// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wafertlm {

/// What the burst level of the memory costs: for each row visit, and against flow with the operands of 20
/// NPUs.
void print_memory();

}  // namespace wafertlm
