// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/commands/tune/backend.h"
#include "platform/commands/tune/deadlock.h"
#include "platform/commands/tune/timeline.h"

namespace wafertlm::tune {

struct DeclaredCost {
  CollectiveType type = CollectiveType::all_reduce;
  backends::CostRange range;
};

/// A backend, as a file has it: with algorithms that are simulated, or with declared costs.
struct BackendSpec {
  backends::Backend backend;  ///< its costs are empty; below
  std::vector<std::string> algorithms;
  TimePs launch_ps = 0;  ///< added to what is simulated
  std::vector<DeclaredCost> costs;
};

/// What is simulated: every type at every size on every algorithm that can do it.
struct MeasureSpec {
  std::vector<CollectiveType> types;
  std::string sizes = "1MiB", npus, parallelism, traffic_class;
};

/// A step of the sequence that every rank issues.
struct SequenceSpec {
  TimePs compute_ps = 0;
  std::optional<CollectiveType> type;
  std::uint64_t bytes = 0;
  std::string npus;  ///< of what was measured; empty: all
  bool wait = false;
  backends::Action::Call call = backends::Action::Call::ordered;
  std::uint32_t count = 1;
};

struct OperationSpec {
  std::string name, backend;
  std::vector<std::uint32_t> ranks;
};

/// What a rank issues, in its order.
struct OrderSpec {
  std::uint32_t rank = 0;
  std::vector<std::string> issues, blocking;
};

/// A file with the top-level key `tune`.
struct TuneSpec {
  std::string name, platform;
  std::vector<BackendSpec> backends;
  std::vector<MeasureSpec> measure;
  TimePs change_ps = 0;  ///< of backend, between two operations of a sequence
  std::vector<SequenceSpec> sequence;
  std::uint32_t repeat = 1;
  std::vector<OperationSpec> operations;
  std::vector<OrderSpec> orders;

  bool is_simulated() const;
  /// Backends with their declared costs.
  std::vector<backends::Backend> all_backends() const;
  backends::IssuePlan issue_plan() const;
};

/// @throws config::ConfigError.
TuneSpec load_tune(const std::string& path);

}  // namespace wafertlm::tune
