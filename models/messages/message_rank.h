// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "tlm/fabric/message_service.h"

namespace wafertlm {

/// A receive that has been posted.
struct ExpectedMessage {
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::uint64_t tag = 0, bytes = 0;
  std::uint32_t source = kNobody;  ///< NPU
  std::uint32_t step : 31, reduces : 1;
};

/// Where a rank is in a strand of its program.
struct MessageStrand {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t done = 0, steps = 0;  ///< finished, in all
  std::uint32_t posted = 0;           ///< receives that are not done
  std::uint32_t wake_at = kNone;      ///< so many done steps let the first of those go on that wait for them
  std::uint32_t first_parked = kNone, next_parked = kNone;  ///< strands that wait for this one
  std::uint32_t parked_until = 0;                           ///< what this one waits for
  bool running = false;                                     ///< a step that is not posted
  bool parked = false;
  TimePs entered_ps = 0;  ///< when its stage began
  std::uint64_t turn = 0;
  /// Where programs keep strands (StepSource::keeps_strands) the first receives are here, beside the strand.
  std::array<ExpectedMessage, 8> expected{};
};

/// A rank in a collective.
struct MessageRank {
  CollectiveStart start;
  NpuId npu{};
  bool keeps_strands = false;
  std::vector<MessageStrand> strands;
  std::uint32_t unfinished = 0;
  /// Functional mode: by strand and step, what posted receives brought.
  std::map<std::uint32_t, std::map<std::uint32_t, std::vector<std::byte>>> taken;
};

}  // namespace wafertlm
