// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// A VCD file of the pins of a module that writes no waveforms itself.
class RtlPinWaves {
 public:
  struct Pin {
    std::string name;
    std::uint32_t bits;
    std::vector<std::uint32_t> words;
  };
  /// @throws std::runtime_error: it cannot be written.
  RtlPinWaves(const std::string& path, const std::string& module, const std::vector<Pin>& pins);
  /// What has changed, at a time; the pins in the order of before.
  void dump(TimePs now, const std::vector<Pin>& pins);

 private:
  std::ofstream file_;
  std::vector<std::vector<std::uint32_t>> shown_;
};

}  // namespace wafertlm
