// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/pin_waves.h"

#include <stdexcept>

namespace wafertlm {

RtlPinWaves::RtlPinWaves(const std::string& path, const std::string& module, const std::vector<Pin>& pins)
    : file_(path), shown_(pins.size()) {
  file_ << "$timescale 1ps $end\n$scope module " << module << " $end\n";
  for (std::size_t i = 0; i < pins.size(); ++i)
    file_ << "$var wire " << pins[i].bits << " p" << i << ' ' << pins[i].name << " $end\n";
  file_ << "$upscope $end\n$enddefinitions $end\n";
  if (!file_.flush()) throw std::runtime_error("the waveform " + path + " cannot be written");
}

void RtlPinWaves::dump(TimePs now, const std::vector<Pin>& pins) {
  file_ << '#' << now << '\n';
  for (std::size_t i = 0; i < pins.size(); ++i) {
    if (pins[i].words == shown_[i]) continue;
    shown_[i] = pins[i].words;
    file_ << 'b';
    for (std::uint32_t bit = pins[i].bits; bit-- > 0;) file_ << (pins[i].words[bit / 32] >> bit % 32 & 1);
    file_ << " p" << i << '\n';
  }
}

}  // namespace wafertlm
