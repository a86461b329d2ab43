// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "platform/describe/value_types.h"
#include "platform/spec/descriptions.h"
#include "platform/spec/fabric_kinds.h"
#include "platform/spec/wafer_spec.h"

namespace wafertlm::config {
namespace {

std::shared_ptr<const Struct<IoPort>> io_port_type() {
  auto type = std::make_shared<Struct<IoPort>>("io_port");
  type->required("npu", &IoPort::npu, integer<NpuId>(0, 65'535), "NPU on the edge of the wafer")
      .required("side", &IoPort::side, side_type(), "Side of the NPU that has no neighbour");
  return type;
}

/// A word, a number, or a list of places.
class IoControllers : public TypeOf<IoControllersSpec> {
 public:
  IoControllersSpec read(const Reader& in) const override {
    IoControllersSpec spec;
    if (in.node().kind == Node::Kind::list) {
      spec.placement = IoPlacement::listed;
      spec.list = list_->read(in);
    } else if (in.node().kind != Node::Kind::scalar) {
      in.fail_type("'perimeter', 'none', a number or a list of places such as {npu: 0, side: west}");
    } else if (!in.node().text.empty() &&
               in.node().text.find_first_not_of("0123456789") == std::string::npos) {
      spec.placement = IoPlacement::spread;
      spec.count = number_->read(in);
    } else {
      spec.placement = word_->read(in);
    }
    return spec;
  }
  Node write(const IoControllersSpec& spec) const override {
    if (spec.placement == IoPlacement::listed) return list_->write(spec.list);
    if (spec.placement == IoPlacement::spread) return number_->write(spec.count);
    return word_->write(spec.placement);
  }
  std::optional<std::string> locate(const IoControllersSpec& spec, const void* address) const override {
    return list_->locate(spec.list, address);
  }
  Json schema(SchemaStyle style, SchemaDefs& defs) const override {
    return {
        {"anyOf", {word_->schema(style, defs), number_->schema(style, defs), list_->schema(style, defs)}}};
  }

 private:
  TypePtr<IoPlacement> word_ =
      choice<IoPlacement>({{"none", IoPlacement::none}, {"perimeter", IoPlacement::perimeter}});
  TypePtr<std::uint32_t> number_ = integer<std::uint32_t>(1, 1024);
  TypePtr<std::vector<IoPort>> list_ = list_of<IoPort>(io_port_type(), 1, 1024);
};

std::shared_ptr<const Struct<OuterEthernet>> outer_ethernet_type() {
  auto type = std::make_shared<Struct<OuterEthernet>>("outer_ethernet");
  type->optional(
          "mtu", &OuterEthernet::mtu_bytes, held_as<std::uint32_t>(any_size("64 B", "9216 B")),
          "Payload of a frame, which packets of the wafers fill; its headers take their part of the "
          "link's bandwidth. What a last frame lacks, and what headers weigh for a lone packet, is not "
          "modelled")
      .optional("vlan", &OuterEthernet::vlan, boolean(), "Frames have a VLAN tag")
      .optional("ipv6", &OuterEthernet::ipv6, boolean(), "IPv6 in place of IPv4")
      .optional("switch_latency", &OuterEthernet::switch_latency_ps, any_time(),
                "From the head of a packet at an outer switch's input to its output");
  return type;
}

std::shared_ptr<const Struct<OuterSpec>> outer_type() {
  auto type = std::make_shared<Struct<OuterSpec>>("outer");
  type->required("wafers", &OuterSpec::wafers, integer<std::uint32_t>(2, 64), "How many there are, all alike")
      .required("topology", &OuterSpec::topology,
                one_of<OuterTopology>({std::begin(kOuterTopologies), std::end(kOuterTopologies)}),
                "ring: controller k of a wafer and of the next one have a link; switch: the controllers k of "
                "all have a link to a switch of their own; direct: the controllers k of any two have a link, "
                "so a controller has one less than there are wafers")
      .required("bandwidth", &OuterSpec::bandwidth_bytes_per_s, any_bandwidth(),
                "Of such a link, per direction; where a controller has several, they share io.bandwidth")
      .required("latency", &OuterSpec::latency_ps, any_time("1 ps"),
                "Of such a link; credits take as long to come back")
      .optional("ethernet", &OuterSpec::ethernet, maybe<OuterEthernet>(outer_ethernet_type()),
                "The links are RoCE v2: frames have headers, and priority flow control makes them lossless, "
                "whose round trip is that of credits. Congestion control (ECN, DCQCN) and loss are not "
                "modelled; wafer.fabric.kind: ethernet has them")
      .check([](const OuterSpec& outer, const Check& check) {
        if (outer.ethernet && outer.ethernet->switch_latency_ps != 0 &&
            outer.topology != OuterTopology::switched)
          check.fail({&outer.ethernet->switch_latency_ps, &outer.topology},
                     "there are outer switches only with {}: switch; leave it out",
                     check.path(&outer.topology));
      });
  return type;
}

std::shared_ptr<const Struct<IoSpec>> io_type() {
  auto type = std::make_shared<Struct<IoSpec>>("io");
  type->optional("controllers", &IoSpec::controllers, std::make_shared<IoControllers>(),
                 "Where I/O controllers are: none; on a mesh perimeter, one on every side of an NPU that has "
                 "no neighbour, or a list of places; on FRED a number, spread evenly over the L1 switches")
      .optional("bandwidth", &IoSpec::bandwidth_bytes_per_s, any_bandwidth(),
                "Of one controller, in each direction")
      .optional("latency", &IoSpec::latency_ps, any_time(),
                "Between a controller and its router or L1 switch")
      .optional("chunk", &IoSpec::chunk_bytes, auto_or(any_size("1 B", "1 TB")),
                "Piece of a stream that is passed on as a whole; auto: so small that filling the pipeline "
                "takes less than 1 %, but at least 4 KiB or a packet; larger where messages have costs")
      .check([](const IoSpec& io, const Check& check) {
        if (io.controllers.placement != IoPlacement::none) return;
        const std::string why =
            "has no effect without I/O controllers; set " + check.path(&io.controllers) + " to perimeter";
        check.require_default(io, {&io.controllers}, why, &IoSpec::bandwidth_bytes_per_s, &IoSpec::latency_ps,
                              &IoSpec::chunk_bytes);
      });
  return type;
}

}  // namespace

const TypePtr<Side>& side_type() {
  static const TypePtr<Side> type = one_of<Side>({"east", "west", "north", "south"});
  return type;
}

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
                "More wafers like this one, connected through their I/O controllers; of meshes, and of FRED "
                "with whole switches that do not reduce")
      .optional(
          "defects", [](auto& wafer) -> auto& { return wafer.fabric.defects; }, defects_type(),
          "Parts that do not work")
      .check([](const WaferSpec& wafer, const Check& check) {
        wafer.fabric.kind->check_wafer(wafer, check);
        check_defects(wafer, check);
      });
  return type;
}

std::uint32_t WaferSpec::npu_count() const { return fabric_kind(*this).npus(*this); }

}  // namespace wafertlm::config
