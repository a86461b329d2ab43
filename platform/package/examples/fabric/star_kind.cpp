// SPDX-License-Identifier: Apache-2.0
#include "star_kind.h"

#include <fmt/format.h>

#include "models/graph/graph_fabric.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/spec/traffic/traffic_model.h"
#include "star_topology.h"

namespace wafertlm::star {

void StarKind::add_keys(config::Struct<config::FabricSpec>& fabric) const {
  using namespace config;
  const auto of = [](auto member) {
    return [member](auto& spec) -> auto& { return spec.template as<StarParams>().*member; };
  };
  fabric.required("npus", of(&StarParams::npus), integer<std::uint32_t>(2, 1024), "NPUs around the switch")
      .required("spoke_bandwidth", of(&StarParams::link_bytes_per_s),
                whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s"),
                "Between an NPU and the switch, per direction")
      .optional("hub_pipeline", of(&StarParams::pipeline_ps), whole_quantity(time_dimension(), "0 ps", "1 s"),
                "Time through the switch");
}

void StarKind::check(const config::FabricSpec& fabric, const config::Check& check) const {
  if (fabric.link_latency_ps == 0)
    check.fail({&fabric.link_latency_ps}, "a link takes no time; expected at least 1 ps");
  if (fabric.input_queue == InputQueue::fifo)
    check.fail({&fabric.input_queue}, "a star needs a queue per output: per_output");
  if (fabric.is_reliable())
    check.fail({&fabric.bit_error_rate, &fabric.reliability.protocol},
               "bit errors are not modelled on a star; leave them out");
}

TimePs StarKind::horizon_ps(const config::WaferSpec& wafer) const {
  const auto star = wafer.fabric.complete<StarParams>();
  return 2 * (star.link_latency_ps + star.pipeline_ps + star.credit_delay_ps +
              transfer_time_ps(star.format.full_wire_bytes(), star.link_bytes_per_s));
}

std::unique_ptr<Fabric> StarKind::make(const config::WaferSpec& wafer, const BuildContext& in) const {
  GraphParams params;
  static_cast<FabricParams&>(params) = wafer.fabric;
  params.graph = star_graph(wafer.fabric.complete<StarParams>());
  return std::make_unique<GraphFabric>("star", params, in.classes, in.scheduler, in.checkers, in.reverse);
}

FabricTraits StarKind::traits(const config::WaferSpec& wafer) const {
  FabricTraits traits;
  traits.topology = std::make_shared<StarTopology>(wafer.fabric.complete<StarParams>());
  traits.format = wafer.fabric.format;
  return traits;
}

FabricLinkRate StarKind::fastest_link(const config::WaferSpec& wafer) const {
  const auto& star = wafer.fabric.as<StarParams>();
  return {star.link_bytes_per_s, star.pipeline_ps};
}

traffic::TrafficModel StarKind::traffic(const config::WaferSpec& wafer) const {
  const auto star = wafer.fabric.complete<StarParams>();
  return {{star.npus, 1},
          star.link_bytes_per_s,
          fmt::format("star of {} NPUs", star.npus),
          [star](const traffic::Pattern& pattern) {
            return traffic::channel_loads(StarTopology(star), star.link_bytes_per_s, pattern);
          }};
}

std::string StarKind::describe(const config::WaferSpec& wafer) const {
  return fmt::format("fabric    {} NPUs around one switch\n", npus(wafer));
}

}  // namespace wafertlm::star
