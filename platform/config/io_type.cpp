// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "platform/config/platform_type.h"
#include "platform/config/value_types.h"

namespace wafertlm::config {

namespace {

const TypePtr<Side>& side_type() {
  static const TypePtr<Side> type = choice<Side>(
      {{"east", Side::east}, {"west", Side::west}, {"north", Side::north}, {"south", Side::south}});
  return type;
}

std::shared_ptr<const Struct<IoPortSpec>> io_port_type() {
  auto type = std::make_shared<Struct<IoPortSpec>>("io_port");
  type->required("npu", &IoPortSpec::npu, integer<NpuId>(0, 65'535), "NPU on the edge of the wafer")
      .required("side", &IoPortSpec::side, side_type(), "Side of the NPU that has no neighbour");
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
    switch (spec.placement) {
      case IoPlacement::listed:
        return list_->write(spec.list);
      case IoPlacement::spread:
        return number_->write(spec.count);
      case IoPlacement::none:
      case IoPlacement::perimeter:
        break;
    }
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
  TypePtr<std::vector<IoPortSpec>> list_ = list_of<IoPortSpec>(io_port_type(), 1, 1024);
};

}  // namespace

bool WaferSpec::is_free(NpuId npu, Side side) const {
  const std::size_t column = index_of(npu) % width, row = index_of(npu) / width;
  switch (side) {
    case Side::east:
      return column + 1 == width;
    case Side::west:
      return column == 0;
    case Side::north:
      return row == 0;
    case Side::south:
      break;
  }
  return row + 1 == height;
}

std::shared_ptr<const Struct<IoSpec>> io_type() {
  auto type = std::make_shared<Struct<IoSpec>>("io");
  type->optional(
          "controllers", &IoSpec::controllers, std::make_shared<IoControllers>(),
          "Where I/O controllers are: none; on a mesh perimeter, one on every side of an NPU that has no "
          "neighbour, or a list of places; on FRED a number, spread evenly over the L1 switches")
      .optional("bandwidth", &IoSpec::bandwidth_bytes_per_s,
                whole_quantity(bandwidth_dimension(), "1 B/s", "9 PB/s"),
                "Of one controller, in each direction")
      .optional("latency", &IoSpec::latency_ps, whole_quantity(time_dimension(), "0 ps", "1 s"),
                "Between a controller and its router or L1 switch")
      .optional("chunk", &IoSpec::chunk_bytes, auto_or(whole_quantity(size_dimension(), "1 B", "1 TB")),
                "Piece of a stream that is passed on as a whole; auto: so small that filling the pipeline "
                "takes less than 1 %, but at least 4 KiB or a packet; larger where messages have costs")
      .check([](const IoSpec& io, const Check& check) {
        const IoSpec untouched;
        if (io.controllers.placement != IoPlacement::none) return;
        const std::string why =
            "has no effect without I/O controllers; set " + check.path(&io.controllers) + " to perimeter";
        if (io.bandwidth_bytes_per_s != untouched.bandwidth_bytes_per_s)
          check.fail({&io.bandwidth_bytes_per_s}, why);
        if (io.latency_ps != untouched.latency_ps) check.fail({&io.latency_ps}, why);
        if (io.chunk_bytes != untouched.chunk_bytes) check.fail({&io.chunk_bytes}, why);
      });
  return type;
}

void check_io(const WaferSpec& wafer, const Check& check) {
  const IoPlacement placement = wafer.io.controllers.placement;
  const bool fred = wafer.fabric.wiring == Wiring::fred;
  if ((wafer.fabric.wiring == Wiring::dimensional || wafer.fabric.wiring == Wiring::graph) &&
      placement != IoPlacement::none)
    check.fail({&wafer.io.controllers},
               "there are no I/O controllers on a fabric of dimensions or a graph; leave them out");
  if (fred && (placement == IoPlacement::perimeter || placement == IoPlacement::listed))
    check.fail(
        {&wafer.io.controllers},
        "a tree of FRED switches has no edge; give the number of controllers, which are spread over the "
        "L1 switches");
  if (!fred && placement == IoPlacement::spread)
    check.fail({&wafer.io.controllers},
               "a number of controllers goes with 'wafer.fabric.kind: fred'; on a mesh give 'perimeter' or a "
               "list of places such as {npu: 0, side: west}");
  std::set<std::pair<NpuId, Side>> places;
  for (const IoPortSpec& port : wafer.io.controllers.list) {
    const auto side = side_type()->write(port.side).text;
    if (index_of(port.npu) >= wafer.npu_count())
      check.fail({&port.npu},
                 fmt::format("there is no NPU {}; the {}x{} wafer has NPUs 0 to {}", index_of(port.npu),
                             wafer.width, wafer.height, wafer.npu_count() - 1));
    if (!wafer.is_free(port.npu, port.side))
      check.fail({&port.side}, fmt::format("NPU {} has a neighbour on its {} side; an I/O controller needs a "
                                           "side on the edge of the {}x{} wafer",
                                           index_of(port.npu), side, wafer.width, wafer.height));
    if (!places.insert({port.npu, port.side}).second)
      check.fail({&port.npu}, fmt::format("there is already a controller on the {} side of NPU {}", side,
                                          index_of(port.npu)));
  }
}

}  // namespace wafertlm::config
