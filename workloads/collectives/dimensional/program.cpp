// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/dimensional/program.h"

namespace wafertlm {
namespace {

using Kind = ChunkStage::Kind;

/// Steps of a stage before its first message, and behind its last.
constexpr std::uint32_t kBegin = 1, kEnd = 1;

std::uint32_t ways(const ChunkStage& stage) { return stage.kind == Kind::all_reduce ? 2 : 1; }

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
  struct Stage {
    ChunkStage is;
    std::uint32_t first_step = 0, steps = 0, rounds = 0, window = 1;
    std::uint32_t messages = 2;  ///< in a round, sent and received
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
  bool uniform_;                          ///< all blocks, chunks and halves are of the same length
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
  std::vector<BufferPiece> pieces(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  /// What a message carries: the blocks whose coordinate on the stage's axis is first … first + count − 1, or
  /// a half of each.
  struct Part {
    std::uint32_t peer = 0;  // coordinate on the axis
    std::uint32_t first = 0, count = 1;
    std::uint32_t halves = 1, half = 0;
    std::uint64_t tag = 0;
    bool sends = false, reduces = false, wait_all = false, first_round = false;
    bool passes = false;  // all-to-all: what is received goes on in the next round
  };
  const DimensionalPlan::Stage& stage_at(std::uint32_t chunk, std::uint32_t index) const;
  Part part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  Part ring_part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  Part passed_part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  Part halving_part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  Part direct_part(const DimensionalPlan::Stage& stage, std::uint32_t index) const;
  std::uint64_t bytes_of(const DimensionalPlan::Stage& stage, std::uint32_t chunk, const Part& part) const;
  BufferPiece piece_of(std::uint32_t block, std::uint32_t chunk, const Part& part) const;
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
      is_passed_on_(box_.axes.size()) {
  bool halves = false;
  for (const ChunkRoute& route : routes) {
    Chunk chunk;
    for (const ChunkStage& is : route) {
      Stage stage;
      stage.is = is;
      if (is_passed_on(is)) is_passed_on_[is.axis] = true;
      stage.first_step = chunk.steps;
      stage.rounds = ways(is) * rounds_one_way(is, box_.axes[is.axis].size);
      const std::uint32_t peers = box_.axes[is.axis].size - 1;
      // All-to-all stores what comes where something waits to be sent: all of that is posted first.
      const bool all = fabric.hierarchy.direct_window == 0 || is.kind == Kind::all_to_all;
      stage.window = all ? peers : std::min(peers, fabric.hierarchy.direct_window);
      if (fabric.hierarchy.within == HierarchyOptions::Within::smallest_first)
        stage.port_order = is.sent_bytes;
      const std::uint32_t messages = is.algorithm == DimensionAlgorithm::direct               ? peers
                                     : is.algorithm == DimensionAlgorithm::bidirectional_ring ? 2
                                                                                              : 1;
      stage.messages = 2 * messages;
      stage.steps = kBegin + stage.rounds * stage.messages + kEnd;
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
  if (type_ == CollectiveType::all_to_all && !even)
    throw std::invalid_argument("all_to_all by dimensions needs blocks of one length: " +
                                std::to_string(bytes_) + " B are no multiple of " + std::to_string(ranks_) +
                                " times an element; take another size or the algorithm direct");
  if (fabric.hierarchy.active_chunks != 0) set_gates(schedule, fabric.hierarchy.active_chunks);
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

/// Scatter, round r: what comes goes to the next one a round later, so that a rank's own block comes last.
/// Gather: the own block first. Backwards everything is mirrored.
DimensionalProgram::Part DimensionalProgram::ring_part(const DimensionalPlan::Stage& stage,
                                                       std::uint32_t index) const {
  const BoxAxis& axis = plan_->box_.axes[stage.is.axis];
  const std::uint32_t p = axis.size, x = plan_->box_.coordinate(position_, stage.is.axis);
  const bool both = stage.is.algorithm == DimensionAlgorithm::bidirectional_ring;
  const std::uint32_t messages = both ? 2 : 1;
  const std::uint32_t round = index / (2 * messages), within = index % (2 * messages);
  const bool gathers =
      stage.is.kind == Kind::all_gather || (stage.is.kind == Kind::all_reduce && round >= p - 1);
  const std::uint32_t r = round % (p - 1);
  Part part;
  part.sends = within < messages;
  part.wait_all = within == 0;
  part.first_round = round == 0;
  part.halves = messages;
  part.half = within % messages;
  part.reduces = !gathers;
  part.tag = std::uint64_t{round} << 1 | part.half;
  const std::uint32_t behind = (gathers ? r : r + 1) + (part.sends ? 0 : 1);
  if (part.half == 0) {
    part.peer = part.sends ? (x + 1) % p : (x + p - 1) % p;
    part.first = (x + 2 * p - behind) % p;
  } else {
    part.peer = part.sends ? (x + p - 1) % p : (x + 1) % p;
    part.first = (x + behind) % p;
  }
  return part;
}

/// All-to-all as a ring, p (p − 1) / 2 rounds: for each distance d what is for the rank d further goes d
/// times to the next one. On its way it is where the own block for that rank was.
DimensionalProgram::Part DimensionalProgram::passed_part(const DimensionalPlan::Stage& stage,
                                                         std::uint32_t index) const {
  const BoxAxis& axis = plan_->box_.axes[stage.is.axis];
  const std::uint32_t p = axis.size, x = plan_->box_.coordinate(position_, stage.is.axis), round = index / 2;
  std::uint32_t distance = 1, passed = round;  // rounds of this distance that are over
  while (passed >= distance) passed -= distance++;
  Part part;
  part.sends = index % 2 == 0;
  part.wait_all = part.sends;
  part.first_round = round == 0;
  part.passes = !part.sends && passed + 1 < distance;
  part.tag = round;
  part.peer = part.sends ? (x + 1) % p : (x + p - 1) % p;
  part.first = (x + distance) % p;
  return part;
}

/// Halving: the half that the other one keeps; doubling: all that the sender has.
DimensionalProgram::Part DimensionalProgram::halving_part(const DimensionalPlan::Stage& stage,
                                                          std::uint32_t index) const {
  const BoxAxis& axis = plan_->box_.axes[stage.is.axis];
  const std::uint32_t x = plan_->box_.coordinate(position_, stage.is.axis);
  const std::uint32_t one_way = rounds_one_way(stage.is, axis.size), round = index / 2;
  const bool halves = stage.is.kind != Kind::all_gather && round < one_way;
  Part part;
  part.count = halves ? axis.size >> (round + 1) : 1U << (round % one_way);
  part.peer = x ^ part.count;
  part.sends = index % 2 == 0;
  part.wait_all = part.sends;
  part.first_round = round == 0;
  part.reduces = halves;
  part.tag = round;
  const std::uint32_t whose = halves == part.sends ? part.peer : x;
  part.first = whose & ~(part.count - 1);
  return part;
}

/// Who is next comes first, so that no two send to the same one at the same time.
DimensionalProgram::Part DimensionalProgram::direct_part(const DimensionalPlan::Stage& stage,
                                                         std::uint32_t index) const {
  const BoxAxis& axis = plan_->box_.axes[stage.is.axis];
  const std::uint32_t p = axis.size, peers = p - 1, x = plan_->box_.coordinate(position_, stage.is.axis);
  const bool second = index >= 2 * peers;
  const std::uint32_t at = index % (2 * peers), start = at / (2 * stage.window) * stage.window;
  const std::uint32_t width = std::min(stage.window, peers - start), within = at - 2 * start;
  Part part;
  part.sends = within < width;
  part.wait_all = within == 0;
  part.first_round = at < width && !second;
  const std::uint32_t distance = start + within % width + 1;
  part.peer = part.sends ? (x + distance) % p : (x + p - distance) % p;
  part.tag = second ? 1 : 0;
  switch (stage.is.kind) {
    case Kind::all_to_all:
      part.first = part.peer;
      break;
    case Kind::all_gather:
      part.first = part.sends ? x : part.peer;
      break;
    case Kind::reduce_scatter:
    case Kind::all_reduce:
      part.reduces = !second;
      // What the receiver reduces, or what the sender has.
      part.first = second == part.sends ? x : part.peer;
      break;
  }
  return part;
}

DimensionalProgram::Part DimensionalProgram::part(const DimensionalPlan::Stage& stage,
                                                  std::uint32_t index) const {
  if (stage.is.algorithm == DimensionAlgorithm::direct) return direct_part(stage, index);
  if (stage.is.algorithm == DimensionAlgorithm::halving_doubling) return halving_part(stage, index);
  return is_passed_on(stage.is) ? passed_part(stage, index) : ring_part(stage, index);
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
  const Part is = part(stage, within - kBegin);
  step.kind = is.sends ? Step::Kind::send : is.reduces ? Step::Kind::reduce : Step::Kind::copy;
  const std::uint32_t own = plan.box_.coordinate(position_, stage.is.axis);
  step.peer = plan.box_.rank_at[position_ + (is.peer - own) * axis.stride];
  step.bytes = bytes_of(stage, threadblock, is);
  step.tag = std::uint64_t{threadblock} << 40 | number << 32 | is.tag;
  step.nonblocking = true;
  step.wait_all = is.wait_all;
  if (is.sends && is.first_round) step.delay_ps = plan.stage_cost_ps_;
  return step;
}

bool DimensionalProgram::wait_all(std::uint32_t threadblock, std::uint32_t index) const {
  if (threadblock >= plan_->chunks_.size()) return false;
  const DimensionalPlan::Stage& stage = stage_at(threadblock, index);
  const std::uint32_t within = index - stage.first_step;
  if (within == 0) return false;
  if (within + 1 == stage.steps) return true;
  return stage.is.algorithm == DimensionAlgorithm::direct ? direct_part(stage, within - kBegin).wait_all
                                                          : (within - kBegin) % stage.messages == 0;
}

/// Of the positions that a message is made of, one for each block.
template <typename Visit>
void for_each_position(const GroupBox& box, const ChunkStage& stage, std::uint32_t own, std::uint32_t first,
                       std::uint32_t count, const Visit& visit) {
  const auto is_fixed = [&](std::size_t axis) {
    return axis == stage.axis || (stage.kind != Kind::all_to_all && (stage.scattered >> axis & 1) != 0);
  };
  std::uint32_t base = 0, free = 1;
  for (std::size_t a = 0; a < box.axes.size(); ++a) {
    if (!is_fixed(a))
      free *= box.axes[a].size;
    else if (a != stage.axis)
      base += box.coordinate(own, a) * box.axes[a].stride;
  }
  for (std::uint32_t j = first; j < first + count; ++j)
    for (std::uint32_t k = 0; k < free; ++k) {
      std::uint32_t position = base + j * box.axes[stage.axis].stride, rest = k;
      for (std::size_t a = 0; a < box.axes.size(); ++a) {
        if (is_fixed(a)) continue;
        position += rest % box.axes[a].size * box.axes[a].stride;
        rest /= box.axes[a].size;
      }
      visit(position);
    }
}

BufferPiece DimensionalProgram::piece_of(std::uint32_t block, std::uint32_t chunk, const Part& part) const {
  const Blocks blocks(plan_->bytes_, plan_->ranks_);
  const Blocks chunks(blocks.bytes(block), plan_->chunk_count_);
  const Blocks halves(chunks.bytes(chunk), part.halves);
  return {blocks.offset(block) + chunks.offset(chunk) + halves.offset(part.half), halves.bytes(part.half)};
}

std::uint64_t DimensionalProgram::bytes_of(const DimensionalPlan::Stage& stage, std::uint32_t chunk,
                                           const Part& part) const {
  const GroupBox& box = plan_->box_;
  if (plan_->uniform_) {
    std::uint64_t blocks = plan_->ranks_ / box.axes[stage.is.axis].size * part.count;
    if (stage.is.kind != Kind::all_to_all)
      for (std::size_t a = 0; a < box.axes.size(); ++a)
        if (a != stage.is.axis && (stage.is.scattered >> a & 1) != 0) blocks /= box.axes[a].size;
    return blocks * (plan_->bytes_ / (std::uint64_t{plan_->ranks_} * plan_->chunk_count_ * part.halves));
  }
  std::uint64_t bytes = 0;
  for_each_position(box, stage.is, position_, part.first, part.count, [&](std::uint32_t position) {
    bytes += piece_of(box.rank_at[position], chunk, part).bytes;
  });
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
    if (!done && at != own) return piece_of(box.rank_at[position], chunk, Part()).offset;
    if (!done || !plan_->is_passed_on_[a]) continue;
    const std::uint32_t size = box.axes[a].size, from = (2 * own + size - at) % size;
    source = source - at * box.axes[a].stride + from * box.axes[a].stride;
  }
  return plan_->bytes_ + piece_of(box.rank_at[source], chunk, Part()).offset;  // blocks have one length
}

std::vector<BufferPiece> DimensionalProgram::pieces(std::uint32_t threadblock, std::uint32_t index) const {
  const DimensionalPlan::Stage& stage = stage_at(threadblock, index);
  const Part is = part(stage, index - stage.first_step - kBegin);
  std::vector<BufferPiece> pieces;
  for_each_position(plan_->box_, stage.is, position_, is.first, is.count, [&](std::uint32_t position) {
    pieces.push_back(piece_of(plan_->box_.rank_at[position], threadblock, is));
    if (stage.is.kind == Kind::all_to_all && !is.sends && !is.passes)
      pieces.back().offset = received_at(stage, threadblock, position);
  });
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
