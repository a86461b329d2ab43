// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/dimensional/program.h"
#include "workloads/collectives/dimensional/rank_places.h"
#include "workloads/collectives/dimensional/stage_messages.h"

namespace wafertlm {
namespace {

using Kind = ChunkStage::Kind;

/// Steps of a stage before its first message, and behind its last.
constexpr std::uint32_t kBegin = 1, kEnd = 1;

GroupBox required_box(const CollectiveRequest& request, const FabricTraits& fabric) {
  auto box = box_of(request.group, fabric.topology->dimensions());
  if (!box)
    throw std::invalid_argument(
        "the group is not made of all combinations of some coordinates in the dimensions: "
        "'dimensional' cannot run on it");
  return *std::move(box);
}

/// What all ranks of a collective by dimensions share.
class DimensionalPlan {
 public:
  DimensionalPlan(const CollectiveRequest& request, GroupBox box, const std::vector<ChunkRoute>& routes,
                  const StageSchedule& schedule, const FabricTraits& fabric);

 private:
  friend class DimensionalProgram;
  struct Stage : StageMessages {
    using StageMessages::StageMessages;
    std::uint32_t first_step = 0, steps = 0;
    std::uint64_t port_order = 0;
    std::uint32_t gate_count = 0;  ///< stages of the axis that must have ended; 0: none
  };
  struct Chunk {
    std::vector<Stage> stages;
    std::uint32_t steps = 0;
  };
  struct Gate {
    std::uint32_t threadblock, count;
  };

  void set_gates(const StageSchedule& schedule, std::uint32_t active);

  CollectiveType type_;
  GroupBox box_;
  std::uint64_t bytes_;
  std::uint32_t ranks_, chunk_count_;
  TimePs stage_cost_ps_;
  std::vector<Chunk> chunks_;
  std::vector<std::vector<Gate>> gates_;  ///< by axis: the ends of its stages in their order
  std::vector<bool> is_passed_on_;        ///< by axis, of all-to-all
  HierarchyOptions::Reductions reductions_;
  bool uniform_;   ///< all blocks, chunks and halves are of the same length
  bool in_order_;  ///< ranks are positions
  std::shared_ptr<const EqualPlaces> places_;
};

/// A collective that goes through the dimensions of a fabric, chunk by chunk: a threadblock per chunk, whose
/// messages are posted round by round; with a limit of active chunks one more threadblock per axis, which
/// counts the stages that have ended there. Chunk c is part c of every rank's block.
class DimensionalProgram final : public StepSource {
 public:
  DimensionalProgram(std::shared_ptr<const DimensionalPlan> plan, std::uint32_t rank);

