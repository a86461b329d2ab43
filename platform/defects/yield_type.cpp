// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <ostream>

#include "platform/defects/defect_model.h"
#include "platform/describe/document.h"
#include "platform/describe/file_kind.h"
#include "platform/describe/override.h"
#include "platform/describe/struct_type.h"
#include "platform/describe/value_types.h"

namespace wafertlm::wafer_yield {
namespace {

using namespace config;

constexpr std::uint32_t kCellsAtMost = 1'000'000;

std::shared_ptr<const Struct<PartSpec>> part_type() {
  auto made = std::make_shared<Struct<PartSpec>>("yield_part");
  made->required("area_mm2", &PartSpec::area_mm2, number(0, 100'000), "Of each, in mm²")
      .required("defects_per_mm2", &PartSpec::defects_per_mm2, number(0, 1000), "Killer defects in a mm²");
  return made;
}

std::shared_ptr<const Struct<Spares>> spares_type() {
  const auto count = integer<std::uint32_t>(0, 64);
  auto made = std::make_shared<Struct<Spares>>("yield_spares");
  made->optional("rows", &Spares::rows, count, "Spare rows among those of the grid")
      .optional("columns", &Spares::columns, count, "Spare columns among those of the grid")
      .optional("npus", &Spares::npus, integer<std::uint32_t>(0, 10'000),
                "So many NPUs may be dead, if routes go around holes")
      .optional("repair_links_mm2", &Spares::repair_links_mm2, maybe<double>(number(0, 1000)),
                "Area of an NPU's six 2-hop links, with which a column jumps over dead ones, in mm²");
  return made;
}

void check_yield(const YieldSpec& spec, const Check& check) {
  if (std::uint64_t{spec.columns} * spec.rows > kCellsAtMost)
    check.fail({&spec.columns, &spec.rows}, "the grid has more than {} cells", kCellsAtMost);
  // The corners are farthest out.
  if (distance_to_edge_mm(spec, 0) < 0)
    check.fail({&spec.columns, &spec.rows, &spec.cell_width_mm, &spec.cell_height_mm, &spec.diameter_mm},
               "the centre of the corner NPU is {:.1f} mm outside the wafer", -distance_to_edge_mm(spec, 0));
  if (spec.spares.rows >= spec.rows) check.fail({&spec.spares.rows}, "must be below rows ({})", spec.rows);
  if (spec.spares.columns >= spec.columns)
    check.fail({&spec.spares.columns}, "must be below columns ({})", spec.columns);
  if (spec.spares.npus >= spec.cells())
    check.fail({&spec.spares.npus}, "must be below the number of NPUs ({})", spec.cells());
  if (spec.spares.repair_links_mm2 && spec.spares.rows == 0)
    check.fail({&spec.spares.repair_links_mm2}, "has no effect without spare 'rows'");
}

}  // namespace

std::shared_ptr<const Struct<YieldSpec>> yield_type() {
  using Y = YieldSpec;
  static const auto type = [] {
    const auto count = integer<std::uint32_t>(1, 10'000), cluster = integer<std::uint32_t>(0, 10'000);
    const auto length = number(0.001, 1000);
    const auto part = part_type();
    auto made = std::make_shared<Struct<Y>>("yield");
    made->required("yield", &Y::name, text(), "Name of the model")
        .required("columns", &Y::columns, count, "Of the grid of NPUs, as manufactured")
        .required("rows", &Y::rows, count, "Of the grid of NPUs, as manufactured")
        .required("cell_width_mm", &Y::cell_width_mm, length, "From NPU to NPU in a row, in mm")
        .required("cell_height_mm", &Y::cell_height_mm, length, "From NPU to NPU in a column, in mm")
        .optional("diameter_mm", &Y::diameter_mm, number(1, 1000), "Of the wafer, in mm")
        .required("npu", &Y::npu, part, "Each NPU")
        .optional("router", &Y::router, part, "Each NPU's router; with a dead one the NPU is lost")
        .optional("link", &Y::link, part, "Each link between neighbours")
        .optional("law", &Y::law, one_of<Law>({"poisson", "negative_binomial"}),
                  "How defects fall: each for itself, or in clusters")
        .optional("alpha", &Y::alpha, number(0.01, 1000), "Clusters: the smaller, the stronger")
        .when(&Y::law, Law::negative_binomial)
        .optional("cluster_columns", &Y::cluster_columns, cluster,
                  "NPUs of a region of one density; 0: the wafer's")
        .when(&Y::law, Law::negative_binomial)
        .optional("cluster_rows", &Y::cluster_rows, cluster,
                  "NPUs of a region of one density; 0: the wafer's")
        .when(&Y::law, Law::negative_binomial)
        .optional("edge_mm", &Y::edge_mm, number(0, 1000),
                  "NPUs whose centre is nearer to the wafer's edge have another density, in mm")
        .optional("edge_factor", &Y::edge_factor, number(0, 1000), "Their density, times that of others")
        .optional("spares", &Y::spares, spares_type(), "What may take the place of dead parts")
        .optional("wafers", &Y::wafers, integer<std::uint32_t>(2, 1'000'000), "That are drawn")
        .optional("seed", &Y::seed, integer<std::uint64_t>(0, 1'000'000'000'000), "Of the random numbers")
        .presets_in("yield")
        .check(check_yield);
    return made;
  }();
  return type;
}

YieldSpec load_yield(const std::string& path, const std::vector<std::string>& overrides) {
  Node root = load_document(path, "yield", "configs/yield/wafer_20x20.yaml");
  for (const std::string& text : overrides) apply_override(root, *yield_type(), text);
  Origins origins;
  return yield_type()->read(Reader(root, "", origins));
}

FileKind yield_file_kind() {
  return {yield_type().get(), "yield", "a wafer's parts, defects and spares",
          [](const CheckRequest& request, std::ostream& out) {
            out << check_line("yield", load_yield(request.file).name);
          }};
}

}  // namespace wafertlm::wafer_yield
