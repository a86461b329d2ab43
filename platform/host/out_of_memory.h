// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wafertlm {

/// From now on, what std::bad_alloc says is a line for the user: how much the process has taken, what it may
/// take, and what to change. Where it cannot be caught any more, it is printed and the process ends with 1.
void explain_out_of_memory();

}  // namespace wafertlm
