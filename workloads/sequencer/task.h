// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node.h"

namespace wafertlm {

/// One node of a rank's trace, as the sequencer needs it.
struct Task {
  enum class Kind : std::uint8_t { none, compute, cpu, collective, send, receive, memory_load, memory_store };

  std::uint64_t id = 0;  ///< of the Chakra node
  std::string name;
  Kind kind = Kind::none;
  TimePs duration_ps = 0;               ///< as the trace has it
  std::uint64_t operations = 0;         ///< compute
  std::vector<MatrixProduct> products;  ///< compute
  std::uint32_t unit = 0;               ///< compute, cpu: see chakra::Node::unit
  chakra::CollectiveType collective{};
  bool io_stream = false;  ///< a collective through the I/O controllers, see chakra::Node::io_stream
  /// Collective: full vector per rank (all-gather: contribution × ranks); message, load or store: its size;
  /// compute: bytes it moves to and from the memory.
  std::uint64_t bytes = 0;
  std::uint32_t peer = 0;  ///< rank, for send and receive
  std::uint32_t tag = 0;
  /// Of a communication: the same at all ranks that take part, see chakra::CommunicationNumbers. The engine
  /// sets it.
  std::uint64_t number = 0;
  std::uint32_t priority = 0;      ///< larger goes first under IssueOrder::priority
  std::string group;               ///< canonical name
  std::uint32_t group_number = 0;  ///< CommGroups::number()
  std::string traffic_class;       ///< of the platform's table; "" for what does not use the fabric
};

/// Which of the ready tasks a free resource takes.
enum class IssueOrder : std::uint8_t {
  fifo,       ///< the one that has been ready longest (ties: file order)
  lifo,       ///< the one that became ready last
  priority,   ///< the highest comm_priority (0 if the node has none); of equals the first
  lowest_id,  ///< the one whose node has the lowest id
};

/// How a rank walks its trace.
struct SequencerParams {
  IssueOrder order = IssueOrder::fifo;
  /// Collectives, sends, loads and stores of a rank under way at a time, all together; 0: each for itself
  /// (SequencerEngine).
  std::uint32_t communications = 0;
  /// Nodes that are held at most; more only when all of these wait for one that was not read yet.
  std::uint32_t look_ahead = 16'384;
};

/// METADATA nodes, collectives of a group with one rank (streams aside), and loads and stores of no bytes
/// become tasks of kind `none`, which take no time. Requires a node that chakra::validate() accepted.
Task make_task(const chakra::Node& node, std::uint32_t rank, const chakra::CommGroups& groups);

/// `node 7 "name"`, for messages.
std::string describe(const Task& task);

}  // namespace wafertlm
