// SPDX-License-Identifier: Apache-2.0
// Zero-bubble pipelines, FSDP and the capacity of experts, against the formulas that were published.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "tests/unit/workloads/training/small_job.h"
#include "workloads/chakra/comm_groups.h"
#include "workloads/chakra/validate.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"
#include "workloads/training/volumes.h"

namespace wafertlm::training {
namespace {

using chakra::CollectiveType;
using chakra::Node;
using chakra::NodeType;
using Part = Pass::Part;

struct Times {
  std::uint64_t forward, inputs, weights;
};

/// When the last stage is done: stages do their passes in order, each as soon as its microbatch is there.
std::uint64_t iteration_time(Schedule schedule, std::uint32_t stages, std::uint32_t microbatches,
                             const Times& times) {
  std::vector<std::vector<Pass>> order;
  for (std::uint32_t i = 0; i < stages; ++i)
    order.push_back(pipeline_order(schedule, stages, i, 1, microbatches));
  std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint64_t> end;  // forward?, microbatch, stage
  std::vector<std::size_t> next(stages);
  std::vector<std::uint64_t> now(stages);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t i = 0; i < stages; ++i)
      while (next[i] < order[i].size()) {
        const Pass& pass = order[i][next[i]];
        std::tuple key(pass.is_forward, pass.microbatch, i);
        std::uint64_t ready = 0, lasts = times.forward;
        if (!pass.is_forward)
          lasts = pass.part == Part::inputs    ? times.inputs
                  : pass.part == Part::weights ? times.weights
                                               : times.inputs + times.weights;
        const bool is_first = pass.is_forward && i == 0;
        if (pass.part != Part::weights && !is_first) {
          const bool turns = !pass.is_forward && i + 1 == stages;  // the loss
          const auto found = end.find(
              {pass.is_forward || turns, pass.microbatch, turns ? i : (pass.is_forward ? i - 1 : i + 1)});
          if (found == end.end()) break;
          ready = found->second;
        } else if (pass.part == Part::weights && end.count({false, pass.microbatch, i}) == 0) {
          break;
        }
        now[i] = std::max(now[i], ready) + lasts;
        if (pass.part != Part::weights) end[key] = now[i];
        ++next[i];
        moved = true;
      }
  }
  for (std::uint32_t i = 0; i < stages; ++i) EXPECT_EQ(next[i], order[i].size()) << "stuck";
  return *std::max_element(now.begin(), now.end());
}

// Qi et al., ICLR 2024, table 2: 1F1B lasts (p − 1)(F + B + W) longer than the work, ZB-H1 (p − 1)(F + B −
// W).
TEST(ZeroBubble, LastsAsPublished) {
  for (const std::uint32_t p : {1U, 2U, 3U, 4U, 8U})
    for (const std::uint32_t m : {p, 2 * p, 3 * p + 1})
      for (const auto& [f, b, w] : {Times{1, 1, 1}, Times{2, 2, 1}, Times{3, 2, 2}, Times{4, 5, 3}}) {
        EXPECT_EQ(iteration_time(Schedule::zero_bubble, p, m, {f, b, w}),
                  m * (f + b + w) + (p - 1) * (f + b - w));
        EXPECT_EQ(iteration_time(Schedule::one_forward_one_backward, p, m, {f, b, w}),
                  (m + p - 1) * (f + b + w));
      }
}

TEST(ZeroBubble, DoesEveryPassOnceAndKeepsPMicrobatches) {
  for (const std::uint32_t m : {1U, 2U, 4U, 9U})
    for (std::uint32_t stage = 0; stage < 4; ++stage) {
      std::set<std::tuple<bool, std::uint32_t, Part>> seen;
      std::uint32_t kept = 0, most = 0;
      for (const Pass& pass : pipeline_order(Schedule::zero_bubble, 4, stage, 1, m)) {
        EXPECT_TRUE(seen.emplace(pass.is_forward, pass.microbatch, pass.part).second);
        if (!pass.is_forward) {
          EXPECT_EQ(seen.count({true, pass.microbatch, Part::all}), 1U);
        }
        if (pass.part == Part::weights) {
          EXPECT_EQ(seen.count({false, pass.microbatch, Part::inputs}), 1U);
        }
        if (pass.is_forward) ++kept;
        most = std::max(most, kept);
        if (pass.part == Part::weights) --kept;
      }
      EXPECT_EQ(seen.size(), 3U * m);
      EXPECT_EQ(most, std::min(4U, m)) << stage;
    }
  EXPECT_THROW(pipeline_order(Schedule::zero_bubble, 4, 0, 2, 8), std::invalid_argument);
}

