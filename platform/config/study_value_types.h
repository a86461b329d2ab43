// SPDX-License-Identifier: Apache-2.0
// Values that only a study has.
#pragma once
#include "platform/config/study_spec.h"
#include "platform/config/type.h"

namespace wafertlm::config {

/// A list of texts; one text stands for a list of one.
TypePtr<std::vector<std::string>> texts();
/// {axis: value, axis: [value, value]}.
TypePtr<Selection> selection();
/// "18-20" or "18".
TypePtr<std::pair<std::uint32_t, std::uint32_t>> range(std::uint32_t least, std::uint32_t most);
/// A value of an axis: its name alone, or a map.
TypePtr<AxisValueSpec> axis_value();

}  // namespace wafertlm::config
