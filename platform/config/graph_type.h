// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/platform_spec.h"
#include "platform/config/struct_type.h"

namespace wafertlm::config {

/// A graph, in place or in a file of its own.
std::shared_ptr<const Struct<GraphSpec>> graph_type();
/// Keys of a fabric that have no effect on a graph.
void check_graph_fabric(const FabricSpec& fabric, const Check& check);

}  // namespace wafertlm::config
