// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "tlm/fabric/message_service.h"
#include "tlm/step_runner.h"
#include "tlm/step_values.h"

namespace wafertlm {

/// A receive that has been posted.
struct ExpectedMessage {
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::uint64_t tag = 0, bytes = 0;
  std::uint32_t source = kNobody;  ///< NPU
  std::uint32_t step : 31, reduces : 1;
};

/// A threadblock of a rank, with its stage and the messages that it expects.
struct MessageThreadblock : Threadblock {
  TimePs entered_ps = 0;  ///< when its stage began
  std::uint64_t port_order = 0;
  /// Where programs keep threadblocks (StepSource::keeps_threadblocks) the first receives are here, beside
  /// the rest.
  std::array<ExpectedMessage, 8> expected{};
};

/// A rank in a collective.
struct MessageRank : ProgramRun<MessageThreadblock> {
  CollectiveStart start;
  NpuId npu{};
  bool keeps_threadblocks = false;
  ReceivedValues received;

  RankBuffer buffer() const { return {start.buffer, start.data_type}; }
};

}  // namespace wafertlm
