// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm::chakra {

/// Which dependencies of a trace count.
enum class Dependencies : std::uint8_t {
  all,       ///< every one, and its node must be in the trace
  existing,  ///< one on a node that is not in the trace counts as satisfied (filtered traces have them)
  data,      ///< only data dependencies: control dependencies of PyTorch traces name callers, not an order
};

}  // namespace wafertlm::chakra
