// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "workloads/collectives/algorithm/algorithm_parts.h"
#include "workloads/collectives/algorithm/algorithm_rows.h"
#include "workloads/collectives/packed_trees/plan.h"

namespace wafertlm {
namespace {

/// What goes over one link in one direction: tree by tree, chunk by chunk, in the order of the schedule.
class LinkOrder {
 public:
  struct Crossing {
    std::uint32_t tick;  ///< of its first chunk
    std::uint32_t tree;
    bool down;
  };
  struct Place {
    std::uint32_t crossing, chunk;
  };

  LinkOrder(std::vector<Crossing> crossings, std::uint32_t period, std::uint32_t chunks)
      : crossings_(std::move(crossings)), period_(period), chunks_(chunks) {
    std::sort(crossings_.begin(), crossings_.end(),
              [&](const Crossing& a, const Crossing& b) { return a.tick % period < b.tick % period; });
    for (const Crossing& each : crossings_) {
      first_period_ = std::min(first_period_, each.tick / period_);
      last_first_ = std::max(last_first_, each.tick / period_);
    }
    std::uint32_t before = 0;
    for (std::uint32_t number = 0; number < crossings_.size(); ++number)
      number_of_.emplace(crossings_[number].tree, number);
    for (std::uint32_t at = first_period_; at < last_first_ + chunks_; ++at) {
      before_.push_back(before);
      if (all_go_in(at)) {
        before += static_cast<std::uint32_t>(crossings_.size());
        continue;
      }
      for (const Crossing& each : crossings_) before += goes_in(each, at) ? 1 : 0;
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(crossings_.size()) * chunks_; }
  const Crossing& crossing(std::uint32_t number) const { return crossings_[number]; }

  Place at(std::uint32_t index) const {
    const auto behind = std::upper_bound(before_.begin(), before_.end(), index);
    const auto period = first_period_ + static_cast<std::uint32_t>(behind - before_.begin()) - 1;
    std::uint32_t left = index - *(behind - 1), number = 0;
    if (all_go_in(period)) return {left, period - crossings_[left].tick / period_};
    while (!goes_in(crossings_[number], period) || left-- != 0) ++number;
    return {number, period - crossings_[number].tick / period_};
  }
  std::uint32_t index_of(Place place) const {
    const std::uint32_t period = crossings_[place.crossing].tick / period_ + place.chunk;
    std::uint32_t index = before_[period - first_period_];
    if (all_go_in(period)) return index + place.crossing;
    for (std::uint32_t number = 0; number < place.crossing; ++number)
      index += goes_in(crossings_[number], period) ? 1 : 0;
    return index;
  }
  /// A link is in a tree once, up or down.
  std::uint32_t crossing_of(std::uint32_t tree) const { return number_of_.at(tree); }

 private:
  bool goes_in(const Crossing& crossing, std::uint32_t period) const {
    const std::uint32_t first = crossing.tick / period_;
    return first <= period && period - first < chunks_;
  }

  /// The first chunks of all crossings have gone, and none of the last ones.
  bool all_go_in(std::uint32_t period) const {
    return period >= last_first_ && period - first_period_ < chunks_;
  }

  std::vector<Crossing> crossings_;                             // by tick of their period
  std::unordered_map<std::uint32_t, std::uint32_t> number_of_;  // by tree
  std::uint32_t period_, chunks_;
  std::uint32_t first_period_ = ~std::uint32_t{0}, last_first_ = 0;
  std::vector<std::uint32_t> before_;  // by period: steps in those before
};

/// The plan, with the order of each link.
struct PackedProgramPlan {
  static constexpr std::size_t kNoOrder = ~std::size_t{0};
  /// A neighbour of a rank, whose links have an order each.
  struct Neighbour {
    std::uint32_t rank;
    std::vector<std::uint32_t> sends_after, receives_after;  ///< by crossing: the threadblock to wait for
    std::size_t out, in;                                     ///< in `orders`; kNoOrder: nothing goes there
    std::uint32_t receiving = 0;                             ///< the threadblock
  };
  struct Thread {
    std::uint32_t neighbour;  ///< of the rank, by position
    bool sends;
  };
  PackedTreesPlan is;
  std::vector<LinkOrder> orders;
  std::vector<std::vector<Neighbour>> neighbours;  ///< by rank
  std::vector<std::vector<Thread>> threads;        ///< by rank
};

/// For each neighbour a threadblock that sends to it and one that receives from it, in the order of the
/// link's schedule. A rank adds what its children in a tree send in the order of the schedule.
class PackedTreesProgram final : public StepSource {
 public:
  PackedTreesProgram(std::shared_ptr<const PackedProgramPlan> plan, std::uint32_t rank)
      : plan_(std::move(plan)), rank_(rank) {}

