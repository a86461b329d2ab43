// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "tlm/fabric_traits.h"
#include "workloads/collectives/request.h"

namespace wafertlm {

/// An algorithm: all that the planner, predictions, configuration, command line and help know of it.
struct Algorithm {
  /// A type of collective that it can do.
  struct Use {
    CollectiveType type{};
    int preference = 0;         ///< the planner takes the lowest of those that are about as fast
    bool takes_chunks = false;  ///< the vector may go in pieces that pipeline
  };
  using Programs = std::vector<std::unique_ptr<StepSource>>;

  std::string name;  ///< as in results
  std::vector<Use> uses;
  /// The steps of every rank of a request whose algorithm and chunks are set.
  Programs (*programs)(const CollectiveRequest& request, const FabricTraits& fabric) = nullptr;
  /// Closed form of the same with nothing shared, or the time of the busiest link if that is longer; of two
  /// members or more and at least a byte.
  TimePs (*predicted_ps)(const CollectiveRequest& request, const FabricTraits& fabric) = nullptr;
  /// Every rank sends and receives each block once (all-reduce: twice), and its memory is busy for that.
  bool moves_blocks_once = true;
  /// Its messages are flows that the fabric's switches reduce and distribute.
  bool in_network = false;
  /// Whether it can run on this group; null: on any.
  bool (*fits)(const Group& group, const FabricTraits& fabric) = nullptr;
  /// What it needs to fit, for messages; null with `fits`.
  std::string (*needs)(const Topology& topology) = nullptr;

  /// Null: it cannot do this type.
  const Use* use_of(CollectiveType type) const;
};

/// The table. A new algorithm is a row here, and a program with its closed form in files of its own.
const std::vector<Algorithm>& algorithms();

/// @throws std::invalid_argument: there is no such row; the message lists the names.
const Algorithm& algorithm_named(const std::string& name);

/// A request for the algorithm with the smallest prediction, whatever the size.
constexpr const char* kFastest = "fastest";
/// What users may write: "auto", kFastest, and the names of the table.
std::vector<std::string> algorithm_choices();

/// The algorithms that can do a collective on some group, best ones first.
std::vector<std::string> algorithms_for(CollectiveType type);
/// Those that can do it on this group.
std::vector<std::string> algorithms_for(CollectiveType type, const Group& group, const FabricTraits& fabric);

}  // namespace wafertlm
