// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/experiment_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// The keys of an experiment file.
std::shared_ptr<const Struct<ExperimentSpec>> experiment_type();

}  // namespace wafertlm::config
