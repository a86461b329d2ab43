// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>

#include "tlm/program/program.h"

namespace wafertlm::test {

inline Group npus(std::initializer_list<std::uint32_t> list) {
  Group group;
  for (const std::uint32_t npu : list) group.push_back(static_cast<NpuId>(npu));
  return group;
}

/// NPUs 0 to count - 1.
inline Group first_npus(std::uint32_t count) {
  Group group;
  for (std::uint32_t npu = 0; npu < count; ++npu) group.push_back(static_cast<NpuId>(npu));
  return group;
}

}  // namespace wafertlm::test
