// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/volumes.h"

#include "tlm/kernel/units.h"

namespace wafertlm::training {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

std::uint64_t part(std::uint64_t bytes, std::uint64_t num, std::uint64_t den) {
  return static_cast<std::uint64_t>(Uint128{bytes} * num / den);
}

std::uint64_t ring_bytes(const Node& node, std::uint32_t rank, const chakra::CommGroups& groups) {
  const auto& members = groups.ranks(node.pg_name);
  const std::uint64_t n = members.size(), bytes = node.comm_size.value_or(0);
  const bool is_root = members.front() == rank;
  switch (*node.comm_type) {
    case CollectiveType::AllReduce:
      return part(bytes, 2 * (n - 1), n);
    case CollectiveType::AllGather:
      return bytes * (n - 1);
    case CollectiveType::ReduceScatter:
    case CollectiveType::ReduceScatterBlock:
    case CollectiveType::AllToAll:
      return part(bytes, n - 1, n);
    case CollectiveType::Broadcast:
      return is_root && n > 1 ? bytes : 0;
    case CollectiveType::Scatter:
      return is_root ? part(bytes, n - 1, n) : 0;
    case CollectiveType::Reduce:
      return is_root ? 0 : bytes;
    case CollectiveType::Gather:
      return is_root ? 0 : part(bytes, 1, n);
    case CollectiveType::Barrier:
      break;
  }
  return 0;
}

unsigned log2_floor(std::uint64_t value) {
  return value == 0 ? 0 : 63U - static_cast<unsigned>(__builtin_clzll(value));
}

void add_stream(ClassVolume& of, const Node& node, bool is_first) {
  const bool comes_in = node.comm_type == CollectiveType::Broadcast;
  const std::uint64_t bytes = node.comm_size.value_or(0);
  (comes_in ? of.streamed_in_bytes : of.streamed_out_bytes) += bytes;
  if (is_first) (comes_in ? of.io_in_bytes : of.io_out_bytes) += bytes;
}

}  // namespace

Volumes volumes_of(chakra::NodeSource& source, std::uint32_t rank, const chakra::CommGroups& groups) {
  Volumes volumes;
  Node node;
  while (source.next(node)) {
    ++volumes.nodes;
    if (node.type == NodeType::Comp) {
      volumes.operations += node.num_ops.value_or(0);
      volumes.compute_ps += node.duration_ps;
    }
    if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore) {
      AccessVolume& of = node.type == NodeType::MemLoad ? volumes.loads : volumes.stores;
      ++of.operations;
      of.bytes += node.tensor_size.value_or(0);
    }
    const bool is_message = node.type == NodeType::CommSend || node.type == NodeType::CommRecv;
    if (!is_message && !node.is_collective()) continue;
    const char* const otherwise = is_message ? chakra::kDefaultMessageClass : chakra::kDefaultCollectiveClass;
    ClassVolume& of = volumes.classes[node.comm_class.empty() ? otherwise : node.comm_class];
    ++of.operations;
    ++of.by_size[log2_floor(node.comm_size.value_or(0))];
    if (node.io_stream)
      add_stream(of, node, groups.ranks(node.pg_name).front() == rank);
    else if (node.is_collective())
      of.sent_bytes += ring_bytes(node, rank, groups);
    else if (node.type == NodeType::CommSend)
      of.sent_bytes += node.comm_size.value_or(0);
  }
  return volumes;
}

}  // namespace wafertlm::training
