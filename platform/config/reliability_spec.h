// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "models/endpoint/endpoint_params.h"

namespace wafertlm::config {

enum class ReliabilityProtocol : std::uint8_t { automatic, go_back_n };
enum class AnswerChannel : std::uint8_t { own, of_class };

/// How bit errors are repaired. Errors and the form of the answers follow from the fabric.
struct ReliabilitySpec : ReliabilityParams {
  ReliabilityProtocol protocol = ReliabilityProtocol::automatic;
  std::uint64_t control_packet_bytes = 512;  ///< on the wire, of an ACK or NACK
  AnswerChannel channel = AnswerChannel::own;
};

}  // namespace wafertlm::config
