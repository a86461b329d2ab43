// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/graph/graph_kind.h"

#include <fmt/format.h>

#include "platform/config/value_types.h"
#include "platform/config/wafer_spec.h"
#include "platform/fabrics/graph/on_graph.h"
#include "tlm/fabric/fabric.h"
#include "tlm/link/class_table.h"

namespace wafertlm {
namespace {

GraphParams params_of(const config::WaferSpec& wafer) {
  return graph_params(wafer.fabric, wafer.fabric.as<config::GraphSpec>().built());
}

class GraphKind final : public FabricKind {
 public:
  std::string name() const override { return "graph"; }
  std::string meaning() const override { return "a list of links"; }
  std::any default_params() const override { return config::GraphSpec(); }
  void add_keys(config::Struct<config::FabricSpec>& fabric) const override {
    fabric.required(
        "file", [](auto& spec) -> auto& { return spec.template as<config::GraphSpec>(); },
        std::make_shared<const config::FileOr<config::GraphSpec>>(config::graph_type()),
        "The graph: the name of a file, or its keys");
  }
  void check(const config::FabricSpec& fabric, const config::Check& check) const override {
    if (fabric.link_latency_ps != FabricParams().link_latency_ps)  // resolved files have the default
      check.fail({&fabric.link_latency_ps},
                 "has no effect: each link has a latency of its own; leave it out");
    if (abilities(fabric).dateline_channels && 2 * fabric.virtual_channels > kMaxVcs)
      check.fail({&fabric.virtual_channels},
                 fmt::format("rings need two channels for each, so at most {} are possible", kMaxVcs / 2));
    if (fabric.input_queue == InputQueue::fifo)
      check.fail({&fabric.input_queue}, "a graph needs a queue per output: per_output");
    if (fabric.is_reliable())
      check.fail({&fabric.bit_error_rate, &fabric.reliability.protocol},
                 "bit errors are not modelled on a graph; leave them out");
  }
  FabricAbilities abilities(const config::FabricSpec& fabric) const override {
    FabricAbilities abilities;
    abilities.endpoint_memory = false;
    abilities.dateline_channels = !fabric.as<config::GraphSpec>().rings.empty();
    return abilities;
  }
  std::uint32_t npus(const config::WaferSpec& wafer) const override {
    return wafer.fabric.as<config::GraphSpec>().npus;
  }
  TimePs horizon_ps(const config::WaferSpec& wafer) const override {
    return graph_horizon_ps(params_of(wafer));
  }
  std::unique_ptr<Fabric> make(const config::WaferSpec& wafer, const BuildContext& in) const override {
    return make_graph_fabric(params_of(wafer), in);
  }
  FabricTraits traits(const config::WaferSpec& wafer) const override {
    return graph_traits(params_of(wafer));
  }
  FabricLinkRate fastest_link(const config::WaferSpec& wafer) const override {
    return wafertlm::fastest_link(*params_of(wafer).graph);
  }
  std::string describe(const config::WaferSpec& wafer) const override {
    return describe_graph(wafer.fabric.as<config::GraphSpec>().name, params_of(wafer));
  }
};

}  // namespace

std::unique_ptr<const FabricKind> graph_kind() { return std::make_unique<GraphKind>(); }

}  // namespace wafertlm
