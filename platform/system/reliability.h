// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "models/endpoint/reliability.h"
#include "platform/config/platform_spec.h"
#include "tlm/fabric/wire_format.h"

namespace wafertlm {

/// The control packets of Go-Back-N; none if nothing is acknowledged.
std::optional<AnswerFormat> answer_format(const config::FabricSpec& fabric);

/// Of every endpoint of a platform.
std::optional<ReliabilityParams> reliability_params(const config::PlatformSpec& spec);

}  // namespace wafertlm
