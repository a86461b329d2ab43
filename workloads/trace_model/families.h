// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/chakra/comm_groups.h"
#include "workloads/statistics/trace_graph.h"
#include "workloads/trace_model/model.h"

namespace wafertlm::trace_model {

/// The groups that ranks use, those of one role together: ranks with equal sequences of operations use their
/// first group alike, their second …, so these are of one family.
struct Families {
  std::vector<Family> all;
  /// By rank and group number: the family, and which of its groups that hold the rank.
  struct Place {
    std::int32_t family = -1;
    std::uint32_t nth = 0;
  };
  Place place(std::uint32_t rank, std::size_t group) const;

  std::vector<std::int32_t> family_of;         ///< by group number; -1: not used
  std::vector<std::uint32_t> index_in_family;  ///< by group number
};

Families families_of(const std::vector<statistics::TraceGraph>& ranks, const chakra::CommGroups& groups);

}  // namespace wafertlm::trace_model
