// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "tlm/kernel/units.h"
#include "tlm/packets/bit_errors.h"
#include "tlm/packets/wire_format.h"

namespace wafertlm {

/// What a DMA engine takes next when it has sent a packet.
enum class InjectionOrder : std::uint8_t {
  packet,   ///< one of the message of its class that has waited longest: messages take turns
  message,  ///< the next of the same message, as engines do that finish a descriptor before the next one
};

struct MemoryTrafficParams {
  std::uint32_t chunk_bytes = 65'536;  ///< of an access; best the memory's largest request
  std::uint64_t read_ahead_bytes = std::uint64_t{16} * 65'536;  ///< read and not sent yet, per message
};

struct ReliabilityParams {
  BitErrors errors;               ///< of the link into the fabric
  std::uint32_t ack_every = 16;   ///< packets that one ACK covers
  std::uint32_t window = 256;     ///< packets of a message on their way
  TimePs timeout_ps = 5'000'000;  ///< without an answer; doubled each time in a row
  AnswerFormat answers;
};

/// What a message costs at its ends, beyond the fabric.
struct EndpointParams {
  TimePs launch_cost_ps = 0;   ///< from the start of a collective at an NPU to its first step there
  TimePs step_cost_ps = 0;     ///< DMA set-up: from the start of a send to its first byte
  TimePs receive_cost_ps = 0;  ///< from the message's end (its step posted) to the end of the receive
  std::uint64_t reduction_bytes_per_s = 0;  ///< a reduction reads twice and writes once at it; 0: free
  /// What is sent is read, what is received written; none: free.
  std::optional<MemoryTrafficParams> memory_traffic;
  std::optional<ReliabilityParams> reliability;  ///< Go-Back-N; none: the fabric makes no errors
};

/// A fault put into one packet on purpose, where it leaves its NPU.
struct FaultParams {
  enum class Kind : std::uint8_t {
    flip_bit,     ///< the packet carries a wrong bit from here on
    drop_packet,  ///< the packet vanishes; its room in the next buffer is given back
  };
  Kind kind = Kind::flip_bit;
  NpuId from{};
  std::optional<NpuId> to;   ///< none: into in-network flows
  std::uint64_t packet = 1;  ///< the so-many-th from `from` to `to`, in the order in which they leave, from 1
  std::optional<std::uint64_t> bit;  ///< flip_bit: of the payload; bit b of byte n is number 8 n + b
};

}  // namespace wafertlm
