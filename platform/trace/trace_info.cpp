// SPDX-License-Identifier: Apache-2.0
#include "platform/trace/trace_info.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/command/format.h"
#include "workloads/chakra/trace_file.h"

namespace wafertlm {
namespace {

void add(TraceInfo& info, const chakra::Node& node, std::uint64_t& compute_ps) {
  ++info.nodes;
  ++info.by_type[static_cast<std::size_t>(node.type)];
  info.dependencies += node.ctrl_deps.size() + node.data_deps.size();
  info.cpu_ops += node.is_cpu_op ? 1 : 0;
  info.launches += node.is_launch() ? 1 : 0;
  info.operations += node.num_ops.value_or(0);
  switch (node.type) {
    case chakra::NodeType::Comp:
      (node.is_cpu_op ? info.cpu_ps : compute_ps) += node.duration_ps;
      break;
    case chakra::NodeType::CommColl:
      if (node.is_launch()) {
        info.cpu_ps += node.duration_ps;
      } else {
        const char* const way = !node.io_stream                                       ? ""
                                : node.comm_type == chakra::CollectiveType::Broadcast ? " (streams in)"
                                                                                      : " (streams out)";
        auto& kind = info.collectives[to_string(*node.comm_type) + std::string(way)];
        ++kind.count;
        kind.bytes += node.comm_size.value_or(0);
      }
      break;
    case chakra::NodeType::CommSend:
      info.sent_bytes += node.comm_size.value_or(0);
      break;
    case chakra::NodeType::CommRecv:
      info.received_bytes += node.comm_size.value_or(0);
      break;
    case chakra::NodeType::MemLoad:
    case chakra::NodeType::MemStore:
      info.memory_bytes += node.tensor_size.value_or(0);
      break;
    case chakra::NodeType::Invalid:
    case chakra::NodeType::Metadata:
      break;
  }
}

std::string range(const std::string& least, const std::string& most) {
  return least == most ? least : least + " to " + most;
}

}  // namespace

TraceInfo read_info(const TraceJob& job) {
  TraceInfo info;
  for (const std::string& file : job.files) {
    const auto source = chakra::open_trace(file);
    chakra::Node node;
    std::uint64_t compute_ps = 0;
    const std::uint64_t before = info.nodes;
    while (source->next(node)) add(info, node, compute_ps);
    const std::uint64_t nodes = info.nodes - before;
    info.least_nodes = info.ranks == 0 ? nodes : std::min(info.least_nodes, nodes);
    info.most_nodes = std::max(info.most_nodes, nodes);
    info.least_compute_ps = info.ranks == 0 ? compute_ps : std::min(info.least_compute_ps, compute_ps);
    info.most_compute_ps = std::max(info.most_compute_ps, compute_ps);
    info.compute_ps += compute_ps;
    ++info.ranks;
  }
  return info;
}

std::string info_text(const TraceJob& job, const TraceInfo& info) {
  std::string text = fmt::format("{}\n", job.name);
  const auto row = [&text](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<16} {}\n", name, value);
  };
  row("ranks", job.is_whole ? std::to_string(info.ranks) : fmt::format("1 file, of rank {}", job.rank));
  row("nodes", fmt::format("{} ({} per rank), {} dependencies", info.nodes,
                           range(std::to_string(info.least_nodes), std::to_string(info.most_nodes)),
                           info.dependencies));
  for (std::size_t type = 0; type < info.by_type.size(); ++type)
    if (info.by_type[type] != 0)
      row(chakra::to_string(static_cast<chakra::NodeType>(type)), std::to_string(info.by_type[type]));
  for (const auto& [type, kind] : info.collectives)
    row("  " + type, fmt::format("{}, {} B in all", kind.count, kind.bytes));
  if (info.launches != 0) row("  launches", fmt::format("{} (CPU side of a collective)", info.launches));
  if (info.cpu_ops != 0)
    row("CPU operations", fmt::format("{}, {} in all", info.cpu_ops, format_time(info.cpu_ps)));
  row("compute",
      fmt::format("{} ps per rank ({})",
                  range(std::to_string(info.least_compute_ps), std::to_string(info.most_compute_ps)),
                  format_time(info.most_compute_ps)));
  if (info.operations != 0) row("operations", std::to_string(info.operations));
  if (info.sent_bytes != 0 || info.received_bytes != 0)
    row("messages", fmt::format("{} B sent, {} B received", info.sent_bytes, info.received_bytes));
  if (info.memory_bytes != 0) row("memory", fmt::format("{} B", info.memory_bytes));
  return text;
}

}  // namespace wafertlm
