// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "platform/traffic/channel_load.h"
#include "tlm/fabric_traits.h"

namespace wafertlm::traffic {

/// A tree of switches as the patterns see it: a row for each L1 switch, a column for each of its NPUs.
MeshGeometry fred_grid(const FredTraits& fred);

/// As channel_loads(), in a tree of switches: packets go up to the first common switch and down again. A
/// cycle is the time of a flit at an NPU's port. Links in the order of FredFabric::links(), then injection.
ChannelLoads fred_channel_loads(const FabricTraits& traits, const Pattern& pattern);

/// As zero_load_ps().
double fred_zero_load_ps(const FabricTraits& traits, const Pattern& pattern);

}  // namespace wafertlm::traffic
