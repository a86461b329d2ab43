// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/messages/message_rules.h"
#include "tlm/link/line.h"
#include "tlm/link/switch_core.h"
#include "tlm/packets/class_table.h"
#include "tlm/packets/message.h"
#include "tlm/packets/wire_format.h"

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
  NpuId destination{};
  std::uint32_t index = 0;  ///< of the record
  std::uint64_t bytes = 0;
  /// Who is told: the sender until the message leaves, then the receiver. Null: a point-to-point operation.
  MessageRank* rank = nullptr;
  std::uint64_t token =
      0;  ///< of that operation; of a collective the step, of the sender, then of the receiver
  std::uint32_t threadblock = 0;
  ClassId traffic_class{};
  Event event{};
  bool nonblocking = false;
};
static_assert(sizeof(MessageRecord) == 64, "a line of the cache");

/// What a message has beside its record where MessagePorts carry it, and in functional mode.
struct alignas(64) MessageWay {
  TimePs tail_ps = 0, ready_ps = 0;  ///< at the vertex it is at
  std::uint64_t port_order = 0;
  TimePs entered_ps = 0;  ///< when its stage began
  std::uint32_t vertex = 0;
  PsFraction head_fraction = 0;
  std::uint16_t input = 0;                       ///< of the vertex
  bool in_flow = false;                          ///< part of an in-network flow (MessageFlows)
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
  void release(MessageRecord& record) { free_.push_back(record.index); }
  MessageRecord& operator[](std::uint32_t index) const { return blocks_[index / kBlock][index % kBlock]; }
  MessageWay& way(const MessageRecord& record) const {
    auto& block = ways_[record.index / kBlock];
    if (!block) block = std::make_unique<MessageWay[]>(kBlock);
    return block[record.index % kBlock];
  }
  std::size_t in_use() const { return blocks_.size() * kBlock - free_.size(); }

 private:
  static constexpr std::uint32_t kBlock = 1024;
  void grow() {
    const auto first = static_cast<std::uint32_t>(blocks_.size() * kBlock);
    blocks_.push_back(std::make_unique<MessageRecord[]>(kBlock));
    ways_.emplace_back();
    for (std::uint32_t i = kBlock; i-- > 0;) {
      blocks_.back()[i].index = first + i;
      free_.push_back(first + i);
    }
  }
  std::vector<std::unique_ptr<MessageRecord[]>> blocks_;
  mutable std::vector<std::unique_ptr<MessageWay[]>> ways_;  // null: of no record there is one yet
  std::vector<std::uint32_t> free_;
};

/// Where the messages of one vertex wait for one of its links, and the link.
struct alignas(64) MessagePort {
  /// A message that begins here: the smaller port_order, then whose stage began first, then the operation,
  /// the threadblock and the order of the calls.
  struct Own {
    std::uint32_t after_priority;  // the smaller, the higher
    std::uint32_t threadblock;
    std::uint64_t port_order;
    TimePs entered_ps;
    std::uint64_t operation;
    std::uint32_t order;
    std::uint32_t record;
    /// For the standard heap, whose front is the last by this order.
    bool operator<(const Own& other) const;
  };
  Line line{1};
  TimePs latency_ps = 0;
  std::uint64_t flow_bytes_per_s = 0;  // what in-network flows get of the line; 0: there are none
  std::uint32_t vertex = 0, to_vertex = 0;
  std::uint16_t output = 0, to_input = 0;
  std::uint16_t inputs = 0;            // of the vertex; those that begin here count as one more
  std::uint16_t next_input = 0;        // round-robin
  bool is_due = false;                 // is asked to choose at the end of this instant
  bool is_awaited = false;             // a wake-up comes when the line is free
  std::vector<Own> own;                // heap
  std::vector<std::uint32_t> passing;  // records
  TimePs cut_free_ps = 0;              // with a time step in place of the line's
  std::uint64_t packets = 0, payload_bytes = 0, wire_bytes = 0;

