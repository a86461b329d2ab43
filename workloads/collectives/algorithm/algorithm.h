// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tlm/program/program.h"
#include "workloads/collectives/algorithm/request.h"

namespace wafertlm {

struct FabricTraits;
class Topology;

/// An algorithm: all that the planner, predictions, configuration, command line and help know of it.
struct Algorithm {
  /// Whether the vector may go in pieces that pipeline.
  enum class Chunks : std::uint8_t {
    none,
    if_asked,       ///< one, unless the request says more or kFastest searches
    by_prediction,  ///< as many as the closed form says is best
  };
  /// A type of collective that it can do.
  struct Use {
    CollectiveType type{};
    int preference = 0;  ///< the planner takes the lowest of those that are about as fast
    Chunks chunks = Chunks::none;
    bool equal_blocks = false;  ///< all ranks' blocks must be of one length
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
  /// kPaper does not take it.
  bool only_by_name = false;
  /// Where no messages meet (meets_nothing) the closed form is exact.
  bool is_exact_alone = true;
  /// The chunks that are best, if they are open; null: the planner tries powers of two (default_chunks).
  std::uint32_t (*best_chunks)(const CollectiveRequest& request, const FabricTraits& fabric) = nullptr;
  /// Its messages never meet, by a schedule that the closed form counts: where links are its own, and ports,
  /// buffers and memories let them be full, long ones need no short run.
  bool is_scheduled = false;
  /// What it needs in a rank's buffer behind the vectors of the type, for what is only passed on; null:
  /// nothing.
  std::uint64_t (*scratch_bytes)(const CollectiveRequest& request, const FabricTraits& fabric) = nullptr;

  /// Null: it cannot do this type.
  const Use* use_of(CollectiveType type) const;
};

/// The table. A new algorithm is a row here, and a program with its closed form in files of its own.
const std::vector<Algorithm>& algorithms();

/// @throws std::invalid_argument: there is no such row; the message lists the names.
const Algorithm& algorithm_named(const std::string& name);

/// A request for the algorithm with the smallest prediction, whatever the size.
constexpr const char* kFastest = "fastest";
/// What an empty name stands for: large vectors as in the FRED paper's baseline, else the smallest
/// prediction.
constexpr const char* kPaper = "paper";
/// As NCCL's own model chooses among the rows of its algorithms and protocols (gpu_library/choice.h); other
/// types than it has a choice for: as if the request were open.
constexpr const char* kNccl = "nccl";
/// Whether a user's word means that: kPaper or "auto".
inline bool is_paper_policy(const std::string& name) { return name == kPaper || name == "auto"; }
/// What users may write: "auto", kPaper, kFastest, and the names of the table.
std::vector<std::string> algorithm_choices();

/// The algorithms that can do a collective on some group, best ones first.
std::vector<std::string> algorithms_for(CollectiveType type);
/// Those that can do it on this group.
std::vector<std::string> algorithms_for(CollectiveType type, const Group& group, const FabricTraits& fabric);
/// Those that can do it on this group with this size.
std::vector<std::string> algorithms_for(const CollectiveRequest& request, const FabricTraits& fabric);

}  // namespace wafertlm
