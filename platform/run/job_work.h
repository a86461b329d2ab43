// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "tlm/program/program.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/chakra/validate.h"

namespace wafertlm {

/// What an iteration asks of the simulator.
struct JobWork {
  double nodes = 0;  ///< of all ranks
  double hops = 0;   ///< of packets (flits, whole messages: what the fabric moves in one piece)
};

/// Counts it from plans and summaries. Of a collective a sample of the steps is looked at, so the sum is
/// roughly right.
class WorkCounter {
 public:
  WorkCounter(const FabricTraits& fabric, bool packets) : fabric_(fabric), packets_(packets) {}

  /// So many collectives with these programs.
  void add(const std::vector<std::shared_ptr<const CollectiveProgram>>& programs, std::uint64_t count);
  /// A rank's nodes and messages.
  void add(const chakra::TraceSummary& rank);
  const JobWork& work() const { return work_; }

 private:
  double pieces(std::uint64_t bytes) const;
  double hops_of(const CollectiveProgram& program) const;
  double mean_hops() const;

  const FabricTraits& fabric_;
  bool packets_;  ///< else messages in one piece
  JobWork work_;
  /// Collectives of groups of one size are alike: by type, bytes and ranks.
  std::map<std::tuple<CollectiveType, std::uint64_t, std::size_t>, double> known_;
};

}  // namespace wafertlm
