// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/describe/node.h"
#include "platform/describe/origins.h"

namespace wafertlm::config {

/// A map as YAML text: provenances stand beside their values, comments say where each value was written or
/// that it is the default.
std::string write_yaml(const Node& map, const Origins& origins);
/// The same with the places of the nodes.
std::string write_yaml(const Node& map);

}  // namespace wafertlm::config
