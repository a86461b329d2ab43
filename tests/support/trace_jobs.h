// SPDX-License-Identifier: Apache-2.0
// Jobs of a few nodes a rank, as trace files.
#pragma once
#include <cstdint>
#include <string>

#include "workloads/chakra/node.h"

namespace wafertlm::test {

/// A collective of all ranks, a node each, as `path`.RANK.et. `bytes` as Chakra has it: of an all-gather what
/// a rank contributes. @return path
std::string write_collective_job(const std::string& path, chakra::CollectiveType type, std::uint32_t ranks,
                                 std::uint64_t bytes);

/// An all-reduce of `bytes` in a ring, spelled out in sends, receives and computations of 7 us, one after the
/// other, as `path`.RANK.et. @return path
std::string write_ring_job(const std::string& path, std::uint32_t ranks, std::uint64_t bytes);

}  // namespace wafertlm::test
