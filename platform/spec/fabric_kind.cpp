// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/fabric_kind.h"

#include <stdexcept>

#include "platform/describe/struct_type.h"
#include "platform/spec/traffic/traffic_model.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm {
namespace config {

void require_no_grid(const WaferSpec& wafer, const Check& check) {
  for (const std::uint32_t* key : {&wafer.width, &wafer.height})
    if (check.is_written(key))
      check.fail({key, &wafer.fabric.kind}, "goes with '{}: mesh' and has no effect beside '{}'; remove it",
                 check.path(&wafer.fabric.kind), wafer.fabric.kind->name());
}

void require_no_io(const WaferSpec& wafer, const Check& check) {
  if (wafer.io.controllers.placement != IoPlacement::none)
    check.fail({&wafer.io.controllers, &wafer.fabric.kind},
               "there are no I/O controllers on a fabric of kind {}; leave them out",
               wafer.fabric.kind->name());
}

void require_one_wafer(const WaferSpec& wafer, const Check& check) {
  if (wafer.outer)
    check.fail({&wafer.outer, &wafer.fabric.kind},
               "only meshes and FRED wafers are connected to others; leave it out");
}

}  // namespace config

std::vector<NpuId> FabricKind::failed_npus(const config::FabricSpec& fabric) const {
  return fabric.defects.complete().npus;
}

PlacementGrid FabricKind::grid(const config::WaferSpec& wafer) const {
  return {npus(wafer), 1, failed_npus(wafer.fabric)};
}

void FabricKind::check_wafer(const config::WaferSpec& wafer, const config::Check& check) const {
  config::require_no_grid(wafer, check);
  config::require_no_io(wafer, check);
  config::require_one_wafer(wafer, check);
}

traffic::TrafficModel FabricKind::traffic(const config::WaferSpec& wafer) const {
  throw std::invalid_argument(
      "loads go over meshes, graphs and FRED wafers, not over wafer.fabric.kind: " + name() +
      (abilities(wafer.fabric).packets
           ? ""
           : "; whole messages travel there: give --flow SIZE in place of --load"));
}

}  // namespace wafertlm
