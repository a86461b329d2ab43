// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "workloads/trace_model/model.h"

namespace wafertlm::trace_model {

/// A model as JSON, a line for each slot:
///   kinds       what nodes there are: "class" (kernel, cpu, ALL_REDUCE …), traffic, family of groups, peer …
///   families    groups of ranks that do the same: {"size", "stride"} of all ranks, or their "ranks"
///   behaviours  "ranks", and "steps": nodes {"kind", "after", "ps", "bytes" …} and loops {"times", "of"}
/// "after" has [kind, how many before] and [kind] for all that nothing depends on yet. Values are single, or
/// [[value, times], …] in the order of the occurrences; "ps" the durations of equally long stretches.
std::string to_json(const Model& model);

/// @throws chakra::TraceError that names `where` and the place in it: no such JSON, an unknown key, a value
/// that cannot be.
Model from_json(const std::string& text, const std::string& where);

}  // namespace wafertlm::trace_model
