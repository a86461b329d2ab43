// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "models/hbm/flow_memory.h"
#include "platform/config/hbm_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<HbmSpec>> hbm_type();
std::shared_ptr<const Struct<EfficiencySpec>> efficiency_type();

/// @throws std::invalid_argument for a row that is no row.
EfficiencyTable efficiency_table(const EfficiencySpec& spec);
HbmParams hbm_params(const HbmSpec& spec);

}  // namespace wafertlm::config
