// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tlm/kernel/units.h"
#include "tlm/packets/message.h"

namespace wafertlm {

/// A message for a MessageCarrier.
struct CarriedMessage {
  MessageKey key;
  std::uint64_t bytes = 0;
  NpuId destination{};
  std::uint32_t record = 0;  ///< by which the network knows it
};

/// Moves whole messages from NPU to NPU in place of MessageNetwork's own links. It tells the network of each
/// when it has left and when it is there (MessageNetwork::message_left(), message_arrived()), not from within
/// carry().
class MessageCarrier {
 public:
  virtual void carry(const CarriedMessage& message, TimePs now) = 0;

 protected:
  ~MessageCarrier() = default;
};

}  // namespace wafertlm
