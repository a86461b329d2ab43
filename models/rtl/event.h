// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/program/data_type.h"
#include "tlm/program/program.h"

namespace wafertlm {

/// What the header of a packet says in its 16 bits for the flow. Packets of messages have bit 15 set, the
/// priority of their class (7 at most) in bits 14 … 12 and the output in bits 7 … 0: a switch routes them as
/// they come. Else it is an entry of the switch's configuration table: a branch of an in-network flow, opened
/// before its first packet.
struct RtlEntry {
  static constexpr std::uint32_t kMessage = 0x8000;
  static std::uint32_t of_message(std::uint32_t output, std::uint32_t priority) {
    return kMessage | (priority < 7 ? priority : 7) << 12 | output;
  }
  static bool is_message(std::uint32_t number) { return (number & kMessage) != 0; }
  static std::uint32_t output_of(std::uint32_t message) { return message & 0xff; }

  std::uint32_t number = 0;
  std::uint32_t channel = 0;
  std::uint32_t priority = 0;  ///< of the traffic class
  std::uint64_t first = 0;     ///< sequence number of its first packet; an entry that is used again counts on
  std::uint64_t packets = 0;   ///< that the flow has here
  std::uint32_t from_above = 0;  ///< 1 + the input that depends on what other branches send up; 0: none
  std::vector<std::uint32_t> inputs, outputs;
  AdditionOrder order;  ///< of the positions of inputs
  DataType data_type = DataType::int32;
};

/// Whose packet it is, for people: the RTL sees nothing of it.
struct RtlOrigin {
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  std::uint32_t source = kNobody;       ///< NPU
  std::uint32_t destination = kNobody;  ///< … nobody of an in-network flow
  std::uint64_t collective = 0;         ///< its number; 0: a message of its own
  std::uint64_t step = 0;               ///< tag of the message, or number of the flow, in the collective
  std::uint64_t packet = 0;             ///< of its message, flow or source
};

/// When the flits of a packet come whose tail was not known when its head came.
struct RtlFlitTimes {
  std::vector<TimePs> at_ps;  ///< so far
  TimePs tail_ps = kNever;    ///< kNever: not known yet
};

/// What happened at a switch; what a recording consists of.
struct RtlEvent {
  enum class Kind : std::uint8_t {
    open,    ///< the branch `entry` is there from now on
    arrive,  ///< a packet comes: its head at head_ps, its tail at tail_ps, or by flit_times
    credit,  ///< room of `flits` behind output `port` is free at head_ps
    leave,   ///< the model has sent a packet: its head leaves at head_ps, its tail by tail_ps
  };
  Kind kind{};
  TimePs now_ps = 0;  ///< when it was known
  RtlEntry entry = {};
  std::uint32_t port = 0, channel = 0;
  std::uint32_t flow = 0;  ///< number of the entry
  std::uint64_t sequence = 0;
  std::uint32_t bytes = 0;  ///< payload
  std::uint32_t flits = 0;
  TimePs head_ps = 0, tail_ps = 0;
  /// Of what arrives flit by flit; null: the flits are evenly spread from head to tail.
  std::shared_ptr<RtlFlitTimes> flit_times = {};
  std::optional<RtlOrigin> origin = {};  ///< of what arrives
  std::vector<std::byte> data = {};      ///< empty: made up, see made_up_data()
};

/// Values for packets of runs that carry none: the same for the same arguments. At one place of all inputs of
/// a packet are values that hurt together: of INT32 carries over all bits and changes of sign; of BF16
/// subnormal numbers, infinities, NaNs, sums that overflow or cancel.
std::vector<std::byte> made_up_data(DataType type, std::uint32_t flow, std::uint64_t sequence,
                                    std::uint32_t input, std::uint32_t bytes);

}  // namespace wafertlm
