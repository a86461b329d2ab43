// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace wafertlm {

/// Degrees of 3D parallelism. A worker is a position (mp, pp, dp); workers are numbered with mp running
/// fastest, then pp, then dp (the order in which the FRED paper fills a wafer).
struct Parallelism {
  std::uint32_t mp = 1, dp = 1, pp = 1;

  std::uint32_t workers() const { return mp * dp * pp; }
  std::uint32_t worker(std::uint32_t mp_index, std::uint32_t pp_index, std::uint32_t dp_index) const {
    return mp_index + mp * (pp_index + pp * dp_index);
  }
};

/// "MP(2)-DP(5)-PP(2)" in any order; a part that is left out is 1.
/// @throws std::invalid_argument that says what is wrong: no such part, a part twice, no whole number from 1,
/// more workers than `npus`.
Parallelism parse_parallelism(const std::string& text, std::uint32_t npus);
std::string to_string(const Parallelism& parallelism);

enum class ParallelClass : std::uint8_t { mp, dp, pp, all };
/// "mp", "dp", "pp" or "all". @throws std::invalid_argument listing them.
ParallelClass parse_parallel_class(const std::string& name);
const char* to_string(ParallelClass parallel_class);

/// Workers that communicate, in the order of their index in the class.
using WorkerGroup = std::vector<std::uint32_t>;

/// All groups of a class: mp has one for each (pp, dp), and so on; `all` is one group with every worker.
/// @throws std::invalid_argument when the groups have a single member.
std::vector<WorkerGroup> groups_of(const Parallelism& parallelism, ParallelClass parallel_class);

/// Pipeline traffic as multicasts: for each replica and stage boundary, one worker of a stage (the first of
/// its MP group) and behind it the whole MP group of the next stage. The sender comes first.
/// @throws std::invalid_argument when there is a single stage.
std::vector<WorkerGroup> stage_multicasts(const Parallelism& parallelism);

}  // namespace wafertlm
