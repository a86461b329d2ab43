// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/explain/graph_recorder.h"
#include "platform/report/usage.h"

namespace wafertlm {

/// What the last iteration would gain at most, in the recorded order of service, if something took no time.
struct Gain {
  enum class Kind { category, link };
  Kind kind = Kind::category;
  std::string what;       ///< "compute", "memory", a traffic class, or the name of a link
  TimePs gain_ps = 0;     ///< of the last iteration's time
  TimePs on_path_ps = 0;  ///< of a category: its part of the critical path
};

/// Of all categories, and of the busiest links: of each operation that uses the fabric the time in which the
/// link is busy meanwhile is taken off. Largest first; those without a gain are left out.
std::vector<Gain> gains(const GraphRecorder::Recorded& recorded, const CriticalPath& path, const Usage& usage,
                        const std::vector<MachineLink>& links);

/// The gain if the operations of one category took no time.
TimePs category_gain(const GraphRecorder::Recorded& recorded, const std::string& category);

}  // namespace wafertlm
