// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace wafertlm::model {

/// The divisors of `number` next below and above `wanted`, as "4 or 7"; one if there is only one.
std::string nearest_divisors(std::uint64_t number, std::uint64_t wanted);

}  // namespace wafertlm::model
