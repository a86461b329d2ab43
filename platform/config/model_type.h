// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/model_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// The keys of a model file.
std::shared_ptr<const Struct<ModelSpec>> model_type();

}  // namespace wafertlm::config
