// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/explain/instant_source.h"

#include <utility>

namespace wafertlm {
namespace {

/// Of what a rerun can make instant: "compute", or the traffic class; else "".
std::string node_category(const chakra::Node& node) {
  using chakra::NodeType;
  if (node.type == NodeType::Comp && !node.is_cpu_op) return "compute";
  if (node.is_collective())
    return node.comm_class.empty() ? chakra::kDefaultCollectiveClass : node.comm_class;
  if (node.type == NodeType::CommSend || node.type == NodeType::CommRecv)
    return node.comm_class.empty() ? chakra::kDefaultMessageClass : node.comm_class;
  return "";
}

}  // namespace

InstantSource::InstantSource(std::unique_ptr<chakra::NodeSource> source, std::string category)
    : ForwardingSource(*source), owned_(std::move(source)), category_(std::move(category)) {}

bool InstantSource::next(chakra::Node& node) {
  if (!source().next(node)) return false;
  if (node_category(node) != category_) return true;
  if (node.type == chakra::NodeType::Comp) {
    node.duration_ps = 0;
    node.num_ops = 0;
    node.tensor_size = 0;
    node.products.clear();
  } else if (node.comm_size.value_or(0) != 0) {
    node.comm_size = 1;
  }
  return true;
}

}  // namespace wafertlm
