// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/fabric_kind.h"

#include <stdexcept>

#include "platform/fabrics/wafer_rules.h"
#include "platform/traffic/traffic_model.h"

namespace wafertlm {

void FabricKind::check_wafer(const config::WaferSpec& wafer, const config::Check& check) const {
  config::require_no_grid(wafer, check);
  config::require_no_io(wafer, check);
  config::require_one_wafer(wafer, check);
}

traffic::TrafficModel FabricKind::traffic(const config::WaferSpec&) const {
  throw std::invalid_argument("traffic goes over meshes and FRED wafers, not over wafer.fabric.kind: " +
                              name());
}

}  // namespace wafertlm
