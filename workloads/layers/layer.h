// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace wafertlm::layers {

/// A layer of a model as a training step sees it.
struct Layer {
  std::string name;
  std::uint64_t parameters = 0;
  std::uint64_t forward_operations = 0;  ///< per sample; a multiply-add is 2 operations
  std::uint64_t activation_bytes = 0;    ///< per sample, that a pass reads and writes; 0: not known
};

}  // namespace wafertlm::layers
