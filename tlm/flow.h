// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "tlm/data_type.h"
#include "tlm/fabric/wire_format.h"
#include "tlm/program.h"
#include "tlm/units.h"

namespace wafertlm {

/// Which in-network flow: the operation (the same number at all its ranks) and the number within it.
struct FlowKey {
  std::uint64_t operation = 0;
  std::uint64_t number = 0;  ///< Step::tag

  bool operator==(const FlowKey& other) const {
    return operation == other.operation && number == other.number;
  }
  bool operator<(const FlowKey& other) const {
    return std::tie(operation, number) < std::tie(other.operation, other.number);
  }
};

/// An in-network flow that has been admitted. Every contributor sends `packets` packets; switches make one of
/// those with the same number, and every receiver gets it. Packets point to it from injection to delivery.
struct Flow {
  FlowKey key;
  ClassId traffic_class{};
  DataType data_type{};
  std::uint64_t bytes = 0;    ///< of the vector
  std::uint64_t packets = 0;  ///< from each contributor
  std::uint32_t slot = 0;     ///< its number among the flows of this moment, for tables
  // With Go-Back-N: packets may come again, and answers go the other way.
  const AnswerFormat* answers = nullptr;  ///< null: off
  bool open = false;                      ///< it has not been closed yet
  mutable std::uint64_t in_flight = 0;    ///< packets and answers of it that exist
  mutable TimePs rest_ps = 0;             ///< the last room of theirs is free
};

/// What a flow does at a switch: one packet of each input becomes one, and a copy of it goes to each output.
struct FlowLeg {
  std::vector<PortId> inputs, outputs;  ///< ascending
  AdditionOrder order;                  ///< one less than there are inputs
  std::optional<PortId> from_above;     ///< the input that depends on what other legs of the flow send up
};

/// Who waits to send into a flow.
class FlowParty {
 public:
  /// The flow of the entry with `token` has its room on the whole path: the party may send, with `room_bytes`
  /// of its own in the first switch. 0: no room is reserved (tests only).
  virtual void flow_granted(const Flow& flow, std::uint64_t room_bytes, std::uint64_t token, TimePs now) = 0;

 protected:
  ~FlowParty() = default;
};

/// A contributor that is ready to send into a flow.
struct FlowEntry {
  FlowKey key;
  const StepSource* program = nullptr;  ///< knows the members of its flows; valid during the call
  const Group* group = nullptr;         ///< the same
  NpuId npu{};
  ClassId traffic_class{};
  DataType data_type{};
  std::uint64_t bytes = 0;
  FlowParty* party = nullptr;
  std::uint64_t token = 0;
};

/// Admits flows to a fabric. A receiver needs no entry: endpoints always accept.
class FlowControl {
 public:
  /// The answer is flow_granted(), not from within this call.
  virtual void enter(const FlowEntry& entry, TimePs now) = 0;
  /// Of a reliable flow: a contributor knows that all receivers have everything.
  virtual void contributed(const Flow&, TimePs /*at*/) {}
  /// … the last of its packets in flight is gone.
  virtual void at_rest(const Flow&, TimePs /*at*/) {}

 protected:
  ~FlowControl() = default;
};

}  // namespace wafertlm
