// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tlm/kernel/units.h"

namespace wafertlm::nic {

constexpr TimePs kUs = 1'000'000, kMs = 1'000'000'000;

}  // namespace wafertlm::nic
