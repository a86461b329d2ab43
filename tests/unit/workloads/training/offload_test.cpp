// SPDX-License-Identifier: Apache-2.0
// What is offloaded is loaded and stored, in all the bytes that it has, and makes room on the NPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include "tests/unit/workloads/training/small_job.h"
#include "workloads/training/memory.h"
#include "workloads/training/training.h"

namespace wafertlm::training {
namespace {

using chakra::Node;
using chakra::NodeType;

struct Moved {
  std::uint64_t loaded = 0, stored = 0;
  std::map<std::uint64_t, Node> nodes;
};

Moved moved(const Plan& plan, std::uint32_t rank) {
  TrainingGenerator generator(std::shared_ptr<const Plan>(&plan, [](const Plan*) {}), rank);
  Moved all;
  Node node;
  while (generator.next(node)) {
    // Nothing is moved that has no bytes.
    const bool is_access = node.type == NodeType::MemLoad || node.type == NodeType::MemStore;
    EXPECT_TRUE(!is_access || node.tensor_size.value() > 0) << node.name;
    EXPECT_TRUE(!node.is_collective() || node.comm_size.value() > 0) << node.name;
    if (node.type == NodeType::MemLoad) all.loaded += node.tensor_size.value();
    if (node.type == NodeType::MemStore) all.stored += node.tensor_size.value();
    all.nodes[node.id] = node;
  }
  return all;
}

Plan plan_of(const Strategy& s) { return Plan(model::transformer(small_transformer()), s); }

std::uint64_t parameters(const Plan& plan) { return memory_need(plan, 0).parameters / 2; }

TEST(Offload, NothingIsMovedWithoutIt) {
  const Moved all = moved(plan_of(strategy(1, 2, 1)), 0);
  EXPECT_EQ(all.loaded + all.stored, 0U);
}

TEST(Offload, MovesTheOptimizersStateThereAndBackInPortions) {
  for (const std::uint32_t zero : {0U, 1U}) {
    Strategy s = strategy(1, 2, 1);
    s.zero_stage = zero;
    s.offload.optimizer = true;
    s.offload_portion_bytes = 1 << 20;
    const Plan plan = plan_of(s);
    const std::uint64_t state = 12 * parameters(plan) / (zero ? 2 : 1);
    const Moved all = moved(plan, 1);
    EXPECT_EQ(all.loaded, state);
    EXPECT_EQ(all.stored, state);
    std::uint64_t loads = 0, largest = 0;
    for (const auto& [id, node] : all.nodes)
      if (node.type == NodeType::MemLoad) ++loads, largest = std::max(largest, *node.tensor_size);
    EXPECT_EQ(loads, (state + (1 << 20) - 1) >> 20);
    EXPECT_LE(largest, std::uint64_t{1} << 20);
    for (const auto& [bytes, portions] :
         {std::pair(state + 1, 1U), {state, 1U}, {state - 1, 2U}, {state / 4, 4U}}) {
      s.offload_portion_bytes = bytes;
      std::uint64_t count = 0;
      for (const auto& [id, node] : moved(plan_of(s), 1).nodes) count += node.type == NodeType::MemLoad;
      EXPECT_EQ(count, portions) << bytes;
    }
  }
}

// Two buffers: the first two portions come in behind the backward passes, each other one when the one two
// before it is worked on and has left.
TEST(Offload, APortionComesIntoABufferThatIsFree) {
  Strategy s = strategy(1, 1, 1);
  s.offload.optimizer = true;
  s.offload_portion_bytes = 1 << 22;
  const Moved all = moved(plan_of(s), 0);
  std::map<std::uint64_t, std::set<std::uint64_t>> loads, stores;  // by portion: what they wait for
  std::map<std::uint64_t, std::uint64_t> work, store;              // ids
  std::uint64_t backward = 0;
  for (const auto& [id, node] : all.nodes) {
    const std::uint64_t portion =
        node.name.empty() ? 0 : std::strtoull(&node.name[node.name.rfind(' ')], nullptr, 10);
    const std::set<std::uint64_t> after(node.data_deps.begin(), node.data_deps.end());
    if (node.type == NodeType::MemLoad) loads[portion] = after;
    if (node.type == NodeType::MemStore) stores[portion] = after, store[portion] = id;
    if (node.type != NodeType::Comp) continue;
    if (node.name.rfind("optimizer", 0) == 0)
      work[portion] = id;
    else
      backward = id;
  }
  ASSERT_GT(loads.size(), 4U);
  for (const auto& [portion, after] : loads) {
    const std::set<std::uint64_t> expected =
        portion < 2 ? std::set<std::uint64_t>{backward}
                    : std::set<std::uint64_t>{work.at(portion - 2), store.at(portion - 2)};
    EXPECT_EQ(after, expected) << portion;
    EXPECT_EQ(stores.at(portion), std::set<std::uint64_t>{work.at(portion)});
  }
}

TEST(Offload, StoresGradientsWhenTheyAreReducedAndLoadsThemForTheOptimizer) {
  for (const std::uint32_t dp : {1U, 2U}) {
    Strategy s = strategy(1, dp, 1);
    s.zero_stage = dp == 1 ? 0 : 2;
    s.offload.gradients = true;
    const Plan plan = plan_of(s);
    const Moved all = moved(plan, 0);
    EXPECT_EQ(all.stored, 2 * parameters(plan) / dp);
    EXPECT_EQ(all.loaded, all.stored);
    for (const auto& [id, node] : all.nodes) {
      if (node.type == NodeType::MemLoad) {  // what it loads has been stored
        for (const auto& [stored, store] : all.nodes)
          EXPECT_TRUE(store.type != NodeType::MemStore ||
                      std::count(node.data_deps.begin(), node.data_deps.end(), stored) == 1);
      }
      if (node.type != NodeType::MemStore) continue;
      ASSERT_FALSE(node.data_deps.empty());
      EXPECT_EQ(all.nodes.at(node.data_deps.front()).is_collective(), dp != 1);
    }
  }
}

// What is reduced for every microbatch adds up: the first is stored; for each further one the sum comes in
// when it has been stored, a node adds to it, and it goes back.
TEST(Offload, SumsOfGradientsComeAndGoForEveryMicrobatch) {
  for (const bool overlap : {true, false}) {
    Strategy s = strategy(1, 2, 1);
    s.zero_stage = 3;
    s.gather = Gather::microbatch;
    s.offload.gradients = true;
    s.overlap_dp = overlap;
    s.bucket_bytes = 1'000'000;
    const Plan plan = plan_of(s);
    const Moved all = moved(plan, 0);
    EXPECT_EQ(all.stored, 4 * 2 * parameters(plan));
    EXPECT_EQ(all.loaded, all.stored);
    std::uint64_t added = 0, loads = 0;
    std::set<std::uint64_t> sums;  // stores that nobody has loaded
    for (const auto& [id, node] : all.nodes) {
      if (node.type == NodeType::MemStore) sums.insert(id);
      if (node.type == NodeType::MemLoad && node.name.find("optimizer") == std::string::npos) {
        ++loads;
        const std::uint64_t sum = node.data_deps.back();
        EXPECT_EQ(sums.erase(sum), 1U) << "of a sum that is there, once";
        EXPECT_EQ(all.nodes.at(sum).tensor_size, node.tensor_size);
      }
      if (node.name.rfind("add ", 0) != 0) continue;
      added += *node.num_ops;
      EXPECT_EQ(all.nodes.at(node.data_deps.back()).type, NodeType::MemLoad);
      EXPECT_TRUE(all.nodes.at(node.data_deps.front()).is_collective());
    }
    EXPECT_EQ(added, 3 * parameters(plan));
    EXPECT_EQ(loads, 3 * sums.size());
  }
}

TEST(Offload, LoadsWeightsForBothDirectionsAndStoresThemOnce) {
  for (const std::uint32_t zero : {0U, 3U}) {
    Strategy s = strategy(1, 2, 1);
    s.zero_stage = zero;
    s.offload.weights = true;
    const Plan plan = plan_of(s);
    const Moved all = moved(plan, 0);
    Strategy kept = s;
    kept.offload = {};
    const std::uint64_t held = memory_need(plan_of(kept), 0).parameters;  // with ZeRO-3 a half
    EXPECT_EQ(all.loaded, 2 * held);
    EXPECT_EQ(all.stored, held);
    // A gather of what was offloaded waits for its load, and computations for either.
    std::set<std::uint64_t> used;
    for (const auto& [id, node] : all.nodes) used.insert(node.data_deps.begin(), node.data_deps.end());
    for (const auto& [id, node] : all.nodes)
      EXPECT_TRUE(node.type != NodeType::MemLoad || used.count(id) == 1) << node.name;
  }
}

TEST(Offload, MakesRoomOnTheNpu) {
  Strategy s = strategy(2, 2, 1);
  const MemoryNeed whole = memory_need(plan_of(s), 0);
  s.offload = {true, true, true};
  s.bucket_bytes = s.offload_portion_bytes = 1000;
  const MemoryNeed need = memory_need(plan_of(s), 0);
  EXPECT_EQ(need.offloaded, whole.parameters + whole.gradients + whole.optimizer);
  EXPECT_EQ(need.parameters, 0U);
  EXPECT_EQ(need.gradients, 2000U);
  EXPECT_EQ(need.optimizer, 2000U);
  EXPECT_EQ(need.gathered, whole.parameters) << "kept for all microbatches while they are in use";
  EXPECT_EQ(need.activations, whole.activations);
}

}  // namespace
}  // namespace wafertlm::training
