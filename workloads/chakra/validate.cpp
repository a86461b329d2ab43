// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "workloads/chakra/dependency_order.h"

namespace wafertlm::chakra {
namespace {

constexpr std::size_t kMaxNamed = 5;       // missing dependencies in a message
constexpr std::size_t kLongestCycle = 10;  // nodes of a cycle in a message

constexpr double kLongestSumPs = 0x1p63;

/// Checks the nodes of a rank by themselves, and sums them up.
class NodeChecker {
 public:
  /// All outlive it. @param name of the source, for errors.
  NodeChecker(const std::string& name, std::uint32_t rank, const CommGroups& groups,
              const ValidateOptions& options)
      : name_(name), rank_(rank), groups_(groups), options_(options) {}

  /// @returns what the node communicates, if it does. @throws TraceError, see validate().
  std::optional<Communication> take(const Node& node);
  /// @throws TraceError if no node took time.
  void require_something_runs() const;

  TraceSummary& summary() { return summary_; }
  /// Traffic classes, in the order in which they came up.
  std::vector<std::string>& classes() { return classes_; }

 private:
  [[noreturn]] void fail(const Node& node, const std::string& text) const;
  [[noreturn]] void fail_time(const Node& node) const;
  void count(const Node& node);
  void take_time(const Node& node);
  void check_bytes(const Node& node, std::uint64_t bytes, std::uint64_t times) const;
  std::uint8_t take_class(const Node& node, const char* or_else);
  Communication take_collective(const Node& node);
  void take_kind(const Node& node, const Communication& entry);
  Communication take_message(const Node& node, std::optional<std::uint32_t> self,
                             std::optional<std::uint32_t> peer);
  bool runs(const Node& node) const;
  std::string nothing_runs() const;

  const std::string& name_;
  const std::uint32_t rank_;
  const CommGroups& groups_;
  const ValidateOptions& options_;
  TraceSummary summary_;
  std::vector<std::string> classes_;
  std::optional<Node> idle_;  // the first node that takes no time
  double compute_ps_ = 0, cpu_ps_ = 0;
  bool anything_runs_ = false;
};

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
  if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore)
    check_bytes(node, node.tensor_size.value_or(0), 1);
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
  if (!node.pg_name.empty() && groups_.has(node.pg_name))
    summary_.groups.insert(groups_.number(node.pg_name));
  if (node.type == NodeType::Comp &&
      __builtin_add_overflow(summary_.comp_duration_ps, node.duration_ps, &summary_.comp_duration_ps))
    fail_time(node);
  if (node.type == NodeType::MemLoad || node.type == NodeType::MemStore)
    summary_.loaded_bytes += static_cast<double>(node.tensor_size.value_or(0));
  if (node.type == NodeType::Comp && !node.is_cpu_op) {
    summary_.operations += static_cast<double>(node.num_ops.value_or(0));
    if (!node.num_ops && node.duration_ps != 0) ++summary_.computations_without_operations;
  }
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
    fail(node, "the platform has no traffic class \"" + printable(name) + "\"" +
                   (node.comm_class.empty() ? ", as which a node counts that names none" : "") + "; it has " +
                   fmt::format("{}", fmt::join(allowed, ", ")));
  }
  if (number > std::numeric_limits<std::uint8_t>::max()) fail(node, "more than 256 traffic classes");
  known.push_back(name);
  summary_.classes.insert(name);
  return static_cast<std::uint8_t>(number);
}

void NodeChecker::take_kind(const Node& node, const Communication& entry) {
  const CollectiveKind kind{entry.group, entry.collective, entry.io_stream, entry.bytes};
  CollectivesOfAKind& of_a_kind = summary_.collective_kinds[kind];
  if (of_a_kind.count++ != 0) return;
  of_a_kind.first = node;
  of_a_kind.first.ctrl_deps.clear();
  of_a_kind.first.data_deps.clear();
}

