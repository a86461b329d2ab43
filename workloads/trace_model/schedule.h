// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "workloads/trace_model/model.h"

namespace wafertlm::trace_model {

/// What a behaviour does, node after node.
struct Occurrence {
  std::uint32_t slot = 0;     ///< or slots.size() + the side slot
  std::uint32_t number = 0;   ///< among the occurrences of the slot
  std::uint32_t learned = 0;  ///< of those in the source, the one that it stands for
  std::uint32_t source = 0;   ///< its place in the source's order
};

struct Schedule {
  std::vector<Occurrence> nodes;
  std::vector<std::uint32_t> counts, learned;  ///< occurrences by slot, here and in the source
};

/// With `more` layers (or less). @throws std::invalid_argument: fewer than none.
Schedule schedule_of(const Behaviour& behaviour, std::int64_t more);

}  // namespace wafertlm::trace_model
