// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tlm/program/program.h"

namespace wafertlm {

/// A bit of a message that changes on its way. Sender and receiver are positions in the group.
struct BitFlip {
  std::uint32_t sender = 0, receiver = 0;
  std::uint64_t tag = 0;   ///< the message: Step::tag, unique per pair and direction
  std::uint64_t byte = 0;  ///< in the message
  std::uint32_t bit = 0;   ///< 0 to 7
};

using Buffers = std::vector<std::vector<std::byte>>;  ///< by rank

/// What a run starts from.
struct UntimedStart {
  Buffers buffers;                              ///< each of program.buffer_bytes
  std::vector<std::vector<BufferPiece>> holds;  ///< by rank: what of it is defined
};

/// Runs the programs of all ranks without time or fabric, message by message, in an order that `seed`
/// shuffles, and returns the buffers. The rules are the endpoint's: threadblocks side by side, a send reads
/// its bytes at some time before it is done, data that comes early waits.
/// @throws std::logic_error, naming rank, threadblock and step: a deadlock; a message whose size differs from
/// its step's; two messages with one tag; one that nobody receives; a step outside the buffer; bytes that are
/// sent or added to before they hold anything; bytes that are written while they are sent.
/// @throws std::invalid_argument if no message carries the flipped bit.
Buffers run_untimed(const CollectiveProgram& program, UntimedStart start, std::uint64_t seed = 0,
                    const std::optional<BitFlip>& flip = std::nullopt);

}  // namespace wafertlm
