// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/basic/hierarchical.h"

#include <algorithm>
#include <numeric>

#include "tlm/kernel/units.h"
#include "tlm/shape/fabric_traits.h"
#include "tlm/shape/topology.h"
#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"

namespace wafertlm {
namespace {

BufferPiece sub_range(const BufferPiece& of, std::uint64_t count, std::uint64_t index) {
  const Blocks blocks(of.bytes, count);
  return {of.offset + blocks.offset(index), blocks.bytes(index)};
}

}  // namespace

HierarchicalPlan::HierarchicalPlan(CollectiveType type, std::uint32_t width, std::uint32_t height,
                                   std::vector<std::uint32_t> at, std::uint64_t bytes, std::uint32_t chunks,
                                   std::uint32_t parts, std::optional<std::uint64_t> split_percent)
    : type_(type),
      width_(width),
      height_(height),
      at_(std::move(at)),
      grid_position_(at_.size()),
      bytes_(bytes),
      chunks_(chunks),
      parts_(parts),
      split_percent_(split_percent) {
  for (std::uint32_t position = 0; position < at_.size(); ++position)
    grid_position_[at_[position]] = position;
  std::uint32_t phase = 0;
  const auto add_phase = [&](bool second, bool gathers) {
    for (std::uint32_t part = 0; part < parts; ++part) {
      const bool one = type == CollectiveType::all_reduce || second;
      ((part == 0) != second ? row_flows_ : column_flows_)
          .push_back({part, phase, second, gathers, one ? 1 : side(part, true)});
    }
    ++phase;
  };
  if (type != CollectiveType::all_gather) {
    add_phase(false, false);
    add_phase(true, false);
  }
  if (type != CollectiveType::reduce_scatter) {
    add_phase(true, true);
    add_phase(false, true);
  }
  for (const bool rows : {true, false}) {
    std::vector<Slot>& all = rows ? row_slots_ : column_slots_;
    std::uint32_t first = 0, &most = most_per_slot_[rows ? 1 : 0];
    for (std::uint32_t number = 0; number < chunks + phase - 1; ++number) {
      all.push_back(slot_from(first, rows, number));
      const std::uint32_t messages = (length(rows) - 1) * all.back().per_round;
      first += messages;
      most = std::max(most, messages);
    }
    all.push_back({first, 0, {}});
  }
  if (type == CollectiveType::all_reduce)
    for (std::uint32_t part = 0; part < parts; ++part)
      for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
        chunk_ranges_.push_back(chunk_of_part({0, bytes_}, part, chunk));
}

HierarchicalPlan::Slot HierarchicalPlan::slot_from(std::uint32_t first, bool rows,
                                                   std::uint32_t number) const {
  Slot slot;
  slot.first = first;
  for (std::size_t flow = 0; flow < kFlows; ++flow) {
    slot.begin[flow] = slot.per_round;
    if (flow >= flows(rows).size()) continue;
    const Flow& of = flows(rows)[flow];
    if (number >= of.phase && number - of.phase < chunks_) slot.per_round += of.messages;
  }
  slot.begin[kFlows] = slot.per_round;
  return slot;
}

HierarchicalPlan::Position HierarchicalPlan::position(bool rows, std::uint32_t index) const {
  const std::vector<Slot>& all = slots(rows);
  // Slots are equally long but for the first and the last few: never behind the right one, and close to it.
  std::uint32_t number = index / most_per_slot_[rows ? 1 : 0];
  while (all[number + 1].first <= index) ++number;
  const Slot& slot = all[number];
  const std::uint32_t in_slot = index - slot.first, round = in_slot / slot.per_round;
  const std::uint32_t message = in_slot - round * slot.per_round;
  std::uint32_t flow = 0;
  while (message >= slot.begin[flow + 1]) ++flow;
  return {flow, number - flows(rows)[flow].phase, round, message - slot.begin[flow]};
}

std::uint32_t HierarchicalPlan::index(bool rows, const Position& position) const {
  const Slot& slot = slots(rows)[position.chunk + flows(rows)[position.flow].phase];
  return slot.first + position.round * slot.per_round + slot.begin[position.flow] + position.message;
}

std::pair<bool, std::uint32_t> HierarchicalPlan::flow_of(std::uint32_t part, std::uint32_t phase) const {
  for (const bool rows : {true, false})
    for (std::uint32_t number = 0; number < flows(rows).size(); ++number)
      if (flows(rows)[number].part == part && flows(rows)[number].phase == phase) return {rows, number};
  return {false, 0};
}

std::uint64_t HierarchicalPlan::share_of_part_0(std::uint64_t bytes) const {
  if (parts_ == 1) return bytes;
  const std::uint64_t w = width_, h = height_, element = Blocks::element_bytes(bytes);
  if (split_percent_)
    return static_cast<std::uint64_t>(Uint128{bytes / element} * *split_percent_ / 100) * element;
  return static_cast<std::uint64_t>(Uint128{bytes / element} * (w * h - 2 * w + 1) /
                                    (2 * (w - 1) * (h - 1))) *
         element;
}

BufferPiece HierarchicalPlan::chunk_of_part(const BufferPiece& whole, std::uint32_t part,
                                            std::uint32_t chunk) const {
  const std::uint64_t share = share_of_part_0(whole.bytes);
  const BufferPiece mine =
      part == 0 ? BufferPiece{whole.offset, share} : BufferPiece{whole.offset + share, whole.bytes - share};
  return sub_range(mine, chunks_, chunk);
}

BufferPiece HierarchicalPlan::range(const Flow& flow, const Position& position, std::uint32_t block,
                                    std::uint32_t across) const {
  const std::uint32_t part = flow.part;
  if (type_ == CollectiveType::all_reduce) {
    const BufferPiece& whole = chunk_ranges_[part * chunks_ + position.chunk];
    const BufferPiece first = sub_range(whole, side(part, false), flow.second ? across : block);
    return flow.second ? sub_range(first, side(part, true), block) : first;
  }
  // A piece of the block of the rank at (along the first, along the second dimension).
  const std::uint32_t first = flow.second ? across : block, other = flow.second ? block : position.message;
  const std::uint32_t rank = part == 0 ? rank_at(first, other) : rank_at(other, first);
  const Blocks blocks(bytes_, at_.size());
  return chunk_of_part({blocks.offset(rank), blocks.bytes(rank)}, part, position.chunk);
}

namespace {

/// Hierarchical all-reduce, all-gather and reduce-scatter on a rectangle: two parts run side by side with
/// opposite order of dimensions (or one part alone), each in rings along rows and columns (the ring's last
/// edge runs back over the backward links). Every chunk of a part is reduce-scattered along the first
/// dimension, then the second, and gathered back. Four threadblocks: send along the row, receive along the
/// row, the same along the column.
class HierarchicalProgram : public StepSource {
 public:
  HierarchicalProgram(std::shared_ptr<const HierarchicalPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  std::uint32_t threadblocks() const override { return 4; }
  std::uint32_t steps(std::uint32_t threadblock) const override { return plan_->steps(threadblock < 2); }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  std::shared_ptr<const HierarchicalPlan> plan_;
  std::uint32_t rank_;
};

Step HierarchicalProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const HierarchicalPlan& plan = *plan_;
  const bool rows = threadblock < 2, receives = threadblock % 2 == 1;
  const HierarchicalPlan::Position position = plan.position(rows, index);
  const HierarchicalPlan::Flow& flow = plan.flows(rows)[position.flow];
  const std::uint32_t n = plan.length(rows), column = plan.column(rank_), row = plan.row(rank_);
  const std::uint32_t own = rows ? column : row, across = rows ? row : column;
  const std::uint32_t peer = (own + (receives ? n - 1 : 1)) % n;
  const std::uint32_t block = ((receives ? peer : own) + 2 * n - position.round - (flow.gathers ? 0 : 1)) % n;
  const BufferPiece range = plan.range(flow, position, block, across);
  Step step;
  step.kind = !receives ? Step::Kind::send : flow.gathers ? Step::Kind::copy : Step::Kind::reduce;
  step.peer = rows ? plan.rank_at(peer, row) : plan.rank_at(column, peer);
  step.offset = range.offset;
  step.bytes = range.bytes;
  step.tag = std::uint64_t{rows} << 32 | index;
  if (position.round > 0 && !receives) {  // what came in the round before goes on
    HierarchicalPlan::Position before = position;
    --before.round;
    step.after_threadblock = threadblock + 1;
    step.after_count = plan.index(rows, before) + 1;
  } else if (position.round == 0 && flow.phase > 0) {  // the chunk has done the phase before
    const auto [before_rows, before] = plan.flow_of(flow.part, flow.phase - 1);
    const std::uint32_t last = plan.flows(before_rows)[before].messages - 1;
    step.after_threadblock = before_rows ? 1 : 3;
    step.after_count =
        plan.index(before_rows, {before, position.chunk, plan.length(before_rows) - 2, last}) + 1;
  }
  return step;
}

/// Threadblocks 0 and 2 send along rows and columns, 1 and 3 receive what the neighbour's 0 and 2 send at the
/// same time as this rank's.
class Timeline {
 public:
  Timeline(const HierarchicalProgram& program, const FabricTraits& fabric,
           const std::array<GroupGrid::Ring, 2>& rings)
      : program_(program), fabric_(fabric), rings_(rings) {}

