// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm {

/// "4,4,3": whole numbers of at least `least`. @param option for the error. @throws std::invalid_argument.
std::vector<std::uint32_t> number_list(const std::string& option, const std::string& text, char separator,
                                       std::uint32_t least);

}  // namespace wafertlm
