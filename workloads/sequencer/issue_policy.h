// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace wafertlm {

/// Which of the ready tasks a free resource takes.
enum class IssuePolicy : std::uint8_t {
  fifo,      ///< the one that has been ready longest (ties: file order)
  lifo,      ///< the one that became ready last
  priority,  ///< the highest comm_priority (0 if the node has none); of equals the first
};

/// How a rank walks its trace.
struct SequencerParams {
  IssuePolicy policy = IssuePolicy::fifo;
  /// Nodes that are held at most; more only when all of these wait for one that was not read yet.
  std::uint32_t look_ahead = 16'384;
};

}  // namespace wafertlm
