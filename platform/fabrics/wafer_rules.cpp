// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/wafer_rules.h"

#include <fmt/format.h>

#include "platform/fabrics/fabric_kind.h"

namespace wafertlm::config {

void require_no_grid(const WaferSpec& wafer, const Check& check) {
  for (const std::uint32_t* key : {&wafer.width, &wafer.height})
    if (check.is_written(key))
      check.fail({key}, fmt::format("goes with '{}: mesh' and has no effect beside '{}'; remove it",
                                    check.path(&wafer.fabric.kind), wafer.fabric.kind->name()));
}

void require_no_io(const WaferSpec& wafer, const Check& check) {
  if (wafer.io.controllers.placement != IoPlacement::none)
    check.fail({&wafer.io.controllers},
               fmt::format("there are no I/O controllers on a fabric of kind {}; leave them out",
                           wafer.fabric.kind->name()));
}

void require_one_wafer(const WaferSpec& wafer, const Check& check) {
  if (wafer.outer) check.fail({&wafer.outer}, "only meshes are connected to other wafers");
}

}  // namespace wafertlm::config
