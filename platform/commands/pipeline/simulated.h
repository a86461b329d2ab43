// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "platform/commands/pipeline/pipeline.h"
#include "platform/spec/platform_spec.h"
#include "workloads/parallelism/placement.h"

namespace wafertlm::pipelines {

/// Measures schedules by running them on a platform: a stage computes for max(operations / speed, bytes /
/// bandwidth) and then sends its output to the NPU of the next one, over links that other stages use at the
/// same time. A stage begins with an input when it has arrived and the output before is sent; it has room for
/// two inputs, so a sender waits until the last but one is done. What a link of the Place says is left out.
class SimulatedPipeline {
 public:
  /// @param npus of each place. The references must outlive it.
  SimulatedPipeline(const config::PlatformSpec& platform, const Problem& problem, Placement npus);

  /// Runs it, or remembers the same schedule. Each stage's mean over the measured inputs; the period between
  /// these at the end of the pipeline.
  Measured measure(const Schedule& schedule);
  std::size_t simulations() const { return known_.size(); }

 private:
  Measured simulate(const Schedule& schedule) const;

  const config::PlatformSpec& platform_;
  const Problem& problem_;
  const Placement npus_;
  std::map<std::vector<std::pair<std::size_t, std::size_t>>, Measured> known_;
};

/// Bytes per second of a message between two NPUs that have the fabric for themselves, without its latency:
/// what the closed form takes for a link. No schedule is faster than by it where no pair of NPUs has a faster
/// way.
double transfer_rate(const config::PlatformSpec& platform, NpuId from, NpuId to);

}  // namespace wafertlm::pipelines
