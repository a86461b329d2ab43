// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/node_builder.h"

#include "tlm/kernel/units.h"
#include "workloads/chakra/trace_error.h"

namespace wafertlm::training {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;

Node NodeBuilder::take() {
  Node node = std::move(made_.front());
  made_.pop_front();
  return node;
}

NodeIds NodeBuilder::everything() {
  NodeIds ids = last_;
  ids.insert(ids.end(), waits_.begin(), waits_.end());
  waits_.clear();
  return ids;
}

Node& NodeBuilder::add(NodeType type, const std::string& name, const NodeIds& after) {
  Node& node = made_.emplace_back();
  node.id = next_id_++;
  node.name = name + label_;
  node.type = type;
  node.data_deps = after;
  return node;
}

Node& NodeBuilder::computation(const std::string& what, std::uint64_t operations,
                               std::vector<MatrixProduct> products) {
  Node& node = add(NodeType::Comp, what, everything());
  set_operations(node, operations);
  node.products = std::move(products);
  last_ = {node.id};
  return node;
}

std::uint64_t NodeBuilder::aside(const std::string& what, std::uint64_t operations, const NodeIds& after) {
  Node& node = add(NodeType::Comp, what, after);
  set_operations(node, operations);
  return node.id;
}

void NodeBuilder::set_operations(Node& node, std::uint64_t operations) const {
  node.num_ops = operations;
  if (effective_rate_ == 0) return;
  const Uint128 duration_ps = (Uint128{operations} * kPsPerSecond + effective_rate_ - 1) / effective_rate_;
  if (duration_ps >> 63 != 0)
    throw chakra::TraceError(name_ + ": " + node.name +
                             " takes longer than the 106 days that simulated time can hold");
  node.duration_ps = static_cast<std::uint64_t>(duration_ps);
}

Node& NodeBuilder::communication(NodeType type, const std::string& what, const char* traffic_class,
                                 std::uint64_t bytes, const NodeIds& after) {
  Node& node = add(type, what, after);
  node.comm_size = bytes;
  node.comm_class = traffic_class;
  return node;
}

std::uint64_t NodeBuilder::collective(CollectiveType type, const std::string& what, const char* traffic_class,
                                      const std::string& group, std::uint64_t bytes, const NodeIds& after) {
  Node& node = communication(NodeType::CommColl, what, traffic_class, bytes, after);
  node.comm_type = type;
  node.pg_name = group;
  return node.id;
}

std::uint64_t NodeBuilder::stream(bool comes_in, const std::string& what, const char* traffic_class,
                                  const std::string& group, std::uint64_t bytes, const NodeIds& after) {
  const std::uint64_t id = collective(comes_in ? CollectiveType::Broadcast : CollectiveType::Reduce, what,
                                      traffic_class, group, bytes, after);
  made_.back().io_stream = true;
  return id;
}

std::uint64_t NodeBuilder::access(bool load, const std::string& what, std::uint64_t bytes,
                                  const NodeIds& after) {
  Node& node = add(load ? NodeType::MemLoad : NodeType::MemStore, (load ? "load " : "store ") + what, after);
  node.tensor_size = bytes;
  return node.id;
}

}  // namespace wafertlm::training
