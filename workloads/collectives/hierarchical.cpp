// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives/hierarchical.h"

#include "tlm/units.h"

namespace wafertlm {
namespace {

Range sub_range(Range of, std::uint64_t count, std::uint64_t index) {
  const Blocks blocks(of.bytes, count);
  return {of.offset + blocks.offset(index), blocks.bytes(index)};
}

std::vector<HierarchicalPlan::Phase> phases_of(CollectiveType type) {
  std::vector<HierarchicalPlan::Phase> phases;
  if (type != CollectiveType::all_gather) phases = {{false, false}, {true, false}};
  if (type != CollectiveType::reduce_scatter) phases.insert(phases.end(), {{true, true}, {false, true}});
  return phases;
}

}  // namespace

HierarchicalPlan::HierarchicalPlan(CollectiveType type, std::uint32_t width, std::uint32_t height,
                                   std::vector<std::uint32_t> at, std::uint64_t bytes, std::uint32_t chunks)
    : type_(type),
      width_(width),
      height_(height),
      at_(std::move(at)),
      place_(at_.size()),
      bytes_(bytes),
      chunks_(chunks),
      phases_(phases_of(type)) {
  for (std::uint32_t place = 0; place < at_.size(); ++place) place_[at_[place]] = place;
}

std::uint64_t HierarchicalPlan::share_of_part_0(std::uint64_t bytes) const {
  const std::uint64_t w = width_, h = height_, element = Blocks::element_bytes(bytes);
  return static_cast<std::uint64_t>(Uint128{bytes / element} * (w * h - 2 * w + 1) /
                                    (2 * (w - 1) * (h - 1))) *
         element;
}

Range HierarchicalPlan::chunk_of_part(Range whole, std::uint32_t part, std::uint32_t chunk) const {
  const std::uint64_t share = share_of_part_0(whole.bytes);
  const Range mine = part == 0 ? Range{whole.offset, share} : Range{whole.offset + share, whole.bytes - share};
  return sub_range(mine, chunks_, chunk);
}

Range HierarchicalPlan::range(std::uint32_t part, std::uint32_t chunk, std::uint32_t phase,
                              std::uint32_t place, std::uint32_t across, std::uint32_t message) const {
  const bool second = phases_[phase].second;
  if (type_ == CollectiveType::all_reduce) {
    const Range whole = chunk_of_part({0, bytes_}, part, chunk);
    const Range block = sub_range(whole, side(part, false), second ? across : place);
    return second ? sub_range(block, side(part, true), place) : block;
  }
  // A piece of the block of the rank at (along the first, along the second dimension).
  const std::uint32_t first = second ? across : place, other = second ? place : message;
  const std::uint32_t rank = part == 0 ? rank_at(first, other) : rank_at(other, first);
  const Blocks blocks(bytes_, at_.size());
  return chunk_of_part({blocks.offset(rank), blocks.bytes(rank)}, part, chunk);
}

std::uint32_t HierarchicalProgram::strands() const {
  return 2 * static_cast<std::uint32_t>(plan_->phases().size()) * plan_->lanes() * 2;
}

HierarchicalProgram::Place HierarchicalProgram::place(std::uint32_t strand) const {
  const auto phases = static_cast<std::uint32_t>(plan_->phases().size());
  const std::uint32_t lane = strand / 2 % plan_->lanes(), rest = strand / 2 / plan_->lanes();
  return {rest / phases, rest % phases, lane, strand % 2 == 1};
}

std::uint32_t HierarchicalProgram::strand_of(const Place& place) const {
  const auto phases = static_cast<std::uint32_t>(plan_->phases().size());
  return ((place.part * phases + place.phase) * plan_->lanes() + place.lane) * 2 + (place.receives ? 1 : 0);
}

std::uint32_t HierarchicalProgram::steps_of_chunk(std::uint32_t part, std::uint32_t phase) const {
  return (plan_->side(part, plan_->phases()[phase].second) - 1) * plan_->messages(part, phase);
}

std::uint32_t HierarchicalProgram::steps(std::uint32_t strand) const {
  const Place where = place(strand);
  return plan_->chunks_of(where.lane) * steps_of_chunk(where.part, where.phase);
}

Step HierarchicalProgram::step(std::uint32_t strand, std::uint32_t index) const {
  const HierarchicalPlan& plan = *plan_;
  const Place where = place(strand);
  const auto [second, gathers] = plan.phases()[where.phase];
  const std::uint32_t n = plan.side(where.part, second), messages = plan.messages(where.part, where.phase);
  const std::uint32_t per_chunk = steps_of_chunk(where.part, where.phase);
  const std::uint32_t chunk_in_lane = index / per_chunk, in_chunk = index % per_chunk;
  const std::uint32_t round = in_chunk / messages;

  const bool along_row = (where.part == 0) != second;
  const std::uint32_t column = plan.column(rank_), row = plan.row(rank_);
  const std::uint32_t own = along_row ? column : row, across = along_row ? row : column;
  const std::uint32_t peer = (own + (where.receives ? n - 1 : 1)) % n;
  const std::uint32_t sender = where.receives ? peer : own;
  const std::uint32_t block = (sender + 2 * n - round - (gathers ? 0 : 1)) % n;
  const Range range = plan.range(where.part, where.lane + chunk_in_lane * plan.lanes(), where.phase, block,
                                 across, in_chunk % messages);
  Step step;
  step.kind = !where.receives ? Step::Kind::send : gathers ? Step::Kind::copy : Step::Kind::reduce;
  step.peer = along_row ? plan.rank_at(peer, row) : plan.rank_at(column, peer);
  step.offset = range.offset;
  step.bytes = range.bytes;
  step.tag = std::uint64_t{strand / 2} << 32 | index;
  if (round > 0 && !where.receives) {  // what came in the round before goes on
    step.after_strand = strand + 1;
    step.after_count = index - messages + 1;
  } else if (round == 0 && where.phase > 0) {  // the chunk has done the phase before
    step.after_strand = strand_of({where.part, where.phase - 1, where.lane, true});
    step.after_count = (chunk_in_lane + 1) * steps_of_chunk(where.part, where.phase - 1);
  }
  return step;
}

}  // namespace wafertlm
