// SPDX-License-Identifier: Apache-2.0
#include "platform/config/descriptions.h"
#include "platform/config/fabric_spec.h"
#include "platform/config/value_types.h"
#include "platform/config/wafer_spec.h"
#include "platform/fabrics/registry.h"

namespace wafertlm::config {
namespace {

std::shared_ptr<const Struct<OuterSpec>> outer_type() {
  auto type = std::make_shared<Struct<OuterSpec>>("outer");
  type->required("wafers", &OuterSpec::wafers, integer<std::uint32_t>(2, 64), "How many there are, all alike")
      .required(
          "topology", &OuterSpec::topology, one_of<OuterTopology>({"ring", "switch"}),
          "ring: controller k of a wafer and of the next one have a link; switch: the controllers k of all "
          "have a link to a switch of their own")
      .required("bandwidth", &OuterSpec::bandwidth_bytes_per_s, any_bandwidth(),
                "Of such a link, per direction")
      .required("latency", &OuterSpec::latency_ps, any_time("1 ps"), "Of such a link");
  return type;
}

}  // namespace

std::shared_ptr<const Struct<WaferSpec>> wafer_type() {
  auto type = std::make_shared<Struct<WaferSpec>>("wafer");
  type->optional("width", &WaferSpec::width, or_none(integer<std::uint32_t>(1, 256), 0U),
                 "NPUs in a row; of a mesh, which needs it")
      .optional("height", &WaferSpec::height, or_none(integer<std::uint32_t>(1, 256), 0U),
                "NPUs in a column; of a mesh, which needs it")
      .required("fabric", &WaferSpec::fabric, fabric_type(), "Links and routers")
      .optional("io", &WaferSpec::io, io_type(),
                "I/O controllers on the edge of the wafer, or on L1 switches")
      .optional("outer", &WaferSpec::outer, maybe<OuterSpec>(outer_type()),
                "More wafers like this one, connected through their I/O controllers")
      .check(
          [](const WaferSpec& wafer, const Check& check) { wafer.fabric.kind->check_wafer(wafer, check); });
  return type;
}

std::uint32_t WaferSpec::npu_count() const { return fabric_kind(*this).npus(*this); }

}  // namespace wafertlm::config
