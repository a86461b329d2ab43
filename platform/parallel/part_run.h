// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "platform/run/entry_news.h"
#include "platform/run/job.h"
#include "platform/run/rank_sequencer.h"
#include "tlm/kernel/module_list.h"
#include "tlm/operation/operation_port.h"
#include "workloads/sequencer/cause_log.h"

namespace wafertlm {

/// The ranks of a job that are on the wafers of one process. What they do is written into the machine's
/// operation logs; where their time went comes out when those of all processes are played (JobRun).
class PartRun final : private RankHost, private Wakeable, private OperationListener {
 public:
  /// The machine's part says which ranks. @throws std::invalid_argument: as JobRun.
  PartRun(Machine& machine, const Job& job, const config::ExperimentSpec& experiment);
  ~PartRun();
  PartRun(const PartRun&) = delete;
  PartRun& operator=(const PartRun&) = delete;

  /// Begins with the first iteration. After the elaboration.
  void start();
  /// Since when all ranks here are done with an iteration, while others may not be: the next one begins with
  /// start_iteration(). kNever: they are not.
  TimePs at_barrier_ps() const { return ranks_.empty() ? 0 : at_barrier_ps_; }
  /// The latest rank of all processes was done at `now`.
  void start_iteration(TimePs at);
  bool is_done() const { return ranks_done_ == ranks_.size(); }
  std::uint64_t finished() const;
  std::uint64_t nodes() const { return nodes_; }
  EntryNews& news() { return news_; }

 private:
  void iteration_done(std::uint32_t rank, std::uint32_t iteration, TimePs now) override;
  void time_spent(std::uint32_t, const TimeSegment&) override {}
  void collective_entered(std::uint32_t rank, const CollectiveRecord& record, bool is_first,
                          TimePs now) override;
  bool gathers(std::uint32_t rank, const CollectiveRecord& record, TimePs now) const override;
  void stream_complete(CollectiveRecord& record) override;
  void relayed(std::uint64_t token, const Operation& operation, const std::vector<std::byte>& data) override;
  void wake(std::uint32_t what, TimePs now) override;
  void operation_done(std::uint64_t, const Operation&, const std::vector<std::byte>&) override {}
  void plan_collectives();
  std::uint32_t group_of(const CollectiveRecord& record) const {
    return static_cast<std::uint32_t>(job_.groups.number(record.group));
  }

  Machine& machine_;
  const Job& job_;
  const std::uint32_t iterations_;
  const bool barrier_;
  CauseLog causes_;
  TimeCategories categories_;
  CollectiveRegistry collectives_;
  MessageRegistry messages_;
  JobContext context_;
  EntryNews news_;
  std::map<std::uint32_t, std::unique_ptr<RankSequencer>> ranks_;  // that are here
  ModuleList<OperationPort> idle_;                                 // of NPUs here without a rank
  std::uint64_t nodes_ = 0;
  std::size_t at_end_of_iteration_ = 0;  // ranks, with a barrier
  std::size_t ranks_done_ = 0;           // with the last iteration
  TimePs at_barrier_ps_ = kNever;
};

}  // namespace wafertlm
