// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/run/equal_ranks.h"
#include "platform/run/job_work.h"
#include "platform/run/rank_sequencer.h"
#include "tlm/kernel/module_list.h"
#include "workloads/sequencer/time_account.h"

namespace wafertlm {

namespace config {
struct ExperimentSpec;
struct PlatformSpec;
}  // namespace config

class EntryNews;
class StreamEnds;

struct IterationResult {
  std::uint32_t number = 0;
  TimePs start_ps = 0, end_ps = 0;
  std::uint32_t last_rank = 0;                ///< finishes last; the lowest of equals
  std::map<std::string, TimePs> last;         ///< its breakdown
  std::map<std::string, TimePs> least, most;  ///< over all ranks
  std::map<std::string, double> mean;
  std::vector<std::map<std::string, TimePs>> ranks;  ///< breakdown of each; sums to the iteration's time
  std::vector<TimePs> rank_end_ps;                   ///< when each rank was done with it
};

/// One operation of the critical path.
struct PathStep {
  std::uint32_t rank = 0;
  std::uint64_t node = 0;
  std::string category;             ///< "compute", "cpu", "memory" or a traffic class
  TimePs start_ps = 0, end_ps = 0;  ///< that it explains
};

/// What the last iteration's end waited for, back to the iteration's start.
struct CriticalPath {
  std::vector<PathStep> steps;              ///< in the order of time; at most the last kMaxSteps
  std::uint64_t length = 0;                 ///< all steps
  std::map<std::string, TimePs> breakdown;  ///< of the iteration's time; what no step explains is "idle"
  bool cut = false;                         ///< its beginning was not kept
  static constexpr std::size_t kMaxSteps = 100'000;
};

/// A job on a machine: one sequencer per rank.
class JobRun : private RankHost {
 public:
  /// Plans all collectives. @throws std::invalid_argument, naming the trace and the node: one that the
  /// planner refuses.
  /// `equal`: whether rank 0 stands for all, as the machine's NPU 0 does; @throws PlacesDiffer: it does not.
  JobRun(Machine& machine, const Job& job, const config::ExperimentSpec& experiment, EqualRanks equal = {});
  ~JobRun();
  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;

  /// Whether collectives of rank 0 are planned as those in their place at other ranks.
  bool are_plans_alike(const EqualRanks& equal);
  /// Of an iteration, roughly.
  const JobWork& work() const { return work_; }
  /// Before run().
  void observe(RunObserver& observer) { context_.observer = &observer; }
  /// Runs all iterations. @throws std::runtime_error: a deadlock or the watchdog (who waits for whom), ranks
  /// that disagree, a value that is wrong, a collective faster than its bound.
  void run(const std::function<void(TimePs now, std::uint64_t done, std::uint64_t all)>& progress = {});

  /// Those that are listed, the last one at the end.
  std::vector<IterationResult> iterations() const;
  /// Of all iterations.
  std::vector<TimePs> iteration_times_ps() const;
  /// Where a rank's time of an iteration went; sums to the iteration's time.
  std::map<std::string, TimePs> breakdown(std::uint32_t rank, std::uint32_t iteration) const;
  CriticalPath critical_path() const;
  /// Of iterations that are listed.
  std::vector<const CollectiveRecord*> collectives() const { return registry_.records(); }
  std::uint64_t collectives_total() const { return registry_.total(); }
  /// When the last node of the last iteration ended.
  TimePs end_ps() const { return time_.ends().empty() ? 0 : time_.ends().back(); }
  bool proven() const { return proven_; }
  const Job& job() const { return job_; }
  /// Most nodes that a rank held at one time.
  std::size_t held_high_water() const;

 private:
  void iteration_done(std::uint32_t rank, std::uint32_t iteration, TimePs now) override;
  void time_spent(std::uint32_t rank, const TimeSegment& segment) override;
  void collective_entered(std::uint32_t rank, const CollectiveRecord& record, bool is_first,
                          TimePs now) override;
  bool gathers(std::uint32_t rank, const CollectiveRecord& record, TimePs now) const override;
  void stream_complete(CollectiveRecord& record) override;
  void relayed(std::uint64_t token, const Operation& operation, const std::vector<std::byte>& data) override;
  void plan_collectives(const config::PlatformSpec& platform);
  std::uint32_t simulated(std::uint32_t rank) const { return equal_.places.one_for_all ? 0 : rank; }
  void stream_is_out(CollectiveRecord& record);
  void require_bound(const CollectiveRecord& record) const;
  void drop_what_is_not_listed();
  std::vector<std::string> waiting(const std::vector<std::string>& pending) const;
  std::uint64_t finished() const;
  std::string what_is_lost(TimePs now) const;
  TimePs accounted_ps() const;

  Machine& machine_;
  const Job& job_;
  const EqualRanks equal_;
  std::uint32_t iteration_count_;
  ListedIterations listed_;
  bool barrier_;
  bool proven_;
  TimePs time_step_ps_;
  JobWork work_;
  CauseLog causes_;
  TimeCategories categories_;
  CollectiveRegistry registry_;
  MessageRegistry messages_;
  JobContext context_;
  IterationAccount time_;
  ModuleList<RankSequencer> ranks_;  // that are simulated
  std::unique_ptr<StreamEnds> stream_ends_;
  std::unique_ptr<EntryNews> news_;                    // null: all ranks are on one wafer
  std::vector<TimePs> iteration_times_;                // by iteration: when the latest rank so far was done
  std::vector<std::uint32_t> ranks_done_, last_rank_;  // by iteration
  std::vector<std::vector<TimePs>> rank_ends_;         // by place among the listed, and rank
};

}  // namespace wafertlm
