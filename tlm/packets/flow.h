// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "tlm/kernel/units.h"
#include "tlm/packets/wire_format.h"
#include "tlm/program/data_type.h"
#include "tlm/program/program.h"

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
  /// Packets whose numbers are equal modulo this take the same way and stay in order; others need not.
  std::uint32_t stripes = 1;
  // With Go-Back-N: packets may come again, and answers go the other way.
  const AnswerFormat* answers = nullptr;  ///< null: off
  bool open = false;                      ///< it has not been closed yet
  mutable std::uint64_t in_flight = 0;    ///< packets and answers of it that exist
  mutable TimePs rest_ps = 0;             ///< the last room of theirs is free
  mutable std::uint64_t listed_from = 0;  ///< of SteadyStates: offsets of packets are listed from here

  std::uint32_t stripe_of(std::uint64_t sequence) const {
    return stripes == 1 ? 0 : static_cast<std::uint32_t>(sequence % stripes);
  }
};

/// A stripe of a flow: of its packets those with the numbers first, first + stride, …
struct FlowShare {
  std::uint32_t stride = 1;
  std::uint32_t first = 0;  ///< below stride

  std::uint64_t number(std::uint64_t position) const { return first + position * stride; }
  std::uint64_t position(std::uint64_t number) const { return stride == 1 ? number : number / stride; }
  std::uint64_t packets(std::uint64_t all) const { return all > first ? (all - first - 1) / stride + 1 : 0; }
};

/// What a flow does at a switch: one packet of each input becomes one, and a copy of it goes to each output.
struct FlowBranch {
  std::vector<PortId> inputs, outputs;  ///< ascending
  AdditionOrder order;                  ///< one less than there are inputs
  std::optional<PortId> from_above;     ///< the input that depends on what other branches of the flow send up
  FlowShare share = {};                 ///< of the flow's packets, that come here
};

/// Who waits to send into a flow.
class FlowParty {
 public:
  /// The flow of the entry with `token` has its room on the whole path: the party may send, with
  /// `credit_bytes` of its own in the first switch. 0: no room is reserved (tests only).
  virtual void flow_granted(const Flow& flow, std::uint64_t credit_bytes, std::uint64_t token,
                            TimePs now) = 0;
  /// Answer to FlowControl::ask(): the collective of the entry with `token` uses its flows, or it is done in
  /// steps of its endpoints. All ranks get the same answer. Nobody who does not ask gets one.
  virtual void flows_decided(bool /*in_network*/, std::uint64_t /*token*/, TimePs /*now*/) {}

 protected:
  ~FlowParty() = default;
};

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
  bool last_of_threadblock = false;  ///< the threadblock enters no other flow; see FlowControl::will_enter()
};

/// What came of flows that the switches could not carry beside others.
struct FlowConflictCounts {
  std::uint64_t flows = 0;       ///< that found no route when their turn came first
  std::uint64_t decomposed = 0;  ///< collectives that were done in steps of their endpoints instead
};

/// Admits flows to a fabric. A receiver needs no entry: endpoints always accept.
class FlowControl {
 public:
  /// A collective has begun at a rank, and so many of its threadblocks enter flows, the last step of each
  /// (the entry has FlowEntry::last_of_threadblock) and maybe others.
  virtual void will_enter(std::uint32_t /*threadblocks*/) {}
  /// The answer is flow_granted(), not from within this call.
  virtual void enter(const FlowEntry& entry, TimePs now) = 0;
  /// A rank whose program has endpoint_steps() asks before its first step; of the entry the flow is the
  /// collective's first one, and the bytes do not count. The answer is flows_decided(), not from within this
  /// call.
  virtual void ask(const FlowEntry& entry, TimePs now) = 0;
  /// Whether the collective was told to do without flows.
  virtual bool decomposed(std::uint64_t operation) const = 0;
  virtual FlowConflictCounts conflicts() const = 0;
  /// Of a reliable flow: a contributor knows that all receivers have everything.
  virtual void contributed(const Flow&, TimePs /*at*/) {}
  /// … the last of its packets in flight is gone.
  virtual void at_rest(const Flow&, TimePs /*at*/) {}

 protected:
  ~FlowControl() = default;
};

}  // namespace wafertlm
