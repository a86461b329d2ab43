// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/node_source.h"
#include "workloads/pytorch/graph.h"
#include "workloads/pytorch/link.h"

namespace wafertlm::pytorch {

/// The traces of a rank.
struct RankFiles {
  std::string timeline;  ///< Kineto's
  std::string host;      ///< of the ExecutionTraceObserver; empty: there is none
};

struct ImportOptions : GraphOptions {
  /// Of operators, of device events and of communication kernels: the part that may stay without its partner.
  double most_unlinked = 0.05;
  /// Members of process groups, by the names that the traces have, where these do not tell.
  std::map<std::string, std::vector<std::uint32_t>> groups = {};
};

/// A communication of a rank as it becomes a node.
struct PlacedCommunication {
  CommunicationKind kind;
  std::string group;                                     ///< as in ImportedJob::groups; "" means all ranks
  std::uint64_t bytes = 0;                               ///< comm_size
  std::uint32_t peer = 0;                                ///< rank
  bool is_uneven = false;                                ///< an all-to-all of unequal parts
  std::vector<std::uint64_t> send_bytes, receive_bytes;  ///< of these, as Node::send_bytes; empty: not told
};

struct ImportedRank {
  std::uint32_t rank = 0;
  std::string name;  ///< of the file
  Graph graph;
  std::optional<LinkSummary> link;
  std::int64_t offset_ns = 0;               ///< what its clock is ahead of the first rank's
  std::int64_t delay_ns = 0;                ///< how much later than the first its trace begins
  std::vector<std::uint32_t> in_order;      ///< the communications' items, as they are numbered
  std::vector<PlacedCommunication> placed;  ///< by Item::communication - 1
  std::vector<std::string> notes;           ///< in words for people
};

struct ImportedJob {
  std::vector<ImportedRank> ranks;  ///< by rank
  std::uint32_t world_size = 0;
  std::map<std::string, std::vector<std::uint32_t>> groups;  ///< beside that of all ranks
  bool is_whole() const { return ranks.size() == world_size; }
};

/// Imports the traces of a job; `ranks` in the order of the ranks, if the traces do not say their ranks.
/// @throws chakra::TraceError: what cannot be read, traces of different runs, more without partner than
/// allowed, a process group whose members are not known, a rank twice.
ImportedJob import_job(const std::vector<RankFiles>& ranks, const ImportOptions& options);

/// The nodes of an imported rank. Computation on the host: COMP, is_cpu_op. Time that passes between what a
/// node waits for and its start, beyond what is explained, is a node `delay` of the CPU.
class GraphSource final : public chakra::NodeSource {
 public:
  /// The rank outlives it.
  explicit GraphSource(const ImportedRank& rank) : rank_(rank), ids_(rank.graph.items.size()) { rewind(); }

  bool next(chakra::Node& node) override;
  void rewind() override;
  const std::string& name() const override { return rank_.name; }
  /// The item of the last node; Item::kNone for a delay.
  std::uint32_t item() const { return item_; }

 private:
  void collect_parents(const Item& item, std::uint32_t index);
  void fill(chakra::Node& node, const Item& item) const;

  const ImportedRank& rank_;
  std::vector<std::uint64_t> ids_;  // by item; 0: not yet
  std::vector<std::uint64_t> parents_;
  std::int64_t ready_ns_ = 0;
  std::size_t position_ = 0;
  std::uint64_t next_id_ = 1, delay_id_ = 0;
  std::uint32_t item_ = Item::kNone;
};

}  // namespace wafertlm::pytorch
