// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm::chakra {

/// A number as a group's name is one name however it was written: "0.0" is "0".
std::string plain_group_name(const std::string& name);

}  // namespace wafertlm::chakra