struct Made {
  std::vector<Node> nodes;
  Volumes volumes;
};

Made made(const Plan& plan, std::uint32_t rank) {
  TrainingGenerator generator(std::shared_ptr<const Plan>(&plan, [](const Plan*) {}), rank);
  Made result;
  for (Node node; generator.next(node);) result.nodes.push_back(node);
  generator.rewind();
  result.volumes = volumes_of(generator, rank, chakra::CommGroups::from_map(plan.groups(), plan.ranks()));
  return result;
}

void validate(const Plan& plan) {
  std::vector<std::unique_ptr<TrainingGenerator>> ranks;
  std::vector<chakra::NodeSource*> pointers;
  for (std::uint32_t rank = 0; rank < plan.ranks(); ++rank) {
    ranks.push_back(
        std::make_unique<TrainingGenerator>(std::shared_ptr<const Plan>(&plan, [](const Plan*) {}), rank));
    pointers.push_back(ranks.back().get());
  }
  EXPECT_NO_THROW(chakra::validate_job(pointers, chakra::CommGroups::from_map(plan.groups(), plan.ranks())));
}

// The same work and messages as 1F1B in another order; weight gradients need no message.
TEST(ZeroBubble, ComputesAndSendsWhat1F1BDoes) {
  for (const std::uint32_t zero : {0U, 1U, 3U})
    for (const auto recompute :
         {model::Recompute::none, model::Recompute::selective, model::Recompute::full}) {
      Strategy s = strategy(2, 2, 4);
      s.zero_stage = zero;
      s.recompute = recompute;
      const Plan before(model::transformer(small_transformer()), s);
      s.schedule = Schedule::zero_bubble;
      const Plan plan(model::transformer(small_transformer()), s);
      validate(plan);
      for (const std::uint32_t rank : {0U, 3U, 7U, 15U}) {
        const Made a = made(before, rank), b = made(plan, rank);
        EXPECT_EQ(a.volumes.operations, b.volumes.operations);
        EXPECT_EQ(a.nodes.size(), b.nodes.size());
        for (const auto& [name, volume] : a.volumes.classes) {
          EXPECT_EQ(volume.sent_bytes, b.volumes.classes.at(name).sent_bytes) << name;
          EXPECT_EQ(volume.operations, b.volumes.classes.at(name).operations) << name;
        }
        EXPECT_GE(memory_need(plan, rank).activations, memory_need(before, rank).activations);
      }
      EXPECT_EQ(memory_need(plan, 0).activations, memory_need(before, 0).activations);  // p microbatches
    }
}

// Rajbhandari et al. 2020: ZeRO-3 moves 3Ψ(n − 1)/n in a pass forward and back: all-gathers in both, and a
// reduce-scatter. FSDP without gradient accumulation does so for every microbatch.
TEST(Fsdp, MovesThreeTimesTheParametersForEachMicrobatch) {
  Strategy s = strategy(1, 4, 1);
  s.zero_stage = 3;
  const model::Model model = model::transformer(small_transformer());
  const double of_all = static_cast<double>(model::parameters(model)) * s.element_bytes * 3 / 4;
  const Plan once(model, s);
  EXPECT_NEAR(static_cast<double>(made(once, 1).volumes.classes.at("dp").sent_bytes), 3 * of_all,
              0.001 * of_all);
  s.gather = Gather::microbatch;
  const Plan each(model, s);
  validate(each);
  EXPECT_NEAR(static_cast<double>(made(each, 1).volumes.classes.at("dp").sent_bytes), 4 * 3 * of_all,
              0.001 * of_all);
  // The optimizer works once.
  EXPECT_EQ(made(each, 1).volumes.operations, made(once, 1).volumes.operations);
  EXPECT_LT(memory_need(each, 1).gathered, memory_need(once, 1).gathered);
}

/// Of each all-gather of parameters in the first forward pass: how many units of computation are between what
/// it waits for and what waits for it.
std::vector<std::size_t> distances(const Plan& plan) {
  const Made all = made(plan, 0);
  std::map<std::uint64_t, std::size_t> computation;  // by id: how many before
  std::vector<std::size_t> found;
  for (const Node& node : all.nodes) {
    if (node.type == NodeType::Comp) {
      if (node.name.find("gradient") != std::string::npos) break;
      computation.emplace(node.id, computation.size());
    }
    if (node.is_collective() && node.comm_type == CollectiveType::AllGather) {
      const std::size_t since = node.data_deps.empty() ? 0 : computation.at(node.data_deps.front()) + 1;
      for (std::size_t i = 0, before = 0; i < all.nodes.size(); ++i) {
        const Node& user = all.nodes[i];
        if (user.type != NodeType::Comp) continue;
        if (std::count(user.data_deps.begin(), user.data_deps.end(), node.id) != 0) {
          found.push_back(before - since);
          break;
        }
        ++before;
      }
    }
  }
  return found;
}

