// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/dimensional/rank_places.h"

#include <optional>
#include <set>
#include <utility>

#include "tlm/shape/topology.h"

namespace wafertlm {
namespace {

using Move = EqualPlaces::Move;

std::optional<Move> move_of(DimensionAlgorithm algorithm) {
  if (algorithm == DimensionAlgorithm::double_binary_tree) return std::nullopt;
  return is_halving(algorithm) ? Move::exclusive_or : Move::add;
}

/// A message that could go round a ring either way.
bool goes_half_way(const ChunkStage& stage, std::uint32_t size) {
  return size % 2 == 0 && (size == 2 || stage.algorithm == DimensionAlgorithm::direct);
}

/// Whether the wiring is the same when coordinates are moved so.
bool allows(const FabricDimension& wiring, const BoxAxis& axis, const ChunkStage& stage, Move move) {
  switch (wiring.kind) {
    case FabricDimension::Kind::ring:
      return axis.full && move == Move::add && (wiring.opposite_is_up || !goes_half_way(stage, wiring.size));
    case FabricDimension::Kind::fully_connected:
      return axis.full;
    case FabricDimension::Kind::switched:
      return true;
    case FabricDimension::Kind::line:
      break;
  }
  return false;
}

EqualPlaces::Axis axis_of(const Group& group, const Dimensions& dimensions, std::size_t d, Move move) {
  std::set<std::uint32_t> coordinates;
  for (const NpuId npu : group) coordinates.insert(dimensions.coordinate(npu, d));
  return {d, dimensions.stride(d), dimensions[d].size, move, {coordinates.begin(), coordinates.end()}};
}

}  // namespace

std::shared_ptr<const EqualPlaces> places_of(const CollectiveRequest& request, const GroupBox& box,
                                             const std::vector<ChunkRoute>& routes,
                                             const FabricTraits& fabric) {
  const Dimensions& dimensions = fabric.topology->dimensions();
  // Of all ranks as one logical dimension: if it is one of the fabric's, too.
  const std::optional<GroupBox> physical = box_of(request.group, dimensions);
  if (!physical || physical->axes.size() != box.axes.size() || physical->position != box.position) return {};
  std::vector<std::optional<Move>> moves(box.axes.size());
  for (const ChunkRoute& route : routes)
    for (const ChunkStage& stage : route) {
      const BoxAxis& axis = physical->axes[stage.axis];
      const std::optional<Move> move = move_of(stage.algorithm);
      if (!move || !allows(dimensions[axis.dimension], axis, stage, *move)) return {};
      if (moves[stage.axis].value_or(*move) != *move) return {};
      moves[stage.axis] = move;
    }
  std::vector<EqualPlaces::Axis> axes;
  for (std::size_t a = 0; a < box.axes.size(); ++a) {
    if (!moves[a]) return {};
    axes.push_back(axis_of(request.group, dimensions, physical->axes[a].dimension, *moves[a]));
  }
  return std::make_shared<const EqualPlaces>(std::move(axes));
}

}  // namespace wafertlm
