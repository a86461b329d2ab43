// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/box.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {

/// What a chunk does on one axis of a box.
struct ChunkStage {
  enum class Kind : std::uint8_t { reduce_scatter, all_gather, all_reduce, all_to_all };
  Kind kind = Kind::all_reduce;
  std::uint32_t axis = 0;
  DimensionAlgorithm algorithm = DimensionAlgorithm::ring;
  std::uint32_t scattered = 0;   ///< bit per axis over which the chunk is scattered before the stage
  std::uint64_t sent_bytes = 0;  ///< by each rank, nearly
};
using ChunkRoute = std::vector<ChunkStage>;

/// All-to-all in which each rank passes on what comes to the next one until it is where it belongs.
inline bool is_passed_on(const ChunkStage& stage) {
  return stage.kind == ChunkStage::Kind::all_to_all && stage.algorithm == DimensionAlgorithm::ring;
}
/// Rounds of a stage among `size` ranks, of an all-reduce in one of its two halves.
std::uint32_t rounds_one_way(const ChunkStage& stage, std::uint32_t size);
/// The same of messages that wait for each other: direct exchanges with HierarchyOptions::direct_window peers
/// at a time.
std::uint32_t turns_one_way(const ChunkStage& stage, std::uint32_t size, std::uint32_t direct_window);
/// Bytes that each of `size` ranks sends in a stage that starts with `held` bytes.
std::uint64_t sent_by_each(const ChunkStage& stage, std::uint64_t held, std::uint32_t size);
/// Bytes whose reductions a stage among `size` ranks pays for one after the other. All that is received is
/// reduced; what comes from all peers at once is, too.
std::uint64_t reduced_bytes(const ChunkStage& stage, std::uint32_t size, HierarchyOptions::Reductions rule);

/// The stages of every chunk: their order by HierarchyOptions::order, their algorithms by dimension.
/// Themis: arXiv 2110.04478, section 4: the loads of the dimensions begin at steps × latency; each chunk goes
/// to those with the least load first, unless they differ by less than a threshold.
/// @throws std::invalid_argument: halving or a binary tree where the group has not a power of two of
/// coordinates, a tree where there is more to do than all-reduces; the message names algorithms that work.
std::vector<ChunkRoute> chunk_routes(const CollectiveRequest& request, const GroupBox& box,
                                     const FabricTraits& fabric);

/// What a stage costs on idle links.
struct StageCost {
  TimePs busy_ps = 0;     ///< bytes over bandwidth of the busiest link
  TimePs latency_ps = 0;  ///< all of its rounds: of links and endpoints
};
StageCost cost_of(const ChunkStage& stage, const GroupBox& box, const FabricTraits& fabric);

/// A small event model of the stages: a dimension sends one stage's bytes at a time, first come first served
/// or fewest bytes first, and the latency of a stage delays only the chunk's next one.
struct StageSchedule {
  TimePs end_ps = 0;
  struct Entry {
    std::uint32_t chunk, stage;
  };
  std::vector<std::vector<Entry>> order;  ///< by axis: in which the stages begin
};
StageSchedule schedule_stages(const std::vector<ChunkRoute>& routes, const GroupBox& box,
                              const FabricTraits& fabric);

}  // namespace wafertlm
