// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "platform/commands/tune/inputs.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/struct_type.h"

namespace wafertlm::tune {

/// Describes a tune file.
std::shared_ptr<const config::Struct<TuneSpec>> tune_type();
/// The row of such files.
config::FileKind tune_file_kind();

}  // namespace wafertlm::tune
