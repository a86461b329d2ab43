// SPDX-License-Identifier: Apache-2.0
#include "platform/config/dimensional_type.h"

#include <fmt/format.h>

#include "platform/config/value_types.h"
#include "tlm/link/class_table.h"

namespace wafertlm::config {
namespace {

std::shared_ptr<const Struct<DimensionSpec>> dimension_type() {
  const auto size = integer<std::uint32_t>(1, 65'536);
  auto type = std::make_shared<Struct<DimensionSpec>>("dimension");
  type->required("topology", &DimensionSpec::topology,
                 choice<DimensionTopology>({{"ring", DimensionTopology::ring},
                                            {"fully_connected", DimensionTopology::fully_connected},
                                            {"switch", DimensionTopology::switched},
                                            {"mesh", DimensionTopology::mesh},
                                            {"torus", DimensionTopology::torus}}),
                 "How NPUs are wired that differ in this coordinate only")
      .required("size", &DimensionSpec::size, size, "NPUs in the dimension")
      .optional("shape", &DimensionSpec::shape, list_of(size, 0, 8),
                "Sides of a mesh or torus, whose product is the size; each is a dimension of its own to "
                "collectives")
      .required("bandwidth", &DimensionSpec::bandwidth_bytes_per_s,
                whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s"), "Of a link, per direction")
      .required("latency", &DimensionSpec::latency_ps, whole_quantity(time_dimension(), "0 ps", "1 s"),
                "Of a link; of a switch there are two on the way. 0 only with transport: messages");
  return type;
}

std::shared_ptr<const Struct<OtherLinkSpec>> other_link_type() {
  auto type = std::make_shared<Struct<OtherLinkSpec>>("other_link");
  type->required("npu", &OtherLinkSpec::npu, integer<NpuId>(0, 65'535), "Whose links")
      .required("dimension", &OtherLinkSpec::dimension, integer<std::uint32_t>(0, 31),
                "In which dimension, the sides of meshes and tori counted each")
      .required("bandwidth", &OtherLinkSpec::bandwidth_bytes_per_s,
                whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s"), "Of such a link, per direction")
      .required("latency", &OtherLinkSpec::latency_ps, whole_quantity(time_dimension(), "1 ps", "1 s"),
                "Of such a link");
  return type;
}

FabricDimension::Kind kind_of(DimensionTopology topology) {
  switch (topology) {
    case DimensionTopology::fully_connected:
      return FabricDimension::Kind::fully_connected;
    case DimensionTopology::switched:
      return FabricDimension::Kind::switched;
    case DimensionTopology::mesh:
      return FabricDimension::Kind::line;
    case DimensionTopology::ring:
    case DimensionTopology::torus:
      break;
  }
  return FabricDimension::Kind::ring;
}

}  // namespace

Dimensions DimensionalSpec::expanded() const {
  std::vector<FabricDimension> list;
  for (const DimensionSpec& each : dimensions) {
    const std::vector<std::uint32_t> sides =
        each.shape.empty() ? std::vector<std::uint32_t>{each.size} : each.shape;
    for (const std::uint32_t side : sides)
      list.push_back({kind_of(each.topology), side, each.bandwidth_bytes_per_s, each.latency_ps});
  }
  return Dimensions(std::move(list));
}

void add_dimensional_keys(Struct<FabricSpec>& type) {
  const auto of = [](auto member) {
    return [member](auto& spec) -> auto& { return spec.dimensional.*member; };
  };
  type.required("dimensions", of(&DimensionalSpec::dimensions),
                list_of<DimensionSpec>(dimension_type(), 1, 16),
                "The dimensions; the first varies fastest in the NPU's number")
      .optional(
          "other_links", of(&DimensionalSpec::other_links),
          list_of<OtherLinkSpec>(other_link_type(), 0, 65'536),
          "Links of single NPUs that differ from the others of their dimension: those that it sends on, of a "
          "switch both directions")
      .optional("transport", of(&DimensionalSpec::transport),
                choice<Transport>({{"packets", Transport::packets}, {"messages", Transport::messages}}),
                "packets: through switches with buffers; messages: each message in one piece, with room for "
                "all of them everywhere, in an engine of its own that is many times as fast");
}

void check_dimensional(const FabricSpec& fabric, const Check& check) {
  if (fabric.wiring != Wiring::dimensional) return;
  if (fabric.link_latency_ps != FabricSpec().link_latency_ps)  // resolved files have the default
    check.fail({&fabric.link_latency_ps},
               "has no effect: each dimension has a latency of its own; leave it out");
  constexpr std::uint64_t kMostNpus = 65'536;
  std::uint64_t npus = 1;
  bool rings = false;
  std::size_t sides = 0;
  for (const DimensionSpec& each : fabric.dimensional.dimensions) {
    std::uint64_t product = 1;
    for (const std::uint32_t side : each.shape) product *= side;
    const bool has_sides =
        each.topology == DimensionTopology::mesh || each.topology == DimensionTopology::torus;
    if (!each.shape.empty() && !has_sides)
      check.fail({&each.shape}, "only a mesh or a torus has a shape; leave it out");
    if (!each.shape.empty() && product != each.size)
      check.fail({&each.shape, &each.size},
                 fmt::format("the sides multiply to {}, but the dimension has {} NPUs", product, each.size));
    rings = rings || each.topology == DimensionTopology::ring || each.topology == DimensionTopology::torus;
    if (each.latency_ps == 0 && fabric.dimensional.transport == Transport::packets)
      check.fail({&each.latency_ps}, "packets need 1 ps or more; take that, or transport: messages");
    sides += each.shape.empty() ? 1 : each.shape.size();
    npus *= each.size;
    if (npus > kMostNpus)
      check.fail({&each.size}, fmt::format("the sizes multiply to more than {} NPUs", kMostNpus));
  }
  for (const OtherLinkSpec& other : fabric.dimensional.other_links) {
    if (index_of(other.npu) >= npus)
      check.fail({&other.npu},
                 fmt::format("there is no NPU {}; they are 0 to {}", index_of(other.npu), npus - 1));
    if (other.dimension >= sides)
      check.fail({&other.dimension},
                 fmt::format("there is no dimension {}; they are 0 to {}", other.dimension, sides - 1));
  }
  if (rings && 2 * fabric.virtual_channels > kMaxVcs)
    check.fail({&fabric.virtual_channels},
               fmt::format("rings need two channels for each, so at most {} are possible", kMaxVcs / 2));
  if (fabric.input_queue == InputQueue::fifo)
    check.fail({&fabric.input_queue}, "dimensions need a queue per output: per_output");
  if (fabric.dimensional.transport == Transport::messages) {
    const auto unused = [&](const auto* member) {
      if (check.is_written(member))
        check.fail({member}, "has no effect with transport: messages; leave it out");
    };
    unused(&fabric.packet_bytes);
    unused(&fabric.input_buffer_bytes);
    unused(&fabric.credit_delay_ps);
  }
  if (fabric.is_reliable())
    check.fail({&fabric.bit_error_rate, &fabric.reliability.protocol},
               "bit errors are not modelled on a fabric of dimensions; leave them out");
}

std::shared_ptr<const Struct<ByDimensionSpec>> by_dimension_type() {
  std::vector<std::pair<std::string, DimensionAlgorithm>> words;
  for (const DimensionAlgorithm algorithm : kDimensionAlgorithms)
    words.emplace_back(to_string(algorithm), algorithm);
  const auto algorithms = list_of(choice<DimensionAlgorithm>(words), 0, 32);
  using Order = HierarchyOptions::Order;
  using Within = HierarchyOptions::Within;
  auto type = std::make_shared<Struct<ByDimensionSpec>>("by_dimension");
  type->optional(
          "order", &ByDimensionSpec::order,
          choice<Order>({{"local_bandwidth_aware", Order::local_bandwidth_aware},
                         {"ascending", Order::ascending},
                         {"per_dimension", Order::per_dimension},
                         {"themis", Order::themis}}),
          "The dimensions that a chunk goes through: reduce-scatter up, all-reduce in the last, all-gather "
          "down; without that all-reduce; an all-reduce in each; or for each chunk those with the least load "
          "first")
      .optional("within", &ByDimensionSpec::within,
                choice<Within>({{"fifo", Within::fifo}, {"smallest_first", Within::smallest_first}}),
                "Whose message a port sends first: of the stage that came first, or of the one with the "
                "fewest bytes")
      .optional("active_chunks", &ByDimensionSpec::active_chunks, auto_or(integer<std::uint64_t>(1, 65'536)),
                "Chunks that are in a dimension at a time; auto: all")
      .optional("all_reduce", &ByDimensionSpec::all_reduce, algorithms,
                "By dimension; the last one holds for those behind it. auto: ring on rings and meshes, "
                "direct where "
                "fully connected, halving_doubling on switches of a power of two, else direct")
      .optional("all_gather", &ByDimensionSpec::all_gather, algorithms, "The same of all-gather")
      .optional("reduce_scatter", &ByDimensionSpec::reduce_scatter, algorithms, "The same of reduce-scatter")
      .optional("all_to_all", &ByDimensionSpec::all_to_all, algorithms, "The same of all-to-all")
      .optional("direct_window", &ByDimensionSpec::direct_window, integer<std::uint32_t>(0, 65'536),
                "Peers that direct exchanges with at a time; 0: all");
  return type;
}

}  // namespace wafertlm::config
