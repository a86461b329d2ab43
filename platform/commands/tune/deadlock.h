// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm::backends {

/// An operation of a group of ranks that is done when all of them have joined it.
struct GroupOperation {
  std::string name;
  std::string backend, engine;  ///< the progress engine that it needs on each of its ranks
  std::vector<std::uint32_t> ranks;
};

/// A rank gives an operation to its engine.
struct Issue {
  std::size_t operation = 0;
  bool blocks = false;  ///< the rank issues nothing more before the operation is done
};

/// What each rank issues, in its order. An engine of a rank takes operations in the order in which they were
/// issued to it, and holds one until all ranks of that one have joined.
struct IssuePlan {
  std::vector<GroupOperation> operations;
  std::vector<std::vector<Issue>> ranks;  ///< by rank
};

/// @throws std::invalid_argument, naming operation and rank: an operation without ranks, of a rank that there
/// is not, that one of its ranks does not issue or issues twice, or that another rank issues.
void require_valid(const IssuePlan& plan);

/// `operation` waits for `rank`, which first has to finish `behind`.
struct Wait {
  std::size_t operation = 0;
  std::uint32_t rank = 0;
  std::size_t behind = 0;
  bool is_blocked = false;  ///< the rank stands still in `behind`; else the engine holds it

  bool operator==(const Wait& other) const {
    return operation == other.operation && rank == other.rank && behind == other.behind &&
           is_blocked == other.is_blocked;
  }
};

/// A shortest cycle of waits, if the plan comes to a stop: each `behind` is the next one's `operation`, the
/// last one's the first one's. Empty: all operations get done. (All orders are first come, first served and
/// nothing is done before all have joined, so the plan stops iff the waits have a cycle.)
/// @throws std::invalid_argument as require_valid.
std::vector<Wait> find_deadlock(const IssuePlan& plan);

/// "A on X waits for rank 1, whose engine 'gpu' holds B until all have joined", a line per wait.
std::vector<std::string> described(const std::vector<Wait>& cycle, const IssuePlan& plan);

/// Cure: every rank issues its operations in the order of `operations`, whatever their backend.
IssuePlan with_one_order(IssuePlan plan);
/// Cure: an engine for each backend. It cures what is in order within each backend.
IssuePlan with_own_engines(IssuePlan plan);

}  // namespace wafertlm::backends