  /// Hints, in this order.
  void prefetch() const {
    for (std::size_t k = 0; k < sizeof(MessagePort); k += 64)
      __builtin_prefetch(reinterpret_cast<const char*>(this) + k);
  }
  void prefetch_waiting() const {
    __builtin_prefetch(own.data());
    __builtin_prefetch(own.data() + own.size() / 2);
    __builtin_prefetch(own.data() + own.size());
  }
  bool is_waiting() const { return !own.empty() || !passing.empty(); }
  void list_state(StateVisitor& state) {
    state.require(!is_waiting() && !is_due && !is_awaited);
    line.list_state(state);
    state.deadline(cut_free_ps);
    state.value(next_input);
    state.count(packets);
    state.count(payload_bytes);
    state.count(wire_bytes);
  }
};

/// The links of a fabric that carries whole messages: ports by vertex. A message is one packet, so a hop is
///   start = max(head in, line free),  line free = start + bytes / bandwidth,
///   tail out = max(line free, tail in);  next vertex: head = start + latency, tail = tail out + latency,
/// the arithmetic of SwitchCore with all the room in the world behind every link. With store and forward the
/// head is where the tail is.
class MessagePorts {
 public:
  MessagePorts(const WireFormat& format, const ClassTable& classes, const MessageRecords& records,
               const MessageRules& rules = {})
      : format_(format), classes_(classes), records_(records), rules_(rules) {}

  /// The next vertex; `routes` chooses among its links. NPUs come first.
  void add_vertex(const RouteFunction& routes, std::uint32_t links);
  /// To the input of that number of vertex `to`. Every link must be set.
  void set_link(std::uint32_t from, PortId output, const OutputParams& params, std::uint32_t to,
                PortId input);

  /// The link carries in-network flows, at this rate.
  void set_flow_rate(std::uint32_t from, PortId output, std::uint64_t bytes_per_s) {
    ports_[number_of(from, output)].flow_bytes_per_s = bytes_per_s;
  }

  std::uint32_t vertices() const { return static_cast<std::uint32_t>(vertices_.size()); }
  MessagePort& port(std::uint32_t number) { return ports_[number]; }
  const MessagePort& port(std::uint32_t number) const { return ports_[number]; }
  std::uint32_t number_of(std::uint32_t vertex, PortId output) const {
    return vertices_[vertex].first_port + static_cast<std::uint32_t>(output);
  }
  /// Puts the message where it waits at its vertex; returns the port's number.
  std::uint32_t put(MessageRecord& message, bool begins_here, std::uint32_t order);
  /// The message whose turn it is; null if none waits.
  MessageRecord* choose(MessagePort& port);
  /// It leaves now; its times become those at the next vertex. Returns when the line is free.
  TimePs send(MessagePort& port, MessageRecord& message, TimePs now, bool begins_here);
  TimePs free_ps(const MessagePort& port) const {
    return rules_.time_step_ps == 0 ? port.line.free_ps() : port.cut_free_ps;
  }
  std::uint64_t wire_bytes(std::uint64_t bytes) const;
  bool at_rest() const;
  void list_state(StateVisitor& state) {
    for (MessagePort& port : ports_) port.list_state(state);
  }

 private:
  MessageRecord* choose_own(MessagePort& port);
  TimePs reach_next(const MessagePort& port, MessageWay& way, TimePs free_ps) const;
  TimePs send_cut(MessagePort& port, MessageWay& way, TimePs now, std::uint64_t wire) const;

  struct Vertex {
    const RouteFunction* routes;
    std::uint32_t first_port;
    std::uint16_t links;  // in each direction
  };
  const WireFormat format_;
  const ClassTable& classes_;
  const MessageRecords& records_;
  const MessageRules rules_;
  std::vector<Vertex> vertices_;
  std::vector<MessagePort> ports_;
  Packet probe_;  // asks for routes
};

}  // namespace wafertlm
