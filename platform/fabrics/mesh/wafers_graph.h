// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "platform/spec/wafer_spec.h"
#include "tlm/shape/fabric_graph.h"

namespace wafertlm {

/// The meshes of `spec.outer` as one graph: NPUs on routers with X-Y routes, I/O controllers as switches that
/// take no time, and the links between these. A packet for another wafer goes over one controller of each:
/// between NPUs with one number over the one that the fewest others have, else the shortest way. Behind the
/// controller through which it enters its wafer it goes on on the other half of its class's channels, and so
/// around a ring of wafers; so nothing waits in a circle.
std::shared_ptr<const FabricGraph> wafers_graph(const config::WaferSpec& spec);

}  // namespace wafertlm