  std::uint32_t threadblocks() const override;
  std::uint32_t steps(std::uint32_t threadblock) const override;
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;
  bool wait_all(std::uint32_t threadblock, std::uint32_t index) const override;
  bool keeps_threadblocks() const override { return true; }
  const EqualPlaces* places() const override { return plan_->places_.get(); }
  std::vector<BufferPiece> pieces(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  const DimensionalPlan::Stage& stage_at(std::uint32_t chunk, std::uint32_t index) const;
  std::uint32_t own(const DimensionalPlan::Stage& stage) const {
    return plan_->box_.coordinate(position_, stage.is.axis);
  }
  std::uint64_t bytes_of(const DimensionalPlan::Stage& stage, std::uint32_t chunk,
                         const StageMessage& part) const;
  BufferPiece piece_of(std::uint32_t block, std::uint32_t chunk, const StageMessage& part) const;
  std::uint64_t received_at(const DimensionalPlan::Stage& stage, std::uint32_t chunk,
                            std::uint32_t position) const;

  std::shared_ptr<const DimensionalPlan> plan_;
  std::uint32_t position_;
};

DimensionalPlan::DimensionalPlan(const CollectiveRequest& request, GroupBox box,
                                 const std::vector<ChunkRoute>& routes, const StageSchedule& schedule,
                                 const FabricTraits& fabric)
    : type_(request.type),
      box_(std::move(box)),
      bytes_(request.bytes),
      ranks_(static_cast<std::uint32_t>(request.group.size())),
      chunk_count_(request.chunks),
      stage_cost_ps_(fabric.hierarchy.stage_cost_ps),
      is_passed_on_(box_.axes.size()),
      reductions_(fabric.hierarchy.reductions) {
  bool halves = false;
  for (const ChunkRoute& route : routes) {
    Chunk chunk;
    for (const ChunkStage& is : route) {
      Stage stage(is, box_.axes[is.axis].size, fabric.hierarchy.direct_window, chunks_.size() % 2 != 0);
      if (is_passed_on(is)) is_passed_on_[is.axis] = true;
      stage.first_step = chunk.steps;
      if (fabric.hierarchy.within == HierarchyOptions::Within::smallest_first)
        stage.port_order = is.sent_bytes;
      stage.steps = kBegin + stage.messages() + kEnd;
      chunk.steps += stage.steps;
      halves = halves || is.algorithm == DimensionAlgorithm::bidirectional_ring;
      chunk.stages.push_back(stage);
    }
    chunks_.push_back(std::move(chunk));
  }
  const Blocks blocks(bytes_, ranks_), parts(blocks.bytes(0), chunk_count_), half(parts.bytes(0), 2);
  const bool even = blocks.bytes(0) == blocks.bytes(ranks_ - 1);
  uniform_ =
      even && parts.bytes(0) == parts.bytes(chunk_count_ - 1) && (!halves || half.bytes(0) == half.bytes(1));
  in_order_ = std::is_sorted(box_.rank_at.begin(), box_.rank_at.end());
  if (type_ == CollectiveType::all_to_all && !even)
    throw std::invalid_argument("all_to_all by dimensions needs blocks of one length: " +
                                std::to_string(bytes_) + " B are no multiple of " + std::to_string(ranks_) +
                                " times an element; take another size or the algorithm direct");
  if (fabric.hierarchy.active_chunks != 0) set_gates(schedule, fabric.hierarchy.active_chunks);
  if (even) places_ = places_of(request, box_, routes, fabric);
}

/// Stages begin on each axis in the order of a small event model, the same at every rank, and not before all
/// but the last active_chunks − 1 in front of them have ended. The first of all that have not ended can
/// always go on, so nothing waits for ever.
void DimensionalPlan::set_gates(const StageSchedule& schedule, std::uint32_t active) {
  for (const auto& order : schedule.order) {
    gates_.emplace_back();
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      Chunk& chunk = chunks_[order[i].chunk];
      Stage& stage = chunk.stages[order[i].stage];
      const bool last = order[i].stage + 1 == chunk.stages.size();
      gates_.back().push_back(
          {order[i].chunk, last ? chunk.steps : chunk.stages[order[i].stage + 1].first_step});
      if (i >= active) stage.gate_count = i - active + 1;
    }
  }
}

DimensionalProgram::DimensionalProgram(std::shared_ptr<const DimensionalPlan> plan, std::uint32_t rank)
    : plan_(std::move(plan)), position_(plan_->box_.position[rank]) {}

std::uint32_t DimensionalProgram::threadblocks() const {
  return static_cast<std::uint32_t>(plan_->chunks_.size() + plan_->gates_.size());
}

std::uint32_t DimensionalProgram::steps(std::uint32_t threadblock) const {
  const std::size_t chunks = plan_->chunks_.size();
  return threadblock < chunks ? plan_->chunks_[threadblock].steps
                              : static_cast<std::uint32_t>(plan_->gates_[threadblock - chunks].size());
}

const DimensionalPlan::Stage& DimensionalProgram::stage_at(std::uint32_t chunk, std::uint32_t index) const {
  const auto& stages = plan_->chunks_[chunk].stages;
  std::size_t s = 0;
  while (s + 1 < stages.size() && stages[s + 1].first_step <= index) ++s;
  return stages[s];
}

Step DimensionalProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const DimensionalPlan& plan = *plan_;
  Step step;
  if (threadblock >= plan.chunks_.size()) {
    const DimensionalPlan::Gate& gate = plan.gates_[threadblock - plan.chunks_.size()][index];
    step.after_threadblock = gate.threadblock;
    step.after_count = gate.count;
    return step;
  }
  const DimensionalPlan::Stage& stage = stage_at(threadblock, index);
  const BoxAxis& axis = plan.box_.axes[stage.is.axis];
  const std::uint32_t within = index - stage.first_step;
  const auto number = static_cast<std::uint64_t>(&stage - plan.chunks_[threadblock].stages.data());
  if (within == 0) {
    step.starts_stage = true;
    step.port_order = stage.port_order;
    if (stage.gate_count != 0) {
      step.after_threadblock = static_cast<std::uint32_t>(plan.chunks_.size()) + stage.is.axis;
      step.after_count = stage.gate_count;
    }
    return step;
  }
  if (within + 1 == stage.steps) {
    step.wait_all = true;
    return step;
  }
  const StageMessage is = stage.message(own(stage), within - kBegin);
  step.kind = is.sends ? Step::Kind::send : is.reduces ? Step::Kind::reduce : Step::Kind::copy;
  step.peer = plan.box_.rank_at[position_ + (is.peer - own(stage)) * axis.stride];
  step.bytes = bytes_of(stage, threadblock, is);
  step.tag = std::uint64_t{threadblock} << 40 | number << 32 | is.tag;
  step.nonblocking = true;
  step.wait_all = is.wait_all;
  if (!is.sends && plan.reductions_ == HierarchyOptions::Reductions::astra_sim)
    step.reduced_bytes =
        bytes_of(stage, threadblock, stage.charged_by_astra_sim(own(stage), within - kBegin));
  if (is.sends && is.first_round) step.delay_ps = plan.stage_cost_ps_;
  return step;
}

bool DimensionalProgram::wait_all(std::uint32_t threadblock, std::uint32_t index) const {
  if (threadblock >= plan_->chunks_.size()) return false;
  const DimensionalPlan::Stage& stage = stage_at(threadblock, index);
  const std::uint32_t within = index - stage.first_step;
  if (within == 0) return false;
  if (within + 1 == stage.steps) return true;
  return stage.waits(own(stage), within - kBegin);
}

/// The blocks of a message have all coordinates on an axis, or not.
bool has_all(const ChunkStage& stage, std::size_t axis) {
  return axis != stage.axis && (stage.kind == Kind::all_to_all || (stage.scattered >> axis & 1) == 0);
}

/// How many blocks a message is made of, and of how many the position is below `end`.
struct BlockCounts {
  std::uint64_t all = 1, below = 0;
};

/// Digit by digit, the first axis being the lowest.
BlockCounts count_blocks(const GroupBox& box, const ChunkStage& stage, std::uint32_t own,
                         const StageMessage& part, std::uint64_t end) {
  BlockCounts counts;
  for (std::size_t a = 0; a < box.axes.size(); ++a) {
    const std::uint64_t digit = end / box.axes[a].stride % box.axes[a].size;
    const bool all = has_all(stage, a), moves = a == stage.axis;
    const std::uint64_t first = moves ? part.first
                                : all ? 0
                                      : box.coordinate(own, a),
                        stride = moves ? part.stride : 1,
                        count = moves ? part.count
                                : all ? box.axes[a].size
                                      : 1;
    const std::uint64_t lower = Blocks::below(digit, first, stride, count),
                        up_to = Blocks::below(digit + 1, first, stride, count);
    counts.below = lower * counts.all + (up_to - lower) * counts.below;
    counts.all *= count;
  }
  return counts;
}

/// Of the positions that a message is made of, one for each block.
template <typename Visit>
void for_each_position(const GroupBox& box, const ChunkStage& stage, std::uint32_t own, std::uint32_t first,
                       std::uint32_t stride, std::uint32_t count, const Visit& visit) {
  std::uint32_t base = 0, free = 1;
  for (std::size_t a = 0; a < box.axes.size(); ++a) {
    if (has_all(stage, a))
      free *= box.axes[a].size;
    else if (a != stage.axis)
      base += box.coordinate(own, a) * box.axes[a].stride;
  }
  for (std::uint32_t n = 0, j = first; n < count; ++n, j += stride)
    for (std::uint32_t k = 0; k < free; ++k) {
      std::uint32_t position = base + j * box.axes[stage.axis].stride, rest = k;
      for (std::size_t a = 0; a < box.axes.size(); ++a) {
        if (!has_all(stage, a)) continue;
        position += rest % box.axes[a].size * box.axes[a].stride;
        rest /= box.axes[a].size;
      }
      visit(position);
    }
}

BufferPiece DimensionalProgram::piece_of(std::uint32_t block, std::uint32_t chunk,
                                         const StageMessage& part) const {
  const Blocks blocks(plan_->bytes_, plan_->ranks_);
  const Blocks chunks(blocks.bytes(block), plan_->chunk_count_);
  const Blocks halves(chunks.bytes(chunk), part.halves);
  return {blocks.offset(block) + chunks.offset(chunk) + halves.offset(part.half), halves.bytes(part.half)};
}

std::uint64_t DimensionalProgram::bytes_of(const DimensionalPlan::Stage& stage, std::uint32_t chunk,
                                           const StageMessage& part) const {
  const GroupBox& box = plan_->box_;
  if (plan_->uniform_) {
    std::uint64_t blocks = plan_->ranks_ / box.axes[stage.is.axis].size * part.count;
    if (stage.is.kind != Kind::all_to_all)
      for (std::size_t a = 0; a < box.axes.size(); ++a)
        if (a != stage.is.axis && (stage.is.scattered >> a & 1) != 0) blocks /= box.axes[a].size;
    return blocks * (plan_->bytes_ / (std::uint64_t{plan_->ranks_} * plan_->chunk_count_ * part.halves));
  }
  const std::uint64_t longer = Blocks(plan_->bytes_, plan_->ranks_).longer();
  if (longer == 0 || plan_->in_order_) {
    const BlockCounts blocks = count_blocks(box, stage.is, position_, part, longer);
    return blocks.below * piece_of(0, chunk, part).bytes +
           (blocks.all - blocks.below) * piece_of(plan_->ranks_ - 1, chunk, part).bytes;
  }
  std::uint64_t bytes = 0;
  for_each_position(
      box, stage.is, position_, part.first, part.stride, part.count,
      [&](std::uint32_t position) { bytes += piece_of(box.rank_at[position], chunk, part).bytes; });
  return bytes;
}

/// All-to-all: slot y of the vector holds what is for the rank with y's coordinates on the axes to come; on
/// those that are done y tells where it is from (passed along a ring: where it would be from the other way
/// round). What needs no more stage goes into the received vector.
std::uint64_t DimensionalProgram::received_at(const DimensionalPlan::Stage& stage, std::uint32_t chunk,
                                              std::uint32_t position) const {
  const GroupBox& box = plan_->box_;
  std::uint32_t source = position;
  for (std::size_t a = 0; a < box.axes.size(); ++a) {
    const std::uint32_t own = box.coordinate(position_, a), at = box.coordinate(position, a);
    const bool done = a == stage.is.axis || (stage.is.scattered >> a & 1) != 0;
    if (!done && at != own) return piece_of(box.rank_at[position], chunk, StageMessage()).offset;
    if (!done || !plan_->is_passed_on_[a]) continue;
    const std::uint32_t size = box.axes[a].size, from = (2 * own + size - at) % size;
    source = source - at * box.axes[a].stride + from * box.axes[a].stride;
  }
  return plan_->bytes_ +
         piece_of(box.rank_at[source], chunk, StageMessage()).offset;  // blocks have one length
}

std::vector<BufferPiece> DimensionalProgram::pieces(std::uint32_t threadblock, std::uint32_t index) const {
  const DimensionalPlan::Stage& stage = stage_at(threadblock, index);
  const StageMessage is = stage.message(own(stage), index - stage.first_step - kBegin);
  std::vector<BufferPiece> pieces;
  const auto add = [&](std::uint32_t position) {
    pieces.push_back(piece_of(plan_->box_.rank_at[position], threadblock, is));
    if (stage.is.kind == Kind::all_to_all && !is.sends && !is.passes)
      pieces.back().offset = received_at(stage, threadblock, position);
  };
  for_each_position(plan_->box_, stage.is, position_, is.first, is.stride, is.count, add);
  return pieces;
}

}  // namespace

Algorithm::Programs staged_programs(const CollectiveRequest& request, GroupBox box,
                                    const std::vector<ChunkRoute>& routes, const StageSchedule& schedule,
                                    const FabricTraits& fabric) {
  return rank_programs<DimensionalProgram>(
      request, DimensionalPlan(request, std::move(box), routes, schedule, fabric));
}

Algorithm::Programs dimensional_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  const GroupBox box = required_box(request, fabric);
  const std::vector<ChunkRoute> routes = chunk_routes(request, box, fabric);
  return staged_programs(request, box, routes, schedule_stages(routes, box, fabric), fabric);
}

TimePs dimensional_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const GroupBox box = required_box(request, fabric);
  return schedule_stages(chunk_routes(request, box, fabric), box, fabric).end_ps;
}

}  // namespace wafertlm
