// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tlm/program/program.h"
#include "workloads/parallelism/parallelism.h"

namespace wafertlm {

/// The wafer as far as a placement needs it: NPU n sits at column n mod width, row n / width.
struct PlacementGrid {
  std::uint32_t width = 0, height = 0;
  std::vector<NpuId> idle = {};  ///< NPUs that do not work
  std::uint32_t npus() const { return width * height; }
};

/// The NPU of every worker, by the worker's number.
using Placement = std::vector<NpuId>;

/// Policies:
///   paper       worker after worker down the columns: MP first, then PP, then DP
///   contiguous  favours MP: every MP group is a rectangle, one that closes to a ring of neighbours if there
///               is one, else a line, else a piece of a snake through the wafer
///   grid        as contiguous, and row by row on each rectangle
///   ring        as contiguous, and along a closed ring of neighbours if the rectangle has one
///   entwined    the DP groups are the rectangles, those of a stage beside each other, and members of an MP
///               group at the same place of each (MoEntwine, arXiv 2510.25258): groups of experts are close
///   row_major   worker w on NPU w
///   random      a shuffle that depends on `seed` only
///   file:PATH   see read_placement
/// @throws std::invalid_argument: no such policy, a bad file.
Placement place_workers(const std::string& policy, const Parallelism& parallelism, const PlacementGrid& grid,
                        std::uint64_t seed);

/// Their names.
std::vector<std::string> placement_policies();

/// A text file, '#' starts a comment. Either an NPU per line, in the order of the workers, or lines "worker
/// NPU" in any order. Every worker has an NPU of its own.
/// @throws std::invalid_argument "PATH:LINE: …".
Placement read_placement(const std::string& path, std::uint32_t workers, std::uint32_t npus);

Group npus_of(const WorkerGroup& workers, const Placement& placement);

}  // namespace wafertlm
