// SPDX-License-Identifier: Apache-2.0
#include "platform/explain/instant_source.h"

namespace wafertlm {
namespace {

std::string node_category(const chakra::Node& node) {
  using chakra::NodeType;
  switch (node.type) {
    case NodeType::Comp:
      return node.is_cpu_op ? "cpu" : "compute";
    case NodeType::CommColl:
      if (node.is_launch()) return "cpu";
      return node.comm_class.empty() ? chakra::kDefaultCollectiveClass : node.comm_class;
    case NodeType::CommSend:
    case NodeType::CommRecv:
      return node.comm_class.empty() ? chakra::kDefaultMessageClass : node.comm_class;
    case NodeType::MemLoad:
    case NodeType::MemStore:
      return "memory";
    case NodeType::Metadata:
    case NodeType::Invalid:
      break;
  }
  return "";
}

}  // namespace

bool InstantSource::next(chakra::Node& node) {
  if (!source_->next(node)) return false;
  if (node_category(node) != category_) return true;
  if (node.type == chakra::NodeType::Comp || node.is_launch()) {
    node.duration_ps = 0;
    node.num_ops = 0;
    node.tensor_size = 0;
    node.products.clear();
  } else if (node.tensor_size.value_or(0) != 0) {
    node.tensor_size = 1;
  }
  if (node.comm_size.value_or(0) != 0) node.comm_size = 1;
  return true;
}

}  // namespace wafertlm
