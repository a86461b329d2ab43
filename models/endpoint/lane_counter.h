// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Packet::lane of what a sender sends: counted by destination, on from message to message, so that also many
/// short messages use all ways. The count begins at sender + destination: first packets to one destination
/// from several senders, or from one to several, take different ways.
class LaneCounter {
 public:
  /// Not `striped`: all lanes are 0.
  LaneCounter(NpuId sender, bool striped) : sender_(sender), striped_(striped) {}

  std::uint32_t next(NpuId destination) {
    if (!striped_) return 0;
    const std::size_t to = index_of(destination);
    for (std::size_t d = counts_.size(); d <= to; ++d)
      counts_.push_back(static_cast<std::uint32_t>(index_of(sender_) + d));
    return counts_[to]++;
  }

 private:
  NpuId sender_;
  bool striped_;
  std::vector<std::uint32_t> counts_;  // by destination
};

}  // namespace wafertlm
