// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <random>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::chakra::test {

/// Nodes that a trace can hold, with values of all sizes.
inline std::vector<Node> random_nodes(std::uint64_t count) {
  std::mt19937_64 random(20240607);
  const auto value = [&random] { return random() >> (random() % 64); };
  std::vector<Node> nodes;
  for (std::uint64_t id = 0; id < count; ++id) {
    Node node;
    node.id = id;
    node.name = "node " + std::to_string(id);
    node.type = static_cast<NodeType>(1 + random() % 7);
    node.duration_ps = value() >> 1U;
    node.is_cpu_op = random() % 2 == 0;
    for (auto* list : {&node.ctrl_deps, &node.data_deps}) list->resize(random() % 4, value());
    for (auto* number : {&node.num_ops, &node.tensor_size})
      if (random() % 2 == 0) *number = value();
    for (auto* number : {&node.comm_src, &node.comm_dst, &node.comm_tag, &node.comm_priority})
      *number = static_cast<std::uint32_t>(value());
    node.comm_size = value() >> 1U;
    if (node.type == NodeType::CommColl) node.comm_type = static_cast<CollectiveType>(random() % 10);
    if (node.comm_type == CollectiveType::AllToAll)
      for (auto* list : {&node.send_bytes, &node.receive_bytes}) list->resize(id % 5, value());
    if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore) node.tensor_size = value();
    node.products.resize(random() % 3, {value() | 1, value() | 1, value() | 1, value() | 1});
    node.pg_name = std::string(random() % 3, 'g');
    node.involved_dim.assign(random() % 5, random() % 2 == 0);
    node.comm_class = random() % 2 == 0 ? "ep" : "";
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace wafertlm::chakra::test
