// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/node_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace wafertlm::chakra {
namespace {

constexpr double kLongestSumPs = 0x1p63;

}  // namespace

void NodeChecker::fail(const Node& node, const std::string& text) const {
  throw TraceError(name_ + ": " + describe(node) + ": " + text);
}

void NodeChecker::fail_time(const Node& node) const {
  fail(node, "with this one the durations add up to more than the 106 days that simulated time can hold");
}

std::optional<Communication> NodeChecker::take(const Node& node) {
  if (node.type == NodeType::Invalid) fail(node, "node type INVALID");
  count(node);
  take_time(node);
  if (runs(node))
    anything_runs_ = true;
  else if (!idle_)
    idle_ = node;
  if (node.is_collective()) return take_collective(node);
  if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore) {
    check_bytes(node, node.tensor_size.value_or(0), 1);
    summary_.memory_bytes += node.tensor_size.value_or(0);
  }
  if (node.type == NodeType::CommSend) return take_message(node, node.comm_src, node.comm_dst);
  if (node.type == NodeType::CommRecv) return take_message(node, node.comm_dst, node.comm_src);
  return std::nullopt;
}

void NodeChecker::count(const Node& node) {
  ++summary_.nodes;
  ++summary_.by_type[static_cast<std::size_t>(node.type)];
  if (node.is_collective()) ++summary_.collectives;
  if (node.is_launch()) ++summary_.launches;
  if (node.is_cpu_op) ++summary_.cpu_ops;
  if (node.type == NodeType::Comp &&
      __builtin_add_overflow(summary_.comp_duration_ps, node.duration_ps, &summary_.comp_duration_ps))
    fail_time(node);
}

/// Of a rank's two units neither may be busy for longer than simulated time can hold.
void NodeChecker::take_time(const Node& node) {
  if (node.type != NodeType::Comp && !node.is_launch()) return;
  double& sum = node.is_cpu_op || node.is_launch() ? cpu_ps_ : compute_ps_;
  try {
    sum += options_.longest_ps ? options_.longest_ps(node) : static_cast<double>(node.duration_ps);
  } catch (const std::invalid_argument& error) {
    fail(node, error.what());
  }
  if (sum >= kLongestSumPs) fail_time(node);
}

void NodeChecker::check_bytes(const Node& node, std::uint64_t bytes, std::uint64_t times) const {
  if (bytes <= options_.max_bytes / times) return;
  fail(node, fmt::format("{} B{}{}{} B)", bytes, times > 1 ? fmt::format(" from each of {}", times) : "",
                         options_.max_bytes_of.empty() ? " is more than any machine holds (at most "
                                                       : " does not fit " + options_.max_bytes_of + " (",
                         options_.max_bytes));
}

/// Notes the class; `or_else` is what a node that names none counts as.
std::uint8_t NodeChecker::take_class(const Node& node, const char* or_else) {
  const std::string name = node.comm_class.empty() ? or_else : node.comm_class;
  auto& known = classes_;
  const auto found = std::find(known.begin(), known.end(), name);
  const auto number = static_cast<std::size_t>(found - known.begin());
  if (found != known.end()) return static_cast<std::uint8_t>(number);
  const auto& allowed = options_.classes;
  if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
    std::string there;
    for (const std::string& each : allowed) there += (there.empty() ? "" : ", ") + each;
    fail(node, "the platform has no traffic class \"" + printable(name) + "\"" +
                   (node.comm_class.empty() ? ", as which a node counts that names none" : "") + "; it has " +
                   there);
  }
  if (number > std::numeric_limits<std::uint8_t>::max()) fail(node, "more than 256 traffic classes");
  known.push_back(name);
  summary_.classes.insert(name);
  return static_cast<std::uint8_t>(number);
}

