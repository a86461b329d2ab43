// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "workloads/pytorch/job_import.h"

namespace wafertlm::pytorch {
namespace {

constexpr std::uint64_t kPsPerNs = 1000;
constexpr const char* kDelay = "delay";

}  // namespace

void GraphSource::rewind() {
  position_ = 0;
  next_id_ = 1;
  delay_id_ = 0;
  std::fill(ids_.begin(), ids_.end(), 0);
}

/// What the item waits for, and when that was done.
void GraphSource::collect_parents(const Item& item, std::uint32_t index) {
  const Graph& graph = rank_.graph;
  parents_.clear();
  ready_ns_ = graph.start_ns - rank_.delay_ns;
  const auto add = [&](std::uint32_t parent) {
    parents_.push_back(ids_[parent]);
    ready_ns_ = std::max(ready_ns_, graph.items[parent].end_ns);
  };
  if (item.before != Item::kNone) add(item.before);
  auto edge = std::lower_bound(graph.edges.begin(), graph.edges.end(), std::pair(index, 0U));
  for (; edge != graph.edges.end() && edge->first == index; ++edge)
    if (edge->second != item.before) add(edge->second);
}

bool GraphSource::next(chakra::Node& node) {
  const Graph& graph = rank_.graph;
  if (position_ == graph.order.size()) return false;
  const std::uint32_t index = graph.order[position_];
  const Item& item = graph.items[index];
  if (delay_id_ == 0) collect_parents(item, index);
  node.clear();
  node.id = next_id_++;
  node.unit = item.unit;
  node.data_deps = parents_;
  if (delay_id_ == 0 && item.start_ns > ready_ns_) {
    node.type = chakra::NodeType::Comp;
    node.name = kDelay;
    node.is_cpu_op = true;
    node.duration_ps = static_cast<std::uint64_t>(item.start_ns - ready_ns_) * kPsPerNs;
    delay_id_ = node.id;
    item_ = Item::kNone;
    parents_.assign(1, node.id);
    return true;
  }
  fill(node, item);
  ids_[index] = node.id;
  item_ = index;
  delay_id_ = 0;
  ++position_;
  return true;
}

void GraphSource::fill(chakra::Node& node, const Item& item) const {
  using chakra::NodeType;
  node.name = rank_.graph.names[item.name];
  node.duration_ps =
      static_cast<std::uint64_t>(std::max<std::int64_t>(item.end_ns - item.start_ns, 0)) * kPsPerNs;
  node.type = NodeType::Comp;
  node.is_cpu_op = !item.on_device;
  if (item.communication == 0) return;
  const PlacedCommunication& placed = rank_.placed[item.communication - 1];
  node.type = placed.kind.type;
  node.comm_size = placed.bytes;
  if (node.type == NodeType::CommColl) {
    node.comm_type = placed.kind.collective;
    node.pg_name = placed.group;
    node.send_bytes = placed.send_bytes;
    node.receive_bytes = placed.receive_bytes;
  } else if (node.type == NodeType::CommSend) {
    node.comm_src = rank_.rank;
    node.comm_dst = placed.peer;
  } else {
    node.comm_src = placed.peer;
    node.comm_dst = rank_.rank;
  }
}

}  // namespace wafertlm::pytorch
