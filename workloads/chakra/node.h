// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tlm/program/matrix_product.h"

namespace wafertlm::chakra {

/// Numbered as on the wire.
enum class NodeType : std::uint8_t {
  Invalid,
  Metadata,
  MemLoad,
  MemStore,
  Comp,
  CommSend,
  CommRecv,
  CommColl
};
constexpr std::size_t kNodeTypes = 8;

/// The longest duration that simulated time can hold: 106 days.
constexpr std::uint64_t kLongestPs = std::numeric_limits<std::int64_t>::max();

/// Numbered as on the wire.
enum class CollectiveType : std::uint8_t {
  AllReduce,
  Reduce,
  AllGather,
  Gather,
  Scatter,
  Broadcast,
  AllToAll,
  ReduceScatter,
  ReduceScatterBlock,
  Barrier
};
constexpr std::size_t kCollectiveTypes = 10;

/// Chakra's spelling: "COMM_COLL", "ALL_REDUCE".
const char* to_string(NodeType type);
const char* to_string(CollectiveType type);

/// Traffic classes of communications that name none.
constexpr const char* kDefaultCollectiveClass = "dp";
constexpr const char* kDefaultMessageClass = "pp";

/// One operation of one rank: what of a Chakra node matters to a simulation.
struct Node {
  std::uint64_t id = 0;
  std::string name;
  NodeType type = NodeType::Invalid;
  std::vector<std::uint64_t> ctrl_deps;  ///< ids of nodes that must be done before
  std::vector<std::uint64_t> data_deps;  ///< likewise
  /// From `wafertlm_duration_ps` if there, else duration_micros × 10^6. For a collective it is what the
  /// recording machine took, not what the simulated one takes. At most 2^63 - 1.
  std::uint64_t duration_ps = 0;
  bool is_cpu_op = false;
  std::optional<std::uint64_t> num_ops;      ///< COMP: arithmetic operations
  std::optional<std::uint64_t> tensor_size;  ///< COMP: bytes touched; MEM_LOAD, MEM_STORE: bytes moved

  /// COMP: the matrix products that num_ops are, `wafertlm_products`; empty: none, or the trace does not
  /// tell.
  std::vector<MatrixProduct> products;

  std::optional<CollectiveType> comm_type;  ///< COMM_COLL; absent: a launch, see is_launch()
  /// Bytes. All-gather: what each rank contributes; other collectives: the full local buffer.
  std::optional<std::uint64_t> comm_size;
  /// ALL_TO_ALL whose parts differ: bytes to and from each rank of the group, by position,
  /// `wafertlm_send_bytes` and `wafertlm_receive_bytes`. Both, or neither: all parts are equal.
  std::vector<std::uint64_t> send_bytes, receive_bytes;
  std::optional<std::uint32_t> comm_src;  ///< COMM_RECV: always there; COMM_SEND: absent means this rank
  std::optional<std::uint32_t> comm_dst;  ///< COMM_SEND: always there; COMM_RECV: absent means this rank
  std::optional<std::uint32_t> comm_tag;  ///< absent means 0
  std::optional<std::uint32_t> comm_priority;
  std::string pg_name;             ///< communicator, see CommGroups; "" means all ranks
  std::vector<bool> involved_dim;  ///< topology dimensions that take part; empty: all
  std::string comm_class;          ///< `wafertlm_class`: "mp", "dp", "pp", "ep" …; "" if the trace has none
  /// `wafertlm_io`: a stream through the I/O controllers. BROADCAST: from outside of the wafer to all ranks
  /// of the group; REDUCE: the sum of theirs to the outside. No rank is the root.
  bool io_stream = false;
  /// `wafertlm_unit`: the thread or stream that runs it. Computations of one unit run one at a time, of
  /// different units side by side; 0, of nodes that name none, is the rank's compute unit, or its CPU.
  std::uint32_t unit = 0;

  /// A collective that occupies the fabric.
  bool is_collective() const { return type == NodeType::CommColl && comm_type; }
  /// The CPU side of a collective (`c10d::allreduce_` in PyTorch traces): takes its duration on the CPU.
  bool is_launch() const { return type == NodeType::CommColl && !comm_type; }

  /// Makes it a default node again, keeping the memory of its lists.
  void clear();
};

/// `node 7 "name"` for messages; a long name is shortened.
std::string describe(const Node& node);

}  // namespace wafertlm::chakra
