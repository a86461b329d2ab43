// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/commands/pipeline/inputs.h"

namespace wafertlm::pipelines {

/// A schedule on the wafer, a cell for each NPU: "2:5-9" runs layers 5 to 9 as the second stage; "·" is idle,
/// behind it the kind of an NPU that could take a stage.
std::string drawn_on_wafer(const PipelineSpec& spec, const Schedule& schedule);

/// The same as an SVG picture, with an arrow from each stage to the next; `times`: seconds of the stages,
/// which colour them.
std::string svg_of(const PipelineSpec& spec, const Schedule& schedule, const std::vector<double>& times);

}  // namespace wafertlm::pipelines