  TimePs run() {
    for (bool any = true; any;) {
      any = false;
      for (std::uint32_t threadblock = 0; threadblock < 4; ++threadblock)
        while (ends_[threadblock].size() < program_.steps(threadblock) && advance(threadblock)) any = true;
    }
    // Rows and columns share the ports.
    TimePs last = transfer_time_ps(sent_wire_bytes_, fabric_.port_bytes_per_s()) +
                  std::min(rings_[0].head_ps, rings_[1].head_ps);
    for (const auto& ends : ends_) last = std::max(last, ends.empty() ? 0 : ends.back());
    return last;
  }

 private:
  /// False if the threadblock's next step depends on one that is not known yet.
  bool advance(std::uint32_t threadblock) {
    const auto index = ends_[threadblock].size();
    const Step step = program_.step(threadblock, static_cast<std::uint32_t>(index));
    TimePs at = index == 0 ? 0 : ends_[threadblock].back();
    if (step.after_threadblock != Step::kNone && step.after_count != 0) {
      if (ends_[step.after_threadblock].size() < step.after_count) return false;
      at = std::max(at, ends_[step.after_threadblock][step.after_count - 1]);
    }
    if (step.bytes == 0) {
      ends_[threadblock].push_back(at);
      return true;
    }
    if (step.kind == Step::Kind::send) {
      const std::uint64_t wire = fabric_.format.message_wire_bytes(step.bytes);
      sent_wire_bytes_ += wire;
      at += fabric_.step_cost_ps + fabric_.memory.send_ps(step.bytes) +
            transfer_time_ps(wire, rings_[threadblock / 2].bytes_per_s);
    } else {
      if (ends_[threadblock - 1].size() <= index) return false;
      at = std::max(at, ends_[threadblock - 1][index] + rings_[threadblock / 2].head_ps) +
           fabric_.receive_cost_ps + fabric_.memory.receive_ps(step.bytes, step.kind == Step::Kind::reduce);
    }
    ends_[threadblock].push_back(at);
    return true;
  }

