// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "models/rtl/event.h"
#include "models/rtl/scoreboard.h"

namespace wafertlm {

/// What people call the packets of a switch: by NPUs, collective and step, where the header has a number.
class RtlPacketNames {
 public:
  /// An event of the recording, in its order.
  void see(const RtlEvent& event);
  /// "packet 3 of NPU 4 to NPU 7, step 2 of collective 1, input 2"; of an in-network flow its senders and all
  /// of its inputs so far.
  std::string name(std::uint64_t flow, std::uint64_t sequence) const;
  /// For a bar as long as a packet, what matters first: "4 -> 7, collective 1 step 2, packet 3".
  std::string label(std::uint64_t flow, std::uint64_t sequence) const;

 private:
  struct Named {
    RtlOrigin origin;
    bool has_origin = false;
    std::set<std::uint32_t> sources, inputs;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Named> packets_;
};

/// Of a step as the algorithms number it: those with several parts at a time have the part in the high bits.
std::string rtl_step_name(std::uint64_t step);

/// The names of the packets in a recording that a scoreboard has a divergence of; the ports are called as in
/// `links`, as far as it goes. Of a scoreboard without a divergence nothing is read.
RtlNames rtl_names_of(const std::string& recording, const RtlScoreboard& board,
                      std::map<std::uint32_t, std::string> links = {});

}  // namespace wafertlm
