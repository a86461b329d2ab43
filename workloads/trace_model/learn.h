// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "workloads/chakra/comm_groups.h"
#include "workloads/trace_model/model.h"
#include "workloads/trace_model/shape.h"

namespace wafertlm::trace_model {

struct LearnOptions {
  double bound = 0.05;  ///< by what part sizes and durations of what is made of it may differ; below 0.5
  std::uint64_t seed = 1;
};

/// The model of jobs that do the same: one trace, or several runs of it.
///
/// Sizes are changed within the bound, equal ones alike; durations and operations within half_of() of it,
/// those of equal computations alike, so that what is made of the model may change them once more. Both keep
/// their sums, of all bytes and of the computations of a unit (see balanced_factors()). With a bound of 0
/// nothing is changed. Repetitions are looked for among nodes of equal kind and near values, or of equal kind
/// alone where that takes less than 40 % of the slots, and either loses no value or is needed for less than
/// 1000 of them.
/// @throws chakra::TraceError: what sequences_of() refuses; jobs that are not built alike.
Model learn(const Jobs& jobs, const chakra::CommGroups& groups, const LearnOptions& options = {});

}  // namespace wafertlm::trace_model
