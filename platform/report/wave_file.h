// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace wafertlm {

/// Where waveforms go: FILE.fst is written as a VCD file beside it, which GTKWave's `vcd2fst` then converts;
/// any other name is the VCD file itself.
class WaveFile {
 public:
  /// @throws std::invalid_argument: vcd2fst is needed and not there.
  explicit WaveFile(const std::string& path);
  const std::string& path() const { return path_; }
  const std::string& vcd() const { return vcd_; }
  /// When the VCD file is complete. @throws std::runtime_error
  void finish() const;

 private:
  std::string path_, vcd_;
};

}  // namespace wafertlm
