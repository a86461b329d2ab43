// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "platform/commands/explain/gains.h"

namespace wafertlm {

/// What happened to the rest when `category` was made instant, and how the iteration changed.
struct Rerun {
  TimePs iteration_ps = 0;
  std::map<GraphRecorder::Recorded::Key, TimePs> own_ps;
};

/// Runs the experiment so in a process of its own. @throws as the run does
Rerun rerun(const config::ExperimentSpec& experiment, const std::string& category);

/// The recorded gain beside that of a real run, and what makes the difference.
void print_rerun(const GraphRecorder::Recorded& recorded, const Gain& gain, TimePs iteration,
                 const Rerun& real);

/// "-1.500 us", "20.00 ns", of picoseconds.
std::string signed_time(double ps);

}  // namespace wafertlm