  const HierarchicalProgram& program_;
  const FabricTraits& fabric_;
  std::array<GroupGrid::Ring, 2> rings_;     // along rows, columns
  std::array<std::vector<TimePs>, 4> ends_;  // of each threadblock's steps
  std::uint64_t sent_wire_bytes_ = 0;
};

/// Along the rows and then along the columns: the first chunk passes the phases; then every chunk takes the
/// time of the dimension that has more to carry, or the latency of its rings, or what the port takes for
/// both.
TimePs phases_ps(const CollectiveRequest& request, const GroupGrid& grid, const FabricTraits& fabric) {
  const std::uint64_t ports = fabric.port_bytes_per_s();
  const std::uint64_t passes = request.type == CollectiveType::all_reduce ? 2 : 1;
  TimePs first = 0, slowest = 0, port = 0;
  const auto phase = [&](std::uint64_t n, std::uint64_t divided_by, const GroupGrid::Ring& ring) {
    // One ring step of one chunk; 1/n of what the phase works on.
    const std::uint64_t block = fabric.format.message_wire_bytes(
        std::max<std::uint64_t>(request.bytes / request.chunks / divided_by / n, 1));
    const TimePs busy = passes * (n - 1) * transfer_time_ps(block, ring.bytes_per_s);
    const TimePs latency = (n - 1) * (fabric.message_cost_ps() + ring.head_ps);
    first += busy + passes * latency;
    slowest = std::max({slowest, busy, latency});
    port += passes * (n - 1) * transfer_time_ps(block, ports);
  };
  phase(grid.width, 1, grid.row);
  phase(grid.height, grid.width, grid.column);
  return first + (request.chunks - 1) * std::max(slowest, port);
}

}  // namespace

Algorithm::Programs hierarchical_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  GroupGrid grid = *fabric.topology->group_grid(request.group);
  return rank_programs<HierarchicalProgram>(
      request, HierarchicalPlan(request.type, grid.width, grid.height, std::move(grid.at), request.bytes,
                                request.chunks, grid.parts, request.split_percent));
}

TimePs hierarchical_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  const GroupGrid grid = *fabric.topology->group_grid(request.group);
  if (grid.parts == 1) return phases_ps(request, grid, fabric);
  std::vector<std::uint32_t> at(request.group.size());
  std::iota(at.begin(), at.end(), 0U);
  // Of a vector that does not have an element for everybody this rank might see nothing.
  const std::uint64_t bytes = std::max<std::uint64_t>(request.bytes, 8 * request.group.size());
  const auto plan =
      std::make_shared<const HierarchicalPlan>(request.type, grid.width, grid.height, std::move(at), bytes,
                                               request.chunks, grid.parts, request.split_percent);
  const HierarchicalProgram program(plan, 0);
  return Timeline(program, fabric, {grid.row, grid.column}).run();
}

}  // namespace wafertlm