  std::uint32_t threadblocks() const override {
    return static_cast<std::uint32_t>(plan_->threads[rank_].size());
  }
  std::uint32_t steps(std::uint32_t threadblock) const override { return order(threadblock).size(); }
  Step step(std::uint32_t threadblock, std::uint32_t index) const override;

 private:
  const PackedProgramPlan::Neighbour& neighbour(std::uint32_t threadblock) const {
    return plan_->neighbours[rank_][plan_->threads[rank_][threadblock].neighbour];
  }
  bool sends(std::uint32_t threadblock) const { return plan_->threads[rank_][threadblock].sends; }
  const LinkOrder& order(std::uint32_t threadblock) const {
    return plan_->orders[sends(threadblock) ? neighbour(threadblock).out : neighbour(threadblock).in];
  }

  std::shared_ptr<const PackedProgramPlan> plan_;
  std::uint32_t rank_;
};

Step PackedTreesProgram::step(std::uint32_t threadblock, std::uint32_t index) const {
  const auto& peer = neighbour(threadblock);
  const bool is_send = sends(threadblock);
  const LinkOrder& own = order(threadblock);
  const LinkOrder::Place place = own.at(index);
  const LinkOrder::Crossing& crossing = own.crossing(place.crossing);
  const BufferPiece piece = plan_->is.piece(crossing.tree, place.chunk);
  Step step;
  step.kind = is_send ? Step::Kind::send : crossing.down ? Step::Kind::copy : Step::Kind::reduce;
  step.peer = peer.rank;
  step.offset = piece.offset;
  step.bytes = piece.bytes;
  step.tag = (std::uint64_t{crossing.tree} << 1 | (crossing.down ? 1 : 0)) << 32 | place.chunk;
  step.after_threadblock = (is_send ? peer.sends_after : peer.receives_after)[place.crossing];
  if (step.after_threadblock != Step::kNone) {
    const LinkOrder& before = order(step.after_threadblock);
    step.after_count = before.index_of({before.crossing_of(crossing.tree), place.chunk}) + 1;
  }
  return step;
}

/// Which threadblock brings what a rank passes on, and in which order it adds what its children send.
void set_dependencies(PackedProgramPlan& plan) {
  const auto& trees = plan.is.packing->trees;
  const LinkSchedule& schedule = *plan.is.schedule;
  const TreeUse& use = plan.is.trees->use();
  for (std::uint32_t rank = 0; rank < plan.neighbours.size(); ++rank) {
    auto& neighbours = plan.neighbours[rank];
    const auto place_of = [&](std::uint32_t peer) {
      return static_cast<std::uint32_t>(std::find_if(neighbours.begin(), neighbours.end(),
                                                     [&](const auto& each) { return each.rank == peer; }) -
                                        neighbours.begin());
    };
    for (auto& each : neighbours) {
      const auto crossings = [&](std::size_t order) {
        return order == PackedProgramPlan::kNoOrder ? 0 : plan.orders[order].size() / plan.is.chunks;
      };
      each.sends_after.assign(crossings(each.out), Step::kNone);
      each.receives_after.assign(crossings(each.in), Step::kNone);
    }
    for (std::uint32_t number = 0; number < trees.size(); ++number) {
      const Tree& tree = trees[number];
      std::vector<std::uint32_t> children = tree.children(rank);
      std::uint32_t holds = Step::kNone;
      const auto send = [&](std::uint32_t peer) {
        auto& to = neighbours[place_of(peer)];
        to.sends_after[plan.orders[to.out].crossing_of(number)] = holds;
      };
      const auto receive = [&](std::uint32_t peer) {
        auto& from = neighbours[place_of(peer)];
        from.receives_after[plan.orders[from.in].crossing_of(number)] = holds;
        holds = from.receiving;
      };
      if (use.up) {
        std::sort(children.begin(), children.end(), [&](std::uint32_t a, std::uint32_t b) {
          return std::pair(schedule.up(number, a), a) < std::pair(schedule.up(number, b), b);
        });
        for (const std::uint32_t child : children) receive(child);
        if (!tree.is_root(rank)) send(tree.parent(rank));
      }
      if (use.down) {
        if (!tree.is_root(rank)) receive(tree.parent(rank));
        for (const std::uint32_t child : children) send(child);
      }
    }
  }
}

PackedProgramPlan program_plan(PackedTreesPlan is) {
  PackedProgramPlan plan;
  const auto& trees = is.packing->trees;
  const LinkSchedule& schedule = *is.schedule;
  const TreeUse& use = is.trees->use();
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<LinkOrder::Crossing>> crossings;
  for (std::uint32_t number = 0; number < trees.size(); ++number)
    for (std::uint32_t rank = 0; rank < trees[number].ranks(); ++rank) {
      if (trees[number].is_root(rank)) continue;
      const std::uint32_t parent = trees[number].parent(rank);
      if (use.up) crossings[{rank, parent}].push_back({schedule.up(number, rank), number, false});
      if (use.down) crossings[{parent, rank}].push_back({schedule.down(number, rank), number, true});
    }
  plan.neighbours.resize(trees.front().ranks());
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> numbers;
  for (auto& [link, of] : crossings) {
    numbers[link] = plan.orders.size();
    plan.orders.emplace_back(std::move(of), schedule.period(), is.chunks);
  }
  const auto number_of = [&](std::uint32_t from, std::uint32_t to) {
    const auto found = numbers.find({from, to});
    return found == numbers.end() ? PackedProgramPlan::kNoOrder : found->second;
  };
  for (const auto& [link, number] : numbers) {
    const auto& [from, to] = link;
    plan.neighbours[from].push_back({to, {}, {}, number, number_of(to, from), 0});
    if (number_of(to, from) == PackedProgramPlan::kNoOrder)
      plan.neighbours[to].push_back({from, {}, {}, PackedProgramPlan::kNoOrder, number, 0});
  }
  for (auto& neighbours : plan.neighbours) {
    auto& threads = plan.threads.emplace_back();
    for (std::uint32_t number = 0; number < neighbours.size(); ++number) {
      if (neighbours[number].out != PackedProgramPlan::kNoOrder) threads.push_back({number, true});
      neighbours[number].receiving = static_cast<std::uint32_t>(threads.size());
      if (neighbours[number].in != PackedProgramPlan::kNoOrder) threads.push_back({number, false});
    }
  }
  plan.is = std::move(is);
  set_dependencies(plan);
  return plan;
}

}  // namespace

Algorithm::Programs packed_trees_programs(const CollectiveRequest& request, const FabricTraits& fabric) {
  return rank_programs<PackedTreesProgram>(request, program_plan(packed_trees_plan(request, fabric)));
}

TimePs packed_trees_ps(const CollectiveRequest& request, const FabricTraits& fabric) {
  return packed_trees_plan(request, fabric).predicted_ps;
}

}  // namespace wafertlm
