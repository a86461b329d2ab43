// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/config/struct_type.h"
#include "platform/fabrics/graph/graph_spec.h"

namespace wafertlm::config {

/// A graph, in place or in a file of its own.
std::shared_ptr<const Struct<GraphSpec>> graph_type();

}  // namespace wafertlm::config
