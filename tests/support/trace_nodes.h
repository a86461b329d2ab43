// SPDX-License-Identifier: Apache-2.0
// Chakra nodes in a line each.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workloads/chakra/node.h"

namespace wafertlm::test {

using Parents = std::vector<std::uint64_t>;

inline chakra::Node make_node(std::uint64_t id, chakra::NodeType type, std::uint64_t duration_ps,
                              Parents parents) {
  chakra::Node node;
  node.id = id;
  node.name = "n" + std::to_string(id);
  node.type = type;
  node.duration_ps = duration_ps;
  node.data_deps = std::move(parents);
  return node;
}
inline chakra::Node compute(std::uint64_t id, std::uint64_t duration_ps, Parents parents = {}) {
  return make_node(id, chakra::NodeType::Comp, duration_ps, std::move(parents));
}
inline chakra::Node cpu(std::uint64_t id, std::uint64_t duration_ps, Parents parents = {}) {
  chakra::Node node = compute(id, duration_ps, std::move(parents));
  node.is_cpu_op = true;
  return node;
}
inline chakra::Node load(std::uint64_t id, std::uint64_t duration_ps, Parents parents = {}) {
  chakra::Node node = make_node(id, chakra::NodeType::MemLoad, duration_ps, std::move(parents));
  node.tensor_size = 64;
  return node;
}
inline chakra::Node store(std::uint64_t id, std::uint64_t duration_ps, Parents parents = {}) {
  chakra::Node node = load(id, duration_ps, std::move(parents));
  node.type = chakra::NodeType::MemStore;
  return node;
}
inline chakra::Node all_reduce(std::uint64_t id, std::uint64_t duration_ps, Parents parents = {},
                               std::uint64_t bytes = 64) {
  chakra::Node node = make_node(id, chakra::NodeType::CommColl, duration_ps, std::move(parents));
  node.comm_type = chakra::CollectiveType::AllReduce;
  node.comm_size = bytes;
  return node;
}
inline chakra::Node send(std::uint64_t id, std::uint32_t to, std::uint32_t tag, std::uint64_t duration_ps,
                         Parents parents = {}) {
  chakra::Node node = make_node(id, chakra::NodeType::CommSend, duration_ps, std::move(parents));
  node.comm_dst = to;
  node.comm_tag = tag;
  node.comm_size = 64;
  return node;
}
inline chakra::Node receive(std::uint64_t id, std::uint32_t from, std::uint32_t tag, Parents parents = {}) {
  chakra::Node node = make_node(id, chakra::NodeType::CommRecv, 0, std::move(parents));
  node.comm_src = from;
  node.comm_tag = tag;
  node.comm_size = 64;
  return node;
}

}  // namespace wafertlm::test
