// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "platform/describe/struct_type.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm {

/// What the rules of wafer.outer need to know of the kind of the wafers.
struct OneWaferKeys {
  std::string controllers;                ///< how they are given: "perimeter, or a list"
  std::vector<const void*> size = {};     ///< keys that say how many NPUs a wafer has
  std::vector<const void*> unknown = {};  ///< keys of the kind in use that several wafers do not know
};

/// What wafers need to be connected to others (wafer.outer).
void check_several_wafers(const config::WaferSpec& wafer, const OneWaferKeys& keys,
                          const config::Check& check);

}  // namespace wafertlm
