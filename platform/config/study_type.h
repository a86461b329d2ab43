// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/struct_type.h"
#include "platform/config/study_spec.h"

namespace wafertlm::config {

/// The keys of a study file.
std::shared_ptr<const Struct<StudySpec>> study_type();

}  // namespace wafertlm::config
