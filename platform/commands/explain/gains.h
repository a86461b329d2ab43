// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/commands/explain/graph_recorder.h"

namespace wafertlm {

/// What the last iteration would gain in the recorded order of service if something took no time. Served in
/// another order it may gain more: real runs tell.
struct Gain {
  std::string what;       ///< "compute", "memory" or a traffic class
  TimePs gain_ps = 0;     ///< of the last iteration's time
  TimePs on_path_ps = 0;  ///< its part of the critical path
};

/// Of all categories, largest first; those without a gain are left out.
std::vector<Gain> gains(const GraphRecorder::Recorded& recorded, const CriticalPath& path);

}  // namespace wafertlm
