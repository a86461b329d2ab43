// SPDX-License-Identifier: Apache-2.0
#include "models/nic/transport/sequences.h"

#include "models/nic/transport/go_back_n.h"
#include "models/nic/transport/selective_repeat.h"

namespace wafertlm::nic {

std::unique_ptr<ReceiveSequence> make_receive_sequence(const TransportParams& params,
                                                       std::uint64_t expected) {
  if (params.repair == Repair::go_back_n)
    return std::make_unique<GoBackNReceiver>(params.ack_every, expected);
  return std::make_unique<SelectiveReceiver>(params.ack_every, params.reordering, expected);
}

std::unique_ptr<SendSequence> make_send_sequence(const TransportParams& params, std::uint64_t acknowledged,
                                                 std::uint64_t next) {
  if (params.repair == Repair::go_back_n) return std::make_unique<GoBackNSender>(acknowledged, next);
  return std::make_unique<SelectiveSender>(params.reordering, next);
}

}  // namespace wafertlm::nic
