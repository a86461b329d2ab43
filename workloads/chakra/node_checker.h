// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/chakra/communication.h"
#include "workloads/chakra/validate.h"

namespace wafertlm::chakra {

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

}  // namespace wafertlm::chakra
