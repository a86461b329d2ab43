// SPDX-License-Identifier: Apache-2.0
#include "workloads/chakra/validate.h"

#include <fmt/core.h>

#include <optional>
#include <unordered_map>
#include <utility>

#include "workloads/chakra/communication.h"
#include "workloads/chakra/dependency_order.h"
#include "workloads/chakra/node_checker.h"

namespace wafertlm::chakra {
namespace {

constexpr std::size_t kMaxNamed = 5;       // missing dependencies in a message
constexpr std::size_t kLongestCycle = 10;  // nodes of a cycle in a message

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
    order_.emplace();
    for (const auto& missing : missing_) order_->satisfy(missing.parent);
    left_out_.clear();
    source_.rewind();
    Node node;
    while (source_.next(node)) {
      has_control_ = has_control_ || !node.ctrl_deps.empty();
      if (options_.dependencies == Dependencies::data) leave_out_control(node);
      const auto communication = nodes_->take(node);
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
