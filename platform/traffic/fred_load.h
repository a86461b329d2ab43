// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/fred/fred_topology.h"
#include "platform/traffic/channel_load.h"

namespace wafertlm::traffic {

/// As channel_loads(), in a tree of switches: packets go up to the first common switch and down again. A
/// cycle is the time of a flit at an NPU's port. Links in the order of FredFabric::links(), then injection.
ChannelLoads fred_channel_loads(const FredTopology& fred, const Pattern& pattern);

/// As zero_load_ps().
double fred_zero_load_ps(const FredTopology& topology, const WireFormat& format, const Pattern& pattern);

}  // namespace wafertlm::traffic
