// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/validate.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "workloads/chakra/communication.h"
#include "workloads/chakra/dependency_window.h"

namespace wafertlm::chakra {
namespace {

constexpr std::size_t kMostNamed = 5;      // missing dependencies in a message
constexpr std::size_t kLongestCycle = 10;  // nodes of a cycle in a message
constexpr double kLongestSumPs = 0x1p63;

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
      counted.numbers = std::move(result_.summary.numbers);
      result_.summary = std::move(counted);
    }
    check_cycle();
    if (!anything_runs_) fail(nothing_runs());
    source_.rewind();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw TraceError(source_.name() + ": " + text); }
  [[noreturn]] void fail(const Node& node, const std::string& text) const {
    fail(describe(node) + ": " + text);
  }

  struct Numbered {
    Communication communication;
    std::uint64_t in_file = 0;  // its number if the file's order were that of the dependencies
  };
  /// A node that came before a parent of its own.
  struct Held {
    std::uint64_t id = 0;
    std::vector<std::pair<std::uint64_t, bool>> parents;  // control?
    std::optional<Numbered> communication;
    bool used = false;
  };

  void pass() {
    source_.rewind();
    Node node;
    while (source_.next(node)) {
      has_control_ = has_control_ || !node.ctrl_deps.empty();
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
    in_file_.clear();
    in_order_.clear();
    compute_ps_ = cpu_ps_ = 0;
    idle_.reset();
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
      fail_time(node);
    take_time(node);
    if (runs(node))
      anything_runs_ = true;
    else if (!idle_)
      idle_ = node;
    if (node.is_collective()) take_collective(node);
    if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore) {
      check_bytes(node, node.tensor_size.value_or(0), 1);
      summary.memory_bytes += node.tensor_size.value_or(0);
    }
    if (node.type == NodeType::CommSend) take_message(node, node.comm_src, node.comm_dst);
    if (node.type == NodeType::CommRecv) take_message(node, node.comm_dst, node.comm_src);
  }

  /// Of a rank's two units neither may be busy for longer than simulated time can hold.
  void take_time(const Node& node) {
    if (node.type != NodeType::Comp && !node.is_launch()) return;
    double& sum = node.is_cpu_op || node.is_launch() ? cpu_ps_ : compute_ps_;
    try {
      sum += options_.longest_ps ? options_.longest_ps(node) : static_cast<double>(node.duration_ps);
    } catch (const std::invalid_argument& error) {
      fail(node, error.what());
    }
    if (sum >= kLongestSumPs) fail_time(node);
  }
  [[noreturn]] void fail_time(const Node& node) const {
    fail(node, "with this one the durations add up to more than the 106 days that simulated time can hold");
  }

  void check_bytes(const Node& node, std::uint64_t bytes, std::uint64_t times) const {
    if (bytes <= options_.most_bytes / times) return;
    fail(node, std::to_string(bytes) + " B" + (times > 1 ? " from each of " + std::to_string(times) : "") +
                   (options_.most_bytes_of.empty() ? " is more than any machine holds (at most "
                                                   : " does not fit " + options_.most_bytes_of + " (") +
                   std::to_string(options_.most_bytes) + " B)");
  }

  /// Notes the class; `or_else` is what a node that names none counts as.
  std::uint8_t take_class(const Node& node, const char* or_else) {
    const std::string name = node.comm_class.empty() ? or_else : node.comm_class;
    auto& known = result_.classes;
    const auto found = std::find(known.begin(), known.end(), name);
    const auto place = static_cast<std::size_t>(found - known.begin());
    if (found != known.end()) return static_cast<std::uint8_t>(place);
    const auto& allowed = options_.classes;
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      std::string there;
      for (const std::string& each : allowed) there += (there.empty() ? "" : ", ") + each;
      fail(node, "the platform has no traffic class \"" + printable(name) + "\"" +
                     (node.comm_class.empty() ? ", as which a node counts that names none" : "") +
                     "; it has " + there);
    }
    if (place > std::numeric_limits<std::uint8_t>::max()) fail(node, "more than 256 traffic classes");
    known.push_back(name);
    result_.summary.classes.insert(name);
    return static_cast<std::uint8_t>(place);
  }

  void take_communication(const Communication& entry) {
    communication_ = Numbered{entry, in_file_[channel(entry)]++};
  }
  static CommunicationChannel channel(const Communication& entry) {
    return {entry.type, entry.type == NodeType::CommColl ? entry.group : entry.peer, entry.tag};
  }

  bool runs(const Node& node) const {
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

  std::string nothing_runs() const {
    std::string text = "nothing runs: ";
    if (!idle_) return text + "the trace has no nodes";
    const std::uint64_t nodes = result_.summary.nodes;
    text += (nodes == 1 ? "the only node, "
                        : "none of " + std::to_string(nodes) + " nodes takes time; the first, ") +
            describe(*idle_) + ", is ";
    switch (idle_->type) {
      case NodeType::Comp:
        return text + (idle_->is_cpu_op ? "a CPU operation without a duration"
                                        : "a COMP without duration, operations or bytes");
      case NodeType::CommColl:
        if (idle_->is_launch()) return text + "the CPU side of a collective, without a duration";
        return text + to_string(*idle_->comm_type) + " of " + std::to_string(idle_->comm_size.value_or(0)) +
               " B in a group of " + std::to_string(groups_.ranks(idle_->pg_name).size()) +
               (groups_.ranks(idle_->pg_name).size() == 1 ? " rank" : " ranks");
      default:
        return text + to_string(idle_->type) + (idle_->type == NodeType::Metadata ? "" : " of 0 B");
    }
  }

  void take_collective(const Node& node) {
    bool holds = false;
    try {
      holds = groups_.holds(node.pg_name, rank_);
    } catch (const TraceError& error) {
      fail(node, error.what());
    }
    if (!holds)
      fail(node, "group \"" + printable(node.pg_name) + "\" does not hold rank " + std::to_string(rank_));
    Communication entry;
    entry.node = node.id;
    entry.collective = *node.comm_type;
    entry.io_stream = node.io_stream;
    entry.group = static_cast<std::uint32_t>(groups_.number(node.pg_name));
    entry.bytes = node.comm_size.value_or(0);
    const std::size_t ranks = groups_.ranks(node.pg_name).size();
    const bool gathers = entry.collective == CollectiveType::AllGather && !options_.most_bytes_of.empty();
    check_bytes(node, entry.bytes, gathers ? ranks : 1);
    result_.summary.collective_bytes += entry.bytes;
    if (node.io_stream) ++result_.summary.io_streams;
    if (ranks > 1 && !node.io_stream)
      ++result_.summary.by_collective[static_cast<std::size_t>(entry.collective)];
    entry.traffic_class = take_class(node, kDefaultCollectiveClass);
    take_communication(entry);
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
    check_bytes(node, entry.bytes, 1);
    result_.summary.message_bytes += entry.bytes;
    entry.traffic_class = take_class(node, kDefaultMessageClass);
    take_communication(entry);
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

  void number(const Numbered& entry) {
    const std::uint64_t in_order = in_order_[channel(entry.communication)]++;
    if (in_order != entry.in_file) result_.summary.numbers.emplace(entry.communication.node, in_order);
    result_.communications.push_back(entry.communication);
  }

  void finish(std::uint64_t id, const std::optional<Numbered>& communication) {
    if (communication) number(*communication);
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
      if (held.communication) number(*held.communication);
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
    if (options_.dependencies == Dependencies::existing) return;
    const std::size_t count = missing_.size();
    std::vector<std::uint64_t> children;
    for (const auto& entry : missing_)
      if (children.size() < kMostNamed) children.push_back(entry.node);
    const auto names = describe_nodes(source_, children);
    std::string text = std::to_string(count) + (count == 1 ? " dependency" : " dependencies") +
                       " on nodes that are not in the trace: ";
    for (std::size_t index = 0; index < names.size(); ++index)
      text += (index == 0 ? "" : ", ") + names[index] + " needs " + std::to_string(missing_[index].parent);
    if (names.size() < count) text += ", …";
    const bool only_control = result_.summary.missing_data_deps == 0;
    if (only_control)
      text +=
          ". They are control dependencies, which in PyTorch traces name callers and no order: "
          "`dependencies: data` leaves control dependencies out";
    // Nobody is sent from one error to the next.
    start_again();
    pass();
    if (cycle().empty())
      text += ". If the trace was filtered, `dependencies: existing` counts them as satisfied";
    fail(text);
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
    text += (cut ? "… needs " : "") + names.front();
    if (options_.dependencies != Dependencies::data && has_control_)
      text +=
          "; control dependencies of PyTorch traces name callers and no order: `dependencies: data` leaves "
          "them out";
    fail(text);
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
  std::optional<Numbered> communication_;  // of the node being taken
  std::map<CommunicationChannel, std::uint64_t> in_file_, in_order_;
  std::optional<Node> idle_;  // the first node that takes no time
  double compute_ps_ = 0, cpu_ps_ = 0;
  std::vector<Held> held_;  // by slot, as are the positions
  std::vector<std::uint64_t> position_;
  std::vector<std::uint32_t> free_;
  std::vector<Missing> missing_;
  std::unordered_map<std::uint64_t, std::uint64_t> left_out_;  // parents not seen yet → how often
  RankCheck result_;
  bool anything_runs_ = false, has_control_ = false;
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
