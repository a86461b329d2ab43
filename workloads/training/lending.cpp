// SPDX-License-Identifier: Apache-2.0
#include "workloads/training/lending.h"

#include <algorithm>
#include <set>

#include "workloads/training/memory.h"

namespace wafertlm::training {
namespace {

using chakra::Node;
using chakra::NodeType;

constexpr std::uint64_t kRequestBytes = 64;

/// Microbatches whose activations a stage of 1F1B has at the same time.
std::uint32_t in_flight(const Strategy& strategy, std::uint32_t stage) {
  return std::min(strategy.degrees.pp - stage, strategy.microbatches);
}

}  // namespace

std::vector<LendingStep> lending_steps(const Plan& plan, std::uint32_t stage) {
  const Strategy& strategy = plan.strategy();
  const std::vector<Pass> passes = plan.passes(stage);
  std::vector<LendingStep> steps(passes.size());
  const std::uint32_t partner = lending_partner(strategy.degrees.pp, stage);
  const std::uint32_t own = in_flight(strategy, stage), of_partner = in_flight(strategy, partner);
  if (!strategy.lend_activations || own <= of_partner) return steps;
  const std::uint32_t limit = (own + of_partner + 1) / 2;
  std::set<std::uint32_t> here, lent;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const std::uint32_t microbatch = passes[i].microbatch;
    if (passes[i].is_forward) {
      here.insert(microbatch);
      if (here.size() <= limit) continue;
      here.erase(microbatch);
      lent.insert(microbatch);
      steps[i].leaves = microbatch;
    } else {
      here.erase(microbatch);
      if (lent.erase(microbatch + 1) == 0) continue;
      here.insert(microbatch + 1);
      steps[i].returns = microbatch + 1;
    }
  }
  return steps;
}

std::uint32_t most_borrowed(const Plan& plan, std::uint32_t stage) {
  std::uint32_t now = 0, most = 0;
  for (const LendingStep& step : lending_steps(plan, lending_partner(plan.strategy().degrees.pp, stage))) {
    now += step.leaves ? 1 : 0;
    most = std::max(most, now);
    now -= step.returns ? 1 : 0;
  }
  return most;
}

Lending::Lending(const Plan& plan, std::uint32_t rank, const std::vector<Pass>& passes, NodeBuilder& nodes)
    : plan_(plan),
      rank_(rank),
      stage_(plan.coordinates(rank).pp),
      partner_(lending_partner(plan.strategy().degrees.pp, stage_)),
      passes_(passes),
      nodes_(nodes),
      steps_(lending_steps(plan, stage_)) {}

void Lending::before_pass(std::size_t step) {
  if (step == 0) hold_for_partner();
  const Pass& pass = passes_[step];
  // Room for what this pass makes, or what it needs.
  if (pass.is_forward && steps_[step].leaves && left_) nodes_.wait_for(*left_);
  if (const auto found = coming_.find(pass.microbatch); !pass.is_forward && found != coming_.end()) {
    nodes_.wait_for(found->second);
    coming_.erase(found);
  }
}

void Lending::after_pass(std::size_t step) {
  const LendingStep& now = steps_[step];
  const std::uint64_t bytes = kept_of_a_microbatch(plan_, stage_);
  NodeIds after = nodes_.last();
  if (now.leaves) left_ = message(Part::there, *now.leaves, true, bytes, after);
  if (now.returns) {
    if (left_) after.push_back(*left_);
    message(Part::request, *now.returns, true, kRequestBytes, after);
    coming_[*now.returns] = message(Part::back, *now.returns, false, bytes, after);
  }
}

/// Memory has no program of its own: what comes is kept until it is asked for.
void Lending::hold_for_partner() {
  const std::uint32_t room = most_borrowed(plan_, stage_);
  if (room == 0) return;
  const std::uint64_t bytes = kept_of_a_microbatch(plan_, partner_);
  std::vector<std::uint64_t> gone;
  for (const LendingStep& step : lending_steps(plan_, partner_)) {
    if (!step.leaves) continue;
    NodeIds free;
    if (gone.size() >= room) free = {gone[gone.size() - room]};
    const std::uint64_t came = message(Part::there, *step.leaves, false, bytes, free);
    const std::uint64_t asked = message(Part::request, *step.leaves, false, kRequestBytes, {came});
    gone.push_back(message(Part::back, *step.leaves, true, bytes, {asked}));
  }
}

std::uint64_t Lending::message(Part part, std::uint32_t microbatch, bool sends, std::uint64_t bytes,
                               const NodeIds& after) {
  constexpr const char* kWhat[] = {"lent activations", "request of lent activations",
                                   "lent activations back"};
  const Strategy& strategy = plan_.strategy();
  const Plan::Coordinates at = plan_.coordinates(rank_);
  const std::uint32_t other = strategy.degrees.worker(at.mp, partner_, at.dp);
  Node& node = nodes_.communication(
      sends ? NodeType::CommSend : NodeType::CommRecv,
      (sends ? "send " : "receive ") + std::string(kWhat[static_cast<std::size_t>(part)]), "memory", bytes,
      after);
  node.comm_src = sends ? rank_ : other;
  node.comm_dst = sends ? other : rank_;
  // Behind the tags of what stages hand to each other.
  node.comm_tag =
      2 * strategy.chunks() * strategy.microbatches + 3 * microbatch + static_cast<std::uint32_t>(part);
  return node.id;
}

}  // namespace wafertlm::training
