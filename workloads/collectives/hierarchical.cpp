// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/hierarchical.h"

#include <algorithm>

#include "tlm/units.h"
#include "workloads/collectives/rank_programs.h"

namespace wafertlm {
namespace {

ByteRange sub_range(const ByteRange& of, std::uint64_t count, std::uint64_t index) {
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

ByteRange HierarchicalPlan::chunk_of_part(const ByteRange& whole, std::uint32_t part,
                                          std::uint32_t chunk) const {
  const std::uint64_t share = share_of_part_0(whole.bytes);
  const ByteRange mine =
      part == 0 ? ByteRange{whole.offset, share} : ByteRange{whole.offset + share, whole.bytes - share};
  return sub_range(mine, chunks_, chunk);
}

ByteRange HierarchicalPlan::range(const Flow& flow, const Position& position, std::uint32_t block,
                                  std::uint32_t across) const {
  const std::uint32_t part = flow.part;
  if (type_ == CollectiveType::all_reduce) {
    const ByteRange& whole = chunk_ranges_[part * chunks_ + position.chunk];
    const ByteRange first = sub_range(whole, side(part, false), flow.second ? across : block);
    return flow.second ? sub_range(first, side(part, true), block) : first;
  }
  // A piece of the block of the rank at (along the first, along the second dimension).
  const std::uint32_t first = flow.second ? across : block, other = flow.second ? block : position.message;
  const std::uint32_t rank = part == 0 ? rank_at(first, other) : rank_at(other, first);
  const Blocks blocks(bytes_, at_.size());
  return chunk_of_part({blocks.offset(rank), blocks.bytes(rank)}, part, position.chunk);
}

Step HierarchicalProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const HierarchicalPlan& plan = *plan_;
  const bool rows = threadblock < 2, receives = threadblock % 2 == 1;
  const HierarchicalPlan::Position position = plan.position(rows, index);
  const HierarchicalPlan::Flow& flow = plan.flows(rows)[position.flow];
  const std::uint32_t n = plan.length(rows), column = plan.column(rank_), row = plan.row(rank_);
  const std::uint32_t own = rows ? column : row, across = rows ? row : column;
  const std::uint32_t peer = (own + (receives ? n - 1 : 1)) % n;
  const std::uint32_t block = ((receives ? peer : own) + 2 * n - position.round - (flow.gathers ? 0 : 1)) % n;
  const ByteRange range = plan.range(flow, position, block, across);
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

Algorithm::Programs hierarchical_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  GroupGrid grid = *fabric.topology->group_grid(request.group);
  return rank_programs<HierarchicalProgram>(
      request, HierarchicalPlan(request.type, grid.width, grid.height, std::move(grid.at), request.bytes,
                                request.chunks, grid.parts, request.split_percent));
}

}  // namespace wafertlm
