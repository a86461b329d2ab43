// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/run/job_run.h"
#include "platform/run/run_observer.h"
#include "platform/spec/fabric_results.h"

namespace wafertlm {

/// Of a part of a rank's time: it is of a traffic class.
bool is_communication(const std::string& category);

/// Keeps where each rank only waited for communication, and what its collectives are called.
class ExposedTimeRecorder final : public RunObserver {
 public:
  explicit ExposedTimeRecorder(std::uint32_t ranks) : ranks_(ranks) {}

  void time_spent(std::uint32_t rank, TimePs from_ps, TimePs to_ps, const std::string& category) override;
  /// Of the rank that finishes an iteration last, in that iteration.
  ExposedTime of_last_rank(const JobRun& run, const IterationResult& iteration) const;

 private:
  std::vector<std::vector<std::pair<TimePs, TimePs>>> ranks_;  // stretches
};

}  // namespace wafertlm
