// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <random>

#include "platform/commands/pipeline/pipeline.h"

namespace wafertlm::pipelines {

/// Random numbers that are the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

/// Any number of stages with any cuts on any places.
Schedule random_schedule(const Problem& problem, Random& random);

/// A cut moved, a stage on another place (whose stage takes its old one), a stage split onto an idle place,
/// or two stages merged. `at` itself if none was found.
Schedule neighbour(const Problem& problem, Random& random, const Schedule& at);

}  // namespace wafertlm::pipelines
