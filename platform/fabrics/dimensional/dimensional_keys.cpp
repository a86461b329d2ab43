// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"
#include "platform/fabrics/dimensional/dimensional_kind.h"
#include "tlm/packets/class_table.h"

namespace wafertlm {
namespace config {
namespace {

std::shared_ptr<const Struct<DimensionGroup>> dimension_type() {
  const auto size = integer<std::uint32_t>(1, 65'536);
  auto type = std::make_shared<Struct<DimensionGroup>>("dimension");
  type->required("topology", &DimensionGroup::topology,
                 one_of<DimensionGroup::Topology>({"ring", "fully_connected", "switch", "mesh", "torus"}),
                 "How NPUs are wired that differ in this coordinate only")
      .required("size", &DimensionGroup::size, size, "NPUs in the dimension")
      .optional("shape", &DimensionGroup::shape, list_of(size, 0, 8),
                "Sides of a mesh or torus, whose product is the size; each is a dimension of its own to "
                "collectives")
      .required("bandwidth", &DimensionGroup::bytes_per_s, any_bandwidth(), "Of a link, per direction")
      .required("latency", &DimensionGroup::latency_ps, any_time(),
                "Of a link; of a switch there are two on the way. 0 only with transport: messages")
      .optional("in_network", &DimensionGroup::in_network, fraction(1),
                "Part of a link's rate that flows get which the switch reduces and distributes; 0: it does "
                "not. Needs topology: switch and transport: messages");
  return type;
}

std::shared_ptr<const Struct<OtherLink>> other_link_type() {
  auto type = std::make_shared<Struct<OtherLink>>("other_link");
  type->required("npu", &OtherLink::npu, integer<NpuId>(0, 65'535), "Whose links")
      .required("dimension", &OtherLink::dimension, integer<std::uint32_t>(0, 31),
                "In which dimension, the sides of meshes and tori counted each")
      .required("bandwidth", &OtherLink::bytes_per_s, any_bandwidth(), "Of such a link, per direction")
      .required("latency", &OtherLink::latency_ps, any_time("1 ps"), "Of such a link");
  return type;
}

/// @return the number of dimensions, the sides of meshes and tori counted each, and of NPUs
std::pair<std::size_t, std::uint64_t> check_groups(const DimensionalParams& params, const Check& check) {
  constexpr std::uint64_t kMaxNpus = 65'536;
  std::uint64_t npus = 1;
  std::vector<const void*> sizes;
  std::size_t sides = 0;
  for (const DimensionGroup& each : params.groups) {
    using Topology = DimensionGroup::Topology;
    std::uint64_t product = 1;
    for (const std::uint32_t side : each.shape) product *= side;
    const bool has_sides = each.topology == Topology::mesh || each.topology == Topology::torus;
    if (!each.shape.empty() && !has_sides)
      check.fail({&each.shape, &each.topology}, "only a mesh or a torus has a shape; leave it out");
    if (!each.shape.empty() && product != each.size)
      check.fail({&each.shape, &each.size}, "the sides multiply to {}, but the dimension has {} NPUs",
                 product, each.size);
    if (each.latency_ps == 0 && !params.messages)
      check.fail({&each.latency_ps, &params.messages},
                 "packets need 1 ps or more; take that, or transport: messages");
    if (each.in_network > 0 && (each.topology != Topology::switched || !params.messages))
      check.fail({&each.in_network, &each.topology, &params.messages},
                 "needs topology: switch and transport: messages; leave it out");
    sides += each.shape.empty() ? 1 : each.shape.size();
    npus *= each.size;
    sizes.push_back(&each.size);
    if (npus > kMaxNpus) check.fail(sizes, "the sizes multiply to more than {} NPUs", kMaxNpus);
  }
  return {sides, npus};
}

void check_other_links(const DimensionalParams& params, std::size_t sides, std::uint64_t npus,
                       const Check& check) {
  for (const OtherLink& other : params.other_links) {
    if (index_of(other.npu) >= npus)
      check.fail({&other.npu}, "there is no NPU {}; they are 0 to {}", index_of(other.npu), npus - 1);
    if (other.dimension >= sides)
      check.fail({&other.dimension}, "there is no dimension {}; they are 0 to {}", other.dimension,
                 sides - 1);
  }
}

}  // namespace
}  // namespace config

void DimensionalKind::add_keys(config::Struct<config::FabricSpec>& fabric) const {
  using namespace config;
  fabric
      .required("dimensions", parameter(&DimensionalParams::groups),
                list_of<DimensionGroup>(dimension_type(), 1, 16),
                "The dimensions; the first varies fastest in the NPU's number")
      .optional("other_links", parameter(&DimensionalParams::other_links),
                list_of<OtherLink>(other_link_type(), 0, 65'536),
                "Links of single NPUs that differ from the others of their dimension: those that it sends "
                "on, of a switch both directions")
      .optional("ring_opposite", parameter(&DimensionalParams::opposite_is_up),
                choice<bool>({{"both_ways", false}, {"up", true}}),
                "How routes go half way round a ring: up from even coordinates and down from odd ones, or up "
                "from all (ASTRA-sim)")
      .optional("transport", parameter(&DimensionalParams::messages),
                choice<bool>({{"packets", false}, {"messages", true}}),
                "packets: through switches with buffers; messages: each message in one piece, with room for "
                "all of them everywhere, in an engine of its own that is many times as fast")
      .optional("time_step", at(parameter(&DimensionalParams::rules), &MessageRules::time_step_ps),
                any_time(),
                "Times of messages on links and of reductions are cut to multiples of it (ASTRA-sim counts "
                "in whole ns); 0 ps: they are not. Needs transport: messages")
      .optional("point_to_point",
                at(parameter(&DimensionalParams::rules), &MessageRules::bare_point_to_point),
                choice<bool>({{"costs", false}, {"bare", true}}),
                "costs: a send ends when its message has left, and both ends pay the costs of npu.endpoint; "
                "bare: it ends when the message has arrived, without costs (ASTRA-sim). Needs transport: "
                "messages")
      .optional("switch_mode", at(parameter(&DimensionalParams::rules), &MessageRules::store_and_forward),
                choice<bool>({{"cut_through", false}, {"store_and_forward", true}}),
                "When what passes a switch or another NPU goes on: when its head is there; or when all of it "
                "is (ASTRA-sim). Needs transport: messages");
}

void DimensionalKind::check(const config::FabricSpec& fabric, const config::Check& check) const {
  const auto& params = fabric.as<DimensionalParams>();
  if (fabric.link_latency_ps != FabricParams().link_latency_ps)  // resolved files have the default
    check.fail({&fabric.link_latency_ps},
               "has no effect: each dimension has a latency of its own; leave it out");
  const auto [sides, npus] = config::check_groups(params, check);
  config::check_other_links(params, sides, npus, check);
  if (std::any_of(params.groups.begin(), params.groups.end(),
                  [](const DimensionGroup& each) { return each.has_rings(); }) &&
      2 * fabric.virtual_channels > kMaxVcs)
    check.fail({&fabric.virtual_channels}, "rings need two channels for each, so at most {} are possible",
               kMaxVcs / 2);
  if (fabric.input_queue == InputQueue::fifo)
    check.fail({&fabric.input_queue}, "dimensions need a queue per output: per_output");
  if (params.messages) {
    const std::string why = "has no effect with transport: messages; leave it out";
    check.require_default(fabric.format, {&params.messages}, why, &WireFormat::packet_bytes);
    check.require_default<FabricParams>(fabric, {&params.messages}, why, &FabricParams::buffer_bytes,
                                        &FabricParams::credit_delay_ps);
  } else {
    check.require_default(params.rules, {&params.messages},
                          "has no effect without transport: messages; leave it out",
                          &MessageRules::time_step_ps, &MessageRules::bare_point_to_point);
    if (params.rules.store_and_forward)
      check.fail({&params.rules.store_and_forward},
                 "needs transport: messages; packets are passed on when their head is there");
  }
  if (fabric.is_reliable())
    check.fail({&fabric.bit_error_rate, &fabric.reliability.protocol},
               "bit errors are not modelled on a fabric of dimensions; leave them out");
}

}  // namespace wafertlm
