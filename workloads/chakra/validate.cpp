// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/validate.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "workloads/chakra/communication.h"
#include "workloads/chakra/dependency_window.h"

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
    pass();
    find_missing();
    if (!missing_.empty()) {
      check_missing();
      // Once more, for the order that they leave when they count as satisfied from the start.
      TraceSummary counted = result_.summary;
      start_again();
      pass();
      counted.missing = std::move(result_.summary.missing);
      result_.summary = std::move(counted);
    }
    check_cycle();
    if (!anything_runs_) fail("nothing runs: no communication, no memory access, no compute with a duration");
    source_.rewind();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw TraceError(source_.name() + ": " + text); }
  [[noreturn]] void fail(const Node& node, const std::string& text) const {
    fail(describe(node) + ": " + text);
  }

  /// A node that came before a parent of its own.
  struct Held {
    std::uint64_t id = 0;
    std::vector<std::pair<std::uint64_t, bool>> parents;  // control?
    std::optional<Communication> communication;
    bool used = false;
  };

  void pass() {
    source_.rewind();
    Node node;
    while (source_.next(node)) {
      if (options_.dependencies == Dependencies::data) leave_out_control(node);
      take(node);
      put_in_order(node);
    }
    if (duplicate_) report_duplicate();
    for (const auto& [parent, times] : left_out_)
      if (!seen_.contains(parent)) result_.summary.missing_ctrl_deps += times;
  }

  void start_again() {
    result_ = {};
    seen_.clear();
    window_.clear();
    held_.clear();
    left_out_.clear();
    for (const auto& entry : missing_) window_.satisfy(entry.parent);
    for (const auto& entry : missing_) result_.summary.missing.push_back(entry.parent);
  }

  void leave_out_control(Node& node) {
    result_.summary.left_out_ctrl_deps += node.ctrl_deps.size();
    for (const std::uint64_t parent : node.ctrl_deps)
      if (!seen_.contains(parent)) ++left_out_[parent];
    node.ctrl_deps.clear();
  }

  void take(const Node& node) {
    communication_.reset();
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
    if (node.is_collective()) take_collective(node);
    if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore)
      summary.memory_bytes += node.tensor_size.value_or(0);
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
    entry.group = static_cast<std::uint32_t>(groups_.number(node.pg_name));
    entry.bytes = node.comm_size.value_or(0);
    result_.summary.collective_bytes += entry.bytes;
    if (groups_.ranks(node.pg_name).size() > 1)
      ++result_.summary.by_collective[static_cast<std::size_t>(entry.collective)];
    result_.summary.classes.insert(node.comm_class.empty() ? kDefaultCollectiveClass : node.comm_class);
    communication_ = entry;
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
    result_.summary.message_bytes += entry.bytes;
    result_.summary.classes.insert(node.comm_class.empty() ? kDefaultMessageClass : node.comm_class);
    communication_ = entry;
  }

  /// Done as soon as its parents are: nodes come out in the order that dependencies and then the file give.
  void put_in_order(const Node& node) {
    if (!seen_.insert(node.id)) {
      if (!duplicate_) duplicate_ = node.id;
      return;
    }
    std::uint32_t slot = static_cast<std::uint32_t>(held_.size());
    if (!free_.empty()) slot = free_.back();
    if (window_.add(slot, node) == 0) return finish(node.id, communication_);
    if (slot == held_.size())
      held_.emplace_back();
    else
      free_.pop_back();
    Held& held = held_[slot];
    held = {node.id, {}, communication_, true};
    for (const std::uint64_t parent : node.ctrl_deps)
      if (!window_.is_done(parent)) held.parents.emplace_back(parent, true);
    for (const std::uint64_t parent : node.data_deps)
      if (!window_.is_done(parent)) held.parents.emplace_back(parent, false);
    position_.resize(held_.size());
    position_[slot] = result_.summary.nodes;
  }

  void finish(std::uint64_t id, const std::optional<Communication>& communication) {
    if (communication) result_.communications.push_back(*communication);
    std::priority_queue<std::pair<std::uint64_t, std::uint32_t>,
                        std::vector<std::pair<std::uint64_t, std::uint32_t>>, std::greater<>>
        ready;
    const auto release = [&](std::uint32_t slot, bool is_ready) {
      if (is_ready) ready.emplace(position_[slot], slot);
    };
    window_.done(id, release);
    while (!ready.empty()) {
      const std::uint32_t slot = ready.top().second;
      ready.pop();
      const Held held = std::exchange(held_[slot], {});
      free_.push_back(slot);
      if (held.communication) result_.communications.push_back(*held.communication);
      window_.done(held.id, release);
    }
  }

  /// The held nodes in file order.
  std::vector<const Held*> held_in_order() const {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < held_.size(); ++slot)
      if (held_[slot].used) slots.push_back(slot);
    std::sort(slots.begin(), slots.end(),
              [this](std::uint32_t a, std::uint32_t b) { return position_[a] < position_[b]; });
    std::vector<const Held*> order;
    order.reserve(slots.size());
    for (const std::uint32_t slot : slots) order.push_back(&held_[slot]);
    return order;
  }

  void find_missing() {
    for (const Held* held : held_in_order())
      for (const auto& [parent, control] : held->parents) {
        if (seen_.contains(parent)) continue;
        missing_.push_back({held->id, parent});
        ++(control ? result_.summary.missing_ctrl_deps : result_.summary.missing_data_deps);
      }
  }

  void report_duplicate() const {
    std::string text = "two nodes have the id " + std::to_string(*duplicate_) + ":";
    Node node;
    source_.rewind();
    while (source_.next(node))
      if (node.id == *duplicate_) text += " " + describe(node);
    fail(text);
  }

  void check_missing() {
    const auto& missing = missing_;
    if (options_.dependencies == Dependencies::existing) return;
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
         ". If the trace was filtered, `dependencies: existing` counts them as satisfied" +
         (result_.summary.missing_data_deps == 0
              ? "; they are control dependencies, which in PyTorch traces name callers: "
                "`dependencies: data` leaves those out"
              : ""));
  }

  void check_cycle() const {
    std::vector<std::uint64_t> ids = cycle();
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

  /// The ids of a cycle, each needing the next and the last the first. What is held needs something that is
  /// held: going from parent to parent ends in a cycle.
  std::vector<std::uint64_t> cycle() const {
    const auto order = held_in_order();
    if (order.empty()) return {};
    std::unordered_map<std::uint64_t, const Held*> by_id;
    for (const Held* held : order) by_id.emplace(held->id, held);
    std::vector<std::uint64_t> path;
    std::unordered_map<std::uint64_t, std::size_t> place;
    const Held* at = order.front();
    while (place.emplace(at->id, path.size()).second) {
      path.push_back(at->id);
      const auto open = std::find_if(at->parents.begin(), at->parents.end(),
                                     [&](const auto& parent) { return by_id.count(parent.first) != 0; });
      at = by_id.at(open->first);
    }
    path.erase(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(place.at(at->id)));
    return path;
  }

  struct Missing {
    std::uint64_t node, parent;
  };

  NodeSource& source_;
  const std::uint32_t rank_;
  const CommGroups& groups_;
  const ValidateOptions& options_;
  DependencyWindow window_;
  IdSet seen_;
  std::optional<std::uint64_t> duplicate_;
  std::optional<Communication> communication_;  // of the node being taken
  std::vector<Held> held_;                      // by slot, as are the positions
  std::vector<std::uint64_t> position_;
  std::vector<std::uint32_t> free_;
  std::vector<Missing> missing_;
  std::unordered_map<std::uint64_t, std::uint64_t> left_out_;  // parents not seen yet → how often
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

std::vector<std::string> node_names(NodeSource& source, const std::vector<std::uint64_t>& ids) {
  std::unordered_map<std::uint64_t, std::string> names;
  for (const std::uint64_t id : ids) names.emplace(id, "");
  Node node;
  source.rewind();
  while (source.next(node))
    if (const auto wanted = names.find(node.id); wanted != names.end()) wanted->second = node.name;
  source.rewind();
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
