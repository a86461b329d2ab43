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

/// What is not simulated again (tlm/acceleration).
struct Repeats {
  bool periods = false;    ///< steady states of long messages
  bool episodes = false;   ///< that have happened before
  double new_courses = 1;  ///< FabricAbilities
  double new_packets = 0;  ///< the same
};

/// What a run asks of the simulator.
struct JobWork {
  double nodes = 0;         ///< of all ranks and iterations
  double loaded_bytes = 0;  ///< the same
  double hops = 0;          ///< of packets (flits, whole messages: what the fabric moves in one piece)
  double new_hops = 0;      ///< of these about so many do not repeat
};

/// Counts it from plans and summaries. Of a collective a sample of the steps is looked at, so the sum is
/// roughly right.
class WorkCounter {
 public:
  WorkCounter(const FabricTraits& fabric, bool packets, std::uint32_t iterations, const Repeats& repeats)
      : fabric_(fabric), packets_(packets), iterations_(iterations), repeats_(repeats) {}

  /// So many collectives with these programs in an iteration; or streams through I/O controllers, of which
  /// little repeats.
  void add(const std::vector<std::shared_ptr<const CollectiveProgram>>& programs, std::uint64_t count,
           bool streams);
  /// A rank's nodes and messages.
  void add(const chakra::TraceSummary& rank);
  const JobWork& work() const { return work_; }

 private:
  struct Hops {
    double all = 0, fresh = 0;  ///< fresh: without what periods skip

    Hops& add(double times, double pieces, const Repeats& repeats);
  };
  double pieces(std::uint64_t bytes) const;
  Hops hops_of(const CollectiveProgram& program) const;
  double mean_hops() const;
  void count(const Hops& each, double number, const Repeats& repeats);

  const FabricTraits& fabric_;
  bool packets_;  ///< else messages in one piece
  double iterations_;
  Repeats repeats_;
  JobWork work_;
  /// Collectives of groups of one size are alike: by type, bytes and ranks.
  std::map<std::tuple<CollectiveType, std::uint64_t, std::size_t>, Hops> known_;
};

}  // namespace wafertlm