TEST(Fsdp, PrefetchBringsUnitsSoManyAhead) {
  Strategy s = strategy(1, 4, 1);
  s.zero_stage = 3;
  s.microbatches = 1;
  const model::Model model = model::transformer(small_transformer());  // blocks of two computations
  for (const std::uint32_t ahead : {1U, 2U, 3U}) {
    s.prefetch = ahead;
    const Plan plan(model, s);
    validate(plan);
    const std::vector<std::size_t> far = distances(plan);
    ASSERT_GT(far.size(), 6U);
    EXPECT_EQ(far[5], 2U * ahead) << ahead;
    EXPECT_EQ(made(plan, 0).volumes.classes.at("dp").sent_bytes, [&] {
      Strategy plain = s;
      plain.prefetch = 1;
      const Plan other(model, plain);
      return made(other, 0).volumes.classes.at("dp").sent_bytes;
    }());
  }
  s.prefetch = 1;
  const std::uint64_t two = memory_need(Plan(model, s), 0).gathered;
  s.prefetch = 3;
  EXPECT_EQ(memory_need(Plan(model, s), 0).gathered, 2 * two);  // four units in place of two
}

// GShard (Lepikhin et al. 2021): an expert has room for C = factor × k·tokens/E; each of the two all-to-alls
// of a pass carries E·C·h elements.
TEST(Capacity, MakesExchangesAndExpertsLarger) {
  model::TransformerSpec spec = small_transformer();
  spec.experts = 4;
  spec.experts_per_token = 2;
  const model::Model model = model::transformer(spec);
  const auto volumes = [&](double factor) {
    Strategy s = strategy(1, 4, 1);
    s.expert_parallel = 4;
    s.capacity_factor = factor;
    const Plan plan(model, s);
    validate(plan);
    return made(plan, 0).volumes;
  };
  const auto hidden = static_cast<double>(spec.hidden), layers = static_cast<double>(spec.layers);
  const double tokens = 2 * static_cast<double>(spec.sequence), microbatches = 4, experts = 2;  // per token
  for (const double factor : {1.0, 1.25, 2.0}) {
    const double exchange = factor * experts * tokens * hidden * 2;  // bytes
    EXPECT_EQ(static_cast<double>(volumes(factor).classes.at("ep").sent_bytes),
              4 * layers * microbatches * exchange * 3 / 4);
  }
  // Forward, and twice as much back: 2 products of h × 4h for each of k tokens and the room beyond.
  const double more =
      static_cast<double>(volumes(1.25).operations) - static_cast<double>(volumes(1.0).operations);
  EXPECT_EQ(more, 0.25 * 3 * layers * microbatches * experts * tokens * 2 * 2 * hidden * 4 * hidden);
}

TEST(Variants, RefuseWhatHasNoEffect) {
  const auto cause = [](const Strategy& s) {
    try {
      const Plan plan(model::transformer(small_transformer()), s);
    } catch (const PlanError& error) {
      return static_cast<int>(error.cause());
    }
    return -1;
  };
  Strategy s = strategy(1, 4, 1);
  EXPECT_EQ(cause(s), -1);
  s.capacity_factor = 1.5;
  EXPECT_EQ(cause(s), static_cast<int>(PlanError::Cause::capacity));
  s = strategy(1, 4, 1);
  s.gather = Gather::microbatch;
  EXPECT_EQ(cause(s), static_cast<int>(PlanError::Cause::prefetch));
  s.gather = Gather::iteration;
  s.prefetch = 2;
  EXPECT_EQ(cause(s), static_cast<int>(PlanError::Cause::prefetch));
  s.zero_stage = 3;
  EXPECT_EQ(cause(s), -1);
  s.overlap_dp = false;
  EXPECT_EQ(cause(s), static_cast<int>(PlanError::Cause::prefetch));
  s.overlap_dp = true;
  s.prefetch = 0;
  EXPECT_EQ(cause(s), static_cast<int>(PlanError::Cause::prefetch));
}

}  // namespace
}  // namespace wafertlm::training
