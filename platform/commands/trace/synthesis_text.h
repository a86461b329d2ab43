// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "workloads/statistics/duration_grid.h"
#include "workloads/trace_model/likeness.h"

namespace wafertlm {

/// What a model holds, in two lines.
std::string model_text(const trace_model::Model& model);

/// Made traces beside those that they were learned from.
struct SynthesisCheck {
  std::uint64_t most_identical = 0;  ///< trace_model::most_identical_nodes()
  trace_model::LayersFound layers;
  std::vector<statistics::Difference> differences;
  TimePs grid_ps = 1;               ///< of the source's durations
  statistics::RoundedBack rounded;  ///< of nodes at their places in the source
  double largest_size_change = 0;   ///< of a size, relative to the one at its place in the source
};
/// @param made_graphs of the traces. @param is_scaled with other layers, ranks or widths: sizes are not
/// compared.
SynthesisCheck check_synthesis(const trace_model::Ranks& source, const trace_model::Model& model,
                               const trace_model::Generated& made, const trace_model::Ranks& made_graphs,
                               bool is_scaled);
/// How many durations rounding gives back; "" where the source has no grid.
std::string rounded_text(const statistics::RoundedBack& rounded, TimePs grid_ps);
std::string check_text(const SynthesisCheck& check, bool is_scaled);

}  // namespace wafertlm
