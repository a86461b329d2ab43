// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "workloads/chakra/node_source.h"
#include "workloads/sequencer/collective_registry.h"
#include "workloads/sequencer/message_registry.h"
#include "workloads/sequencer/time_account.h"

namespace wafertlm::test {

/// The sequencers of a job on a machine on which every operation takes the duration of its node and nothing
/// contends: a collective from its last entry on, a message from the start of its send on.
class FakeJob {
 public:
  /// Collectives and messages are numbered as chakra::validate() says with `numbered`, else in file order.
  explicit FakeJob(std::vector<std::vector<chakra::Node>> ranks, const SequencerOptions& options = {},
                   bool numbered = false);
  ~FakeJob();

  /// Runs one iteration. Returns when the last rank ended.
  TimePs run();
  /// Where a rank's time went; sums to what run() returned.
  std::map<std::string, TimePs> breakdown(std::uint32_t rank) const;
  /// Nodes of a rank in the order in which they were started.
  const std::vector<std::uint64_t>& started(std::uint32_t rank) const;
  const SequencerEngine& engine(std::uint32_t rank) const;
  /// The nodes that took part in each collective, by rank; sorted.
  std::vector<std::vector<std::uint64_t>> partners() const;
  /// All ranks' time up to here is accounted for.
  TimePs accounted_ps() const;
  CauseLog causes;

 private:
  class Rank;
  struct End {
    TimePs end_ps;
    std::uint64_t order;
    std::uint32_t rank, slot;
    bool operator<(const End& other) const {
      return end_ps != other.end_ps ? end_ps < other.end_ps : order < other.order;
    }
  };
  void end_at(TimePs at, std::uint32_t rank, std::uint32_t slot) { ends_.insert({at, order_++, rank, slot}); }

  chakra::CommGroups groups_;
  FabricTraits fabric_;
  TimeCategories categories_;
  CollectiveRegistry collectives_;
  MessageRegistry messages_;
  IterationAccount time_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::set<End> ends_;
  // Who waits in a collective, and for which message: (rank, slot).
  std::map<CollectiveRecord*, std::vector<std::pair<std::uint32_t, std::uint32_t>>> inside_;
  std::map<CollectiveRecord*, std::map<std::uint32_t, std::uint64_t>> partners_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::pair<std::uint32_t, std::uint32_t>>
      receiving_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, TimePs> arrival_;
  std::uint64_t order_ = 0;
  TimePs now_ = 0;
};

}  // namespace wafertlm::test
