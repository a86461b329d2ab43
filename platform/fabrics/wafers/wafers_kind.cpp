// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/wafers/wafers_kind.h"

#include <fmt/core.h>

#include <stdexcept>

#include "platform/config/struct_type.h"
#include "platform/fabrics/graph/on_graph.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/fabrics/wafers/wafers_graph.h"
#include "platform/traffic/traffic_model.h"
#include "tlm/fabric/fabric.h"

namespace wafertlm {

void check_several_wafers(const config::WaferSpec& wafer, const config::Check& check) {
  const config::FabricSpec& fabric = wafer.fabric;
  const auto& mesh = fabric.as<MeshParams>();
  if (!wafer.io.controllers.any())
    check.fail({&wafer.outer}, "wafers are connected through I/O controllers; add " +
                                   check.path(&wafer.io.controllers) + ": perimeter, or a list");
  if (wafer.io.latency_ps == 0)
    check.fail(
        {&wafer.io.latency_ps, &wafer.outer},
        "between a router and an I/O controller that leads to other wafers it takes 1 ps or more; set " +
            check.path(&wafer.io.latency_ps));
  if (wafer.npu_count() > 4096)
    check.fail({&wafer.outer->wafers}, "more than 4096 NPUs in all; take smaller or fewer wafers");
  if (!mesh.failed_links.empty() || !mesh.failed_routers.empty() || fabric.is_reliable() ||
      fabric.format.by_flit || fabric.input_queue == InputQueue::fifo)
    check.fail(
        {&wafer.outer},
        "with several wafers there are no failures, bit errors, wormhole switching or input_queue: fifo; "
        "leave them out");
  if (2 * fabric.virtual_channels > 16)
    check.fail({&fabric.virtual_channels},
               "several wafers need two channels for each, so at most 8 are possible");
}

namespace {

GraphParams wafers_params(const config::WaferSpec& wafer) {
  return graph_params(wafer.fabric, wafers_graph(wafer));
}

class WafersKind final : public MeshKind {
 public:
  FabricAbilities abilities(const config::FabricSpec&) const override {
    FabricAbilities abilities;
    abilities.endpoint_memory = false;
    abilities.dateline_channels = true;
    return abilities;
  }
  std::uint32_t npus(const config::WaferSpec& wafer) const override {
    return MeshKind::npus(wafer) * wafer.outer->wafers;
  }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override {
    return graph_horizon_ps(wafers_params(wafer));
  }
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override {
    return make_graph_fabric(wafers_params(wafer), in);
  }
  FabricTraits traits(const config::WaferSpec& wafer) const override {
    return graph_traits(wafers_params(wafer), wafer_dimensions(wafer));
  }
  PlacementGrid grid(const config::WaferSpec& wafer) const override {
    return {wafer.width, wafer.height * wafer.outer->wafers};
  }
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override {
    return wafertlm::fastest_link(*wafers_graph(wafer));
  }
  traffic::TrafficModel traffic(const config::WaferSpec&) const override {
    throw std::invalid_argument("traffic goes over one wafer; leave wafer.outer out");
  }
  std::string describe(const config::WaferSpec& wafer) const override {
    return describe_graph(fmt::format("{} wafers of {} x {}", wafer.outer->wafers, wafer.width, wafer.height),
                          wafers_params(wafer));
  }
  WaferDrawing drawing(const config::WaferSpec& wafer) const override {
    return {"tree", wafer.width, wafer.height};
  }
};

}  // namespace

const FabricKind& wafers_kind() {
  static const WafersKind kind;
  return kind;
}

}  // namespace wafertlm