Communication NodeChecker::take_collective(const Node& node) {
  const auto& dimensions = node.involved_dim;
  if (!dimensions.empty() && std::find(dimensions.begin(), dimensions.end(), true) == dimensions.end())
    fail(node, "involved_dim leaves all dimensions out; one at least must be true");
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
  if (node.io_stream) ++summary_.io_streams;
  if (ranks > 1 || node.io_stream) take_kind(node, entry);
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
  if (sends) summary_.sends_to.insert(*peer);
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

/// Reads the trace of one rank.
class RankChecker {
 public:
  RankChecker(NodeSource& source, std::uint32_t rank, const CommGroups& groups,
              const ValidateOptions& options)
      : source_(source), rank_(rank), groups_(groups), options_(options) {}

  RankCheck run() {
    pass();
    missing_ = order_->missing();
    TraceSummary& summary = nodes_->summary();
    for (const auto& missing : missing_)
      ++(missing.control ? summary.missing_ctrl_deps : summary.missing_data_deps);
    summary.unknown_attributes = source_.unknown_attributes();
    RankCheck result;
    result.summary = summary;
    if (!missing_.empty()) {
      check_missing();
      // Once more, for the order that they leave when they count as satisfied from the start.
      pass();
      for (const auto& missing : missing_) result.summary.missing.push_back(missing.parent);
    }
    check_cycle();
    nodes_->require_something_runs();
    result.summary.numbers = std::move(order_->numbers());
    result.summary.footprint = lives_.footprint();
    if (const auto told = source_.memory_bytes())
      result.summary.footprint = {std::max(*told, result.summary.footprint.bytes), ""};
    result.communications = std::move(order_->communications());
    result.classes = std::move(nodes_->classes());
    source_.rewind();
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw TraceError(source_.name() + ": " + text); }

  /// From the first node to the last; dependencies that are known to be missing count as satisfied.
  void pass() {
    nodes_.emplace(source_.name(), rank_, groups_, options_);
    lives_ = {};
    order_.emplace([this](std::uint64_t id) { lives_.done(id); });
    for (const auto& missing : missing_) order_->satisfy(missing.parent);
    left_out_.clear();
    source_.rewind();
    Node node;
    while (source_.next(node)) {
      has_control_ = has_control_ || !node.ctrl_deps.empty();
      if (options_.dependencies == Dependencies::data) leave_out_control(node);
      const auto communication = nodes_->take(node);
      lives_.take(node, source_.io());
      order_->add(node, communication);
    }
    if (order_->duplicate()) report_duplicate(*order_->duplicate());
    for (const auto& [parent, times] : left_out_)
      if (!order_->has_seen(parent)) nodes_->summary().missing_ctrl_deps += times;
  }

  void leave_out_control(Node& node) {
    nodes_->summary().left_out_ctrl_deps += node.ctrl_deps.size();
    for (const std::uint64_t parent : node.ctrl_deps)
      if (!order_->has_seen(parent)) ++left_out_[parent];
    node.ctrl_deps.clear();
  }

  void report_duplicate(std::uint64_t id) const {
    std::string text = fmt::format("two nodes have the id {}:", id);
    Node node;
    source_.rewind();
    while (source_.next(node))
      if (node.id == id) text += " " + describe(node);
    fail(text);
  }

  void check_missing() {
    if (options_.dependencies == Dependencies::existing) return;
    const std::size_t count = missing_.size();
    std::vector<std::uint64_t> children;
    for (const auto& entry : missing_)
      if (children.size() < kMaxNamed) children.push_back(entry.node);
    const auto names = describe_nodes(source_, children);
    std::string text = fmt::format("{}{} on nodes that are not in the trace: ", count,
                                   count == 1 ? " dependency" : " dependencies");
    for (std::size_t index = 0; index < names.size(); ++index)
      text += fmt::format("{}{} needs {}", index == 0 ? "" : ", ", names[index], missing_[index].parent);
    if (names.size() < count) text += ", …";
    const bool only_control = nodes_->summary().missing_data_deps == 0;
    if (only_control)
      text +=
          ". They are control dependencies, which in PyTorch traces name callers and no order: "
          "`dependencies: data` leaves control dependencies out";
    // Nobody is sent from one error to the next.
    pass();
    if (order_->cycle().empty())
      text += ". If the trace was filtered, `dependencies: existing` counts them as satisfied";
    fail(text);
  }

  void check_cycle() const {
    std::vector<std::uint64_t> ids = order_->cycle();
    if (ids.empty()) return;
    const std::size_t length = ids.size();
    const bool cut = length > kLongestCycle;
    if (cut) ids.resize(kLongestCycle);
    const auto names = describe_nodes(source_, ids);
    std::string text =
        length == 1 ? "a node needs itself: " : fmt::format("a dependency cycle of {} nodes: ", length);
    for (const std::string& name : names) text += name + " needs ";
    text += (cut ? "… needs " : "") + names.front();
    if (options_.dependencies != Dependencies::data && has_control_)
      text +=
          "; control dependencies of PyTorch traces name callers and no order: `dependencies: data` leaves "
          "them out";
    fail(text);
  }

  NodeSource& source_;
  const std::uint32_t rank_;
  const CommGroups& groups_;
  const ValidateOptions& options_;
  std::optional<NodeChecker> nodes_;
  TensorLives lives_;
  std::optional<DependencyOrder> order_;
  std::vector<DependencyOrder::Missing> missing_;
  std::unordered_map<std::uint64_t, std::uint64_t> left_out_;  // parents not seen yet, and how often
  bool has_control_ = false;
};

/// Of the nodes with these ids, in this order: `text` of them, and `otherwise` of those that are not there.
template <typename Otherwise, typename Text>
std::vector<std::string> texts_of(NodeSource& source, const std::vector<std::uint64_t>& ids,
                                  const Otherwise& otherwise, const Text& text) {
  std::unordered_map<std::uint64_t, std::string> texts;
  for (const std::uint64_t id : ids) texts.emplace(id, otherwise(id));
  Node node;
  source.rewind();
  while (source.next(node))
    if (const auto wanted = texts.find(node.id); wanted != texts.end()) wanted->second = text(node);
  source.rewind();
  std::vector<std::string> result;
  result.reserve(ids.size());
  for (const std::uint64_t id : ids) result.push_back(texts.at(id));
  return result;
}

}  // namespace

std::vector<std::string> describe_nodes(NodeSource& source, const std::vector<std::uint64_t>& ids) {
  return texts_of(
      source, ids, [](std::uint64_t id) { return fmt::format("node {}", id); },
      [](const Node& node) { return describe(node); });
}

std::vector<std::string> node_names(NodeSource& source, const std::vector<std::uint64_t>& ids) {
  return texts_of(
      source, ids, [](std::uint64_t) { return std::string(); }, [](const Node& node) { return node.name; });
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
