// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/validate.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "workloads/chakra/communication.h"
#include "workloads/chakra/graph.h"

namespace wafertlm::chakra {
namespace {

constexpr std::size_t kMostNamed = 5;      // missing dependencies in a message
constexpr std::size_t kLongestCycle = 10;  // nodes of a cycle in a message

/// One pass over the nodes of one rank.
class RankChecker {
 public:
  RankChecker(NodeSource& source, std::uint32_t rank, const CommGroups& groups,
              const ValidateOptions& options)
      : source_(source), rank_(rank), groups_(groups), options_(options) {}

  RankCheck run() {
    source_.rewind();
    Node node;
    while (source_.next(node)) take(node);
    graph_.resolve();
    check_ids();
    check_missing();
    check_cycle();
    if (!anything_runs_) fail("nothing runs: no communication, no memory access, no compute with a duration");
    put_in_order();
    source_.rewind();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw TraceError(source_.name() + ": " + text); }
  [[noreturn]] void fail(const Node& node, const std::string& text) const {
    fail(describe(node) + ": " + text);
  }

  void take(const Node& node) {
    if (node.type == NodeType::Invalid) fail(node, "node type INVALID");
    TraceSummary& summary = result_.summary;
    ++summary.nodes;
    ++summary.by_type[static_cast<std::size_t>(node.type)];
    if (node.is_collective()) ++summary.collectives;
    if (node.is_launch()) ++summary.launches;
    if (node.is_cpu_op) ++summary.cpu_ops;
    if (node.type == NodeType::Comp &&
        __builtin_add_overflow(summary.comp_duration_ps, node.duration_ps, &summary.comp_duration_ps))
      fail(node, "the compute durations add up to more than simulated time can hold");
    anything_runs_ = anything_runs_ || runs(node);
    graph_.add(node);
    if (node.is_collective()) take_collective(node);
    if (node.type == NodeType::CommSend) take_message(node, node.comm_src, node.comm_dst);
    if (node.type == NodeType::CommRecv) take_message(node, node.comm_dst, node.comm_src);
  }

  static bool runs(const Node& node) {
    switch (node.type) {
      case NodeType::Invalid:
      case NodeType::Metadata:
        return false;
      case NodeType::Comp:
        return node.duration_ps > 0 || node.num_ops.value_or(0) > 0 || node.tensor_size.value_or(0) > 0;
      case NodeType::CommColl:
        return node.is_collective() || node.duration_ps > 0;
      default:
        return true;
    }
  }

  void take_collective(const Node& node) {
    bool holds = false;
    try {
      holds = groups_.holds(node.pg_name, rank_);
    } catch (const TraceError& error) {
      fail(node, error.what());
    }
    if (!holds) fail(node, "group \"" + node.pg_name + "\" does not hold rank " + std::to_string(rank_));
    Communication entry;
    entry.node = node.id;
    entry.collective = *node.comm_type;
    entry.group = groups_.canonical(node.pg_name);
    entry.bytes = node.comm_size.value_or(0);
    remember(std::move(entry));
  }

  void take_message(const Node& node, std::optional<std::uint32_t> self, std::optional<std::uint32_t> peer) {
    const bool sends = node.type == NodeType::CommSend;
    if (self.value_or(rank_) != rank_)
      fail(node, std::string(sends ? "sends from" : "receives at") + " rank " + std::to_string(*self) +
                     ", but this is the trace of rank " + std::to_string(rank_));
    if (!peer) fail(node, sends ? "a send without comm_dst" : "a receive without comm_src");
    if (*peer >= groups_.num_ranks())
      fail(node, "rank " + std::to_string(*peer) + " is not in this job of " +
                     std::to_string(groups_.num_ranks()) + " ranks");
    Communication entry;
    entry.node = node.id;
    entry.type = node.type;
    entry.bytes = node.comm_size.value_or(0);
    entry.peer = *peer;
    entry.tag = node.comm_tag.value_or(0);
    remember(std::move(entry));
  }

  void remember(Communication entry) {
    entry.position = result_.summary.nodes - 1;
    result_.communications.push_back(std::move(entry));
  }

  void check_ids() const {
    if (!graph_.duplicate()) return;
    std::string text = "two nodes have the id " + std::to_string(*graph_.duplicate()) + ":";
    Node node;
    source_.rewind();
    while (source_.next(node))
      if (node.id == *graph_.duplicate()) text += " " + describe(node);
    fail(text);
  }

  void check_missing() {
    const auto& missing = graph_.missing();
    for (const auto& entry : missing)
      ++(entry.control ? result_.summary.missing_ctrl_deps : result_.summary.missing_data_deps);
    if (missing.empty() || options_.accept_missing_dependencies) return;
    std::vector<std::uint64_t> children;
    for (const auto& entry : missing)
      if (children.size() < kMostNamed) children.push_back(entry.node);
    const auto names = describe_nodes(source_, children);
    std::string text = std::to_string(missing.size()) +
                       (missing.size() == 1 ? " dependency" : " dependencies") +
                       " on nodes that are not in the trace: ";
    for (std::size_t index = 0; index < names.size(); ++index)
      text += (index == 0 ? "" : ", ") + names[index] + " needs " + std::to_string(missing[index].parent);
    fail(text + (names.size() < missing.size() ? ", …" : "") +
         ". If the trace was filtered, accept missing dependencies: they then count as satisfied");
  }

  void check_cycle() const {
    std::vector<std::uint64_t> ids = graph_.cycle();
    if (ids.empty()) return;
    const std::size_t length = ids.size();
    const bool cut = length > kLongestCycle;
    if (cut) ids.resize(kLongestCycle);
    const auto names = describe_nodes(source_, ids);
    std::string text = length == 1 ? "a node needs itself: "
                                   : "a dependency cycle of " + std::to_string(length) + " nodes: ";
    for (const std::string& name : names) text += name + " needs ";
    fail(text + (cut ? "… needs " : "") + names.front());
  }

  /// File order → the order in which the rank must run them.
  void put_in_order() {
    const auto order = graph_.order();
    std::vector<std::size_t> when(order.size());
    for (std::size_t step = 0; step < order.size(); ++step) when[order[step]] = step;
    std::sort(result_.communications.begin(), result_.communications.end(),
              [&when](const Communication& a, const Communication& b) {
                return when[a.position] < when[b.position];
              });
  }

  NodeSource& source_;
  const std::uint32_t rank_;
  const CommGroups& groups_;
  const ValidateOptions& options_;
  DependencyGraph graph_;
  RankCheck result_;
  bool anything_runs_ = false;
};

}  // namespace

std::vector<std::string> describe_nodes(NodeSource& source, const std::vector<std::uint64_t>& ids) {
  std::unordered_map<std::uint64_t, std::string> names;
  for (const std::uint64_t id : ids) names.emplace(id, "node " + std::to_string(id));
  Node node;
  source.rewind();
  while (source.next(node)) {
    const auto wanted = names.find(node.id);
    if (wanted != names.end()) wanted->second = describe(node);
  }
  std::vector<std::string> result;
  result.reserve(ids.size());
  for (const std::uint64_t id : ids) result.push_back(names.at(id));
  return result;
}

RankCheck check_rank(NodeSource& source, std::uint32_t rank, const CommGroups& groups,
                     const ValidateOptions& options) {
  return RankChecker(source, rank, groups, options).run();
}

TraceSummary validate(NodeSource& source, std::uint32_t rank, const CommGroups& groups,
                      const ValidateOptions& options) {
  return check_rank(source, rank, groups, options).summary;
}

}  // namespace wafertlm::chakra
