// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/run/job.h"
#include "platform/system/machine.h"
#include "platform/system/simulate.h"
#include "workloads/sequencer/collective_registry.h"
#include "workloads/sequencer/time_account.h"

namespace wafertlm {

struct IterationResult {
  TimePs start_ps = 0, end_ps = 0;
  std::uint32_t last_rank = 0;                ///< finishes last; the lowest of equals
  std::map<std::string, TimePs> last;         ///< its breakdown
  std::map<std::string, TimePs> least, most;  ///< over all ranks
  std::map<std::string, double> mean;
};

/// A job on a machine: one sequencer per rank.
class JobRun {
 public:
  JobRun(Machine& machine, const Job& job, const config::ExperimentSpec& experiment);
  ~JobRun();
  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;

  /// Runs all iterations. @throws std::runtime_error: a deadlock or the watchdog (who waits for whom), ranks
  /// that disagree, a value that is wrong, a collective faster than its bound.
  void run(const std::function<void(TimePs now, std::uint64_t done, std::uint64_t all)>& progress = {});

  std::vector<IterationResult> iterations() const;
  std::vector<const CollectiveRecord*> collectives() const { return registry_.records(); }
  /// When the last node of the last iteration ended.
  TimePs end_ps() const { return iteration_end_.empty() ? 0 : iteration_end_.back(); }
  /// A rank's whole time, for timelines.
  std::vector<TimeSegment> segments(std::uint32_t rank) const;
  bool proven() const { return functional_; }

 private:
  class Rank;
  void iteration_done(std::uint32_t rank, std::uint32_t iteration, TimePs now);
  std::vector<std::string> waiting() const;
  std::uint64_t finished() const;

  Machine& machine_;
  const Job& job_;
  std::uint32_t iteration_count_;
  bool barrier_, functional_;
  CollectiveRegistry registry_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::unique_ptr<OperationPort>> unused_;  // endpoints without a rank
  std::vector<TimePs> iteration_end_;
  std::vector<std::uint32_t> ranks_done_, last_rank_;  // by iteration
};

}  // namespace wafertlm