Communication NodeChecker::take_collective(const Node& node) {
  bool holds = false;
  try {
    holds = groups_.holds(node.pg_name, rank_);
  } catch (const TraceError& error) {
    fail(node, error.what());
  }
  if (!holds) fail(node, fmt::format("group \"{}\" does not hold rank {}", printable(node.pg_name), rank_));
  Communication entry;
  entry.node = node.id;
  entry.collective = *node.comm_type;
  entry.io_stream = node.io_stream;
  entry.group = static_cast<std::uint32_t>(groups_.number(node.pg_name));
  entry.bytes = node.comm_size.value_or(0);
  const std::size_t ranks = groups_.ranks(node.pg_name).size();
  const bool gathers = entry.collective == CollectiveType::AllGather && !options_.max_bytes_of.empty();
  check_bytes(node, entry.bytes, gathers ? ranks : 1);
  summary_.collective_bytes += entry.bytes;
  if (node.io_stream) ++summary_.io_streams;
  if (ranks > 1 && !node.io_stream) ++summary_.by_collective[static_cast<std::size_t>(entry.collective)];
  entry.traffic_class = take_class(node, kDefaultCollectiveClass);
  return entry;
}

Communication NodeChecker::take_message(const Node& node, std::optional<std::uint32_t> self,
                                        std::optional<std::uint32_t> peer) {
  const bool sends = node.type == NodeType::CommSend;
  if (self.value_or(rank_) != rank_)
    fail(node, fmt::format("{} rank {}, but this is the trace of rank {}",
                           sends ? "sends from" : "receives at", *self, rank_));
  if (!peer) fail(node, sends ? "a send without comm_dst" : "a receive without comm_src");
  if (*peer >= groups_.num_ranks())
    fail(node, fmt::format("rank {} is not in this job of {} ranks", *peer, groups_.num_ranks()));
  Communication entry;
  entry.node = node.id;
  entry.type = node.type;
  entry.bytes = node.comm_size.value_or(0);
  entry.peer = *peer;
  entry.tag = node.comm_tag.value_or(0);
  check_bytes(node, entry.bytes, 1);
  summary_.message_bytes += entry.bytes;
  entry.traffic_class = take_class(node, kDefaultMessageClass);
  return entry;
}

bool NodeChecker::runs(const Node& node) const {
  switch (node.type) {
    case NodeType::Invalid:
    case NodeType::Metadata:
      return false;
    case NodeType::Comp:
      return node.duration_ps > 0 ||
             (!node.is_cpu_op &&
              (node.num_ops.value_or(0) > 0 || node.tensor_size.value_or(0) > 0 || !node.products.empty()));
    case NodeType::CommColl:
      if (node.is_launch()) return node.duration_ps > 0;
      return (node.comm_size.value_or(0) > 0 || node.comm_type == CollectiveType::Barrier) &&
             groups_.has(node.pg_name) && (node.io_stream || groups_.ranks(node.pg_name).size() > 1);
    case NodeType::MemLoad:
    case NodeType::MemStore:
      return node.tensor_size.value_or(0) > 0;
    default:
      return true;
  }
}

std::string NodeChecker::nothing_runs() const {
  std::string text = "nothing runs: ";
  if (!idle_) return text + "the trace has no nodes";
  const std::uint64_t nodes = summary_.nodes;
  text += (nodes == 1 ? "the only node, " : fmt::format("none of {} nodes takes time; the first, ", nodes)) +
          describe(*idle_) + ", is ";
  switch (idle_->type) {
    case NodeType::Comp:
      return text + (idle_->is_cpu_op ? "a CPU operation without a duration"
                                      : "a COMP without duration, operations or bytes");
    case NodeType::CommColl:
      if (idle_->is_launch()) return text + "the CPU side of a collective, without a duration";
      return fmt::format("{}{} of {} B in a group of {}{}", text, to_string(*idle_->comm_type),
                         idle_->comm_size.value_or(0), groups_.ranks(idle_->pg_name).size(),
                         groups_.ranks(idle_->pg_name).size() == 1 ? " rank" : " ranks");
    default:
      return text + to_string(idle_->type) + (idle_->type == NodeType::Metadata ? "" : " of 0 B");
  }
}

void NodeChecker::require_something_runs() const {
  if (!anything_runs_) throw TraceError(name_ + ": " + nothing_runs());
}

}  // namespace wafertlm::chakra
