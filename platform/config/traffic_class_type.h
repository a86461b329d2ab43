// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/fabric_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

std::shared_ptr<const Struct<TrafficClassSpec>> traffic_class_type();
/// The rules of the class table.
void check_classes(const FabricSpec& fabric, const Check& check);

}  // namespace wafertlm::config
