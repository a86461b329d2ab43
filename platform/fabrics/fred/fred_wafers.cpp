// SPDX-License-Identifier: Apache-2.0
#include "platform/fabrics/fred/fred_wafers.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/fabrics/fred/fred_kind.h"
#include "platform/fabrics/wafers/wafers_check.h"
#include "platform/fabrics/wafers/wafers_kind.h"

namespace wafertlm {

void check_several_freds(const config::WaferSpec& wafer, const config::Check& check) {
  const auto& fred = wafer.fabric.as<FredParams>();
  if (fred.in_network)
    check.fail({&fred.in_network, &wafer.outer},
               "collectives of several FRED wafers reduce at the NPUs: set {}: false, as fred_a and fred_c "
               "have it",
               check.path(&fred.in_network));
  if (fred.is_physical())
    check.fail({&fred.view, &wafer.outer},
               "several FRED wafers have whole switches and no chips: set {}: "
               "logical",
               check.path(&fred.view));
  check_several_wafers(
      wafer, {"a number, such as 18", {&fred.geometry.l1_switches, &fred.geometry.npus_per_l1}}, check);
}

namespace {

/// Switches of a wafer as FredFabric numbers them: L1, L2, L3.
struct TreeNumbers {
  explicit TreeNumbers(const FredGeometry& geometry)
      : at(geometry), l2(at.l1_switches), l3(l2 + at.l2_switches) {}

  std::uint32_t above(std::uint32_t l1) const { return l2 + at.l2_of(l1); }
  /// Up from an L1 switch to the first switch that both are below, and down.
  std::vector<std::uint32_t> way(std::uint32_t from, std::uint32_t to) const {
    if (from == to) return {from};
    if (above(from) == above(to)) return {from, above(from), to};
    return {from, above(from), l3, above(to), to};
  }

  FredGeometry at;
  std::uint32_t l2, l3;  // the first of them
};

/// With the buffers that FredFabric makes.
FabricGraph::Link tree_link(const FredParams& fred, std::uint32_t below, std::uint32_t above,
                            std::uint64_t bytes_per_s) {
  FabricGraph::Link link{below, above, bytes_per_s, fred.link_latency_ps};
  link.buffer_packets = static_cast<std::uint32_t>(2 * fred.streams(bytes_per_s));
  return link;
}

void add_switches(const FredParams& fred, WaferPiece& piece) {
  const FredGeometry& at = fred.geometry;
  const TreeNumbers numbers(at);
  const auto add = [&](std::uint32_t level, std::uint32_t count) {
    for (std::uint32_t n = 0; n < count; ++n)
      piece.switches.push_back({fmt::format("l{}_{}", level, n), fred.pipeline_ps(level)});
  };
  add(1, at.l1_switches);
  add(2, at.l2_switches);
  if (at.levels() == 3) add(3, 1);
  for (std::uint32_t l1 = 0; l1 < at.l1_switches; ++l1)
    piece.links.push_back(tree_link(fred, l1, numbers.above(l1), fred.l1_uplink_bytes_per_s));
  for (std::uint32_t n = 0; at.levels() == 3 && n < at.l2_switches; ++n)
    piece.links.push_back(tree_link(fred, numbers.l2 + n, numbers.l3, fred.l2_uplink_bytes_per_s));
}

/// Behind an NPU's port there is a window each for packets to NPUs on its switch, up, and to controllers,
/// with room for what its four DMA engines hold ready, too.
void add_npus(const FredParams& fred, WaferPiece& piece) {
  for (std::uint32_t n = 0; n < fred.geometry.npus(); ++n)
    piece.switch_of_npu.push_back(fred.geometry.l1_of(static_cast<NpuId>(n)));
  piece.npus_first = true;
  piece.injection = piece.ejection = tree_link(fred, 0, 0, fred.npu_bytes_per_s);
  piece.injection.buffer_packets += 4;
  piece.injection.windows = 3;
  piece.ports_as_alone = true;
  piece.message_bytes_per_s = fred.npu_bytes_per_s;
}

/// NPUs of an L1 switch, L1 switches of an L2 switch, L2 switches: from NPU to NPU it is twice a dimension's
/// latency, and NPUs below an uplink share it.
std::vector<FabricDimension> tree_dimensions(const FredParams& fred) {
  const FredGeometry& at = fred.geometry;
  std::vector<FabricDimension> dimensions;
  std::uint64_t rate = fred.npu_bytes_per_s, below = 1;
  const auto add = [&](std::uint32_t level, std::uint32_t size) {
    if (level > 1) rate = std::min(rate, fred.uplink_bytes_per_s(level - 1) / below);
    dimensions.push_back({FabricDimension::Kind::switched, size, std::max<std::uint64_t>(rate, 1),
                          (fred.head_latency_ps(level) + 1) / 2});
    below *= size;
  };
  add(1, at.npus_per_l1);
  add(2, at.l1_per_l2());
  if (at.levels() == 3) add(3, at.l2_switches);
  return dimensions;
}

class SeveralFreds final : public WafersKind {
 public:
  using WafersKind::WafersKind;

  WaferPiece piece(const config::WaferSpec& wafer) const override {
    const FredParams fred = fred_params(wafer, true);
    const FredGeometry& at = fred.geometry;
    WaferPiece piece;
    add_switches(fred, piece);
    add_npus(fred, piece);
    piece.switch_of_controller = at.io;
    piece.way = [numbers = TreeNumbers(at)](std::uint32_t from, std::uint32_t to) {
      return numbers.way(from, to);
    };
    // All controllers of an L1 switch are equally near.
    piece.ways = FabricGraph::Shortest::hops_in_turn;
    piece.dimensions = tree_dimensions(fred);
    piece.to_controller_ps = fred.link_latency_ps + fred.pipeline_ps(1);
    piece.columns = at.npus_per_l1;
    piece.in_words = fmt::format("{} L1 switches with {} NPUs, {} L2{}", at.l1_switches, at.npus_per_l1,
                                 at.l2_switches, at.levels() == 3 ? ", one L3" : "");
    return piece;
  }
};

}  // namespace

const FabricKind& several_freds() {
  static const FredKind one;
  static const SeveralFreds kind(one);
  return kind;
}

}  // namespace wafertlm
