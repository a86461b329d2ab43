// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "models/rtl/properties.h"
#include "platform/spec/fabric_spec.h"

namespace wafertlm {

class Fabric;

/// What decides on times at a switch of a fabric; after elaboration.
RtlModelFacts rtl_model_facts(Fabric& fabric, std::size_t switch_number, const config::FabricSpec& spec);

}  // namespace wafertlm
