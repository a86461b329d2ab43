// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "platform/config/struct_type.h"
#include "platform/tune/inputs.h"

namespace wafertlm::tune {

/// Describes a tune file.
std::shared_ptr<const config::Struct<TuneSpec>> tune_type();

}  // namespace wafertlm::tune
