// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/fabric/message.h"
#include "tlm/link/line.h"

namespace wafertlm {

struct MessageRank;

/// A message on its way, or something else that is due.
struct alignas(64) MessageRecord {
  enum class Event : std::uint8_t {
    launch,  ///< the costs of the sender are over
    reach,   ///< the head reaches a vertex on the way
    arrive,  ///< the tail is at its destination
    take,    ///< the costs of the receiver are over
    left,    ///< all has left the sender, who waits for that
    local,   ///< a step within a rank's own buffer is over
    done,    ///< all threadblocks of a rank are
  };
  MessageKey key;
  std::uint64_t bytes = 0;
  /// Who is told: the sender until the message leaves, then the receiver. Null: a point-to-point operation.
  MessageRank* rank = nullptr;
  std::uint64_t token = 0;  ///< of that operation
  std::uint32_t threadblock = 0, step = 0;
  std::uint32_t index = 0;  ///< of the record
  NpuId destination{};
  TimePs tail_ps = 0, ready_ps = 0;  ///< at the vertex it is at
  std::uint64_t port_order = 0;
  TimePs entered_ps = 0;  ///< when its stage began
  std::uint32_t vertex = 0;
  PsFraction head_fraction = 0;
  std::uint16_t input = 0;  ///< of the vertex
  ClassId traffic_class{};
  Event event{};
  bool nonblocking = false;
  bool reduces = false;
  std::unique_ptr<std::vector<std::byte>> data;  ///< functional mode
};

/// Records by number, used again last in first out. They do not move.
class MessageRecords {
 public:
  MessageRecord& acquire() {
    if (free_.empty()) grow();
    MessageRecord& record = (*this)[free_.back()];
    free_.pop_back();
    return record;
  }
  void release(MessageRecord& record) {
    record.data.reset();
    free_.push_back(record.index);
  }
  MessageRecord& operator[](std::uint32_t index) const { return blocks_[index / kBlock][index % kBlock]; }
  std::size_t in_use() const { return blocks_.size() * kBlock - free_.size(); }

 private:
  static constexpr std::uint32_t kBlock = 1024;
  void grow() {
    const auto first = static_cast<std::uint32_t>(blocks_.size() * kBlock);
    blocks_.push_back(std::make_unique<MessageRecord[]>(kBlock));
    for (std::uint32_t i = kBlock; i-- > 0;) {
      blocks_.back()[i].index = first + i;
      free_.push_back(first + i);
    }
  }
  std::vector<std::unique_ptr<MessageRecord[]>> blocks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace wafertlm
