// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "platform/spec/fabric_spec.h"

namespace wafertlm {

class Fabric;
struct RtlViewParams;

/// A property of a switch that its model and its RTL have both.
struct RtlProperty {
  std::string what, model, rtl;
  bool differs = false;
  std::string set = {};  ///< what makes them equal; empty: nothing has to
};

/// What decides on times, side by side: pipeline, flits, room at the inputs. Of a switch with a design; after
/// elaboration.
std::vector<RtlProperty> rtl_properties(Fabric& fabric, std::size_t switch_number,
                                        const config::FabricSpec& spec, const RtlViewParams& view);

}  // namespace wafertlm
