// SPDX-License-Identifier: Apache-2.0
// Windows of time: the order between partitions changes, and nothing else.
#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "platform/host/child.h"
#include "platform/machine/collective_run.h"
#include "tests/collectives/simulated.h"
#include "tlm/kernel/scheduler.h"

namespace wafertlm {
namespace {

constexpr TimePs kWindow = 20'000;
constexpr std::uint32_t kPartitions = 300;

/// A node that wakes itself within a window and its neighbour a window later.
struct Node final : Wakeable {
  void wake(std::uint32_t what, TimePs now) override {
    EXPECT_EQ(scheduler->now(), now);
    came.emplace_back(now, what);
    went_back = went_back || now < *latest;
    *latest = std::max(*latest, now);
    if (left == 0) return;
    --left;
    // Its own at even times and the neighbour's at odd ones: the order of the calls is that of one partition.
    const TimePs even = now / 2 * 2;
    scheduler->schedule_run_ahead(even + 2 + random() % 15'000 * 2, *this, what + 1);
    if (what % 3 == 0)
      scheduler->schedule_run_ahead(even + kWindow + 3 + random() % 2'500 * 2, *neighbor, what + 7);
  }
  Scheduler* scheduler = nullptr;
  Node* neighbor = nullptr;
  TimePs* latest = nullptr;
  std::mt19937_64 random;
  std::uint32_t left = 120;
  std::vector<std::pair<TimePs, std::uint32_t>> came;
  bool went_back = false;
};

nlohmann::json nodes_with(TimePs window_ps) {
  return run_in_child([&]() -> nlohmann::json {
    Scheduler scheduler("scheduler");
    scheduler.allow_lookahead_windows([window_ps] { return window_ps; });
    TimePs latest = 0;
    std::deque<Node> nodes(kPartitions);
    for (std::uint32_t n = 0; n < kPartitions; ++n) {
      nodes[n].set_partition(n);
      nodes[n].scheduler = &scheduler;
      nodes[n].neighbor = &nodes[(n + 1) % kPartitions];
      nodes[n].latest = &latest;
      nodes[n].random.seed(n);
      for (std::uint32_t k = 0; k < 3; ++k) scheduler.schedule_run_ahead(100 * k + 2 * n, nodes[n], k);
    }
    scheduler.run();
    nlohmann::json result{{"events", scheduler.events()}, {"end", kernel_now_ps()}, {"back", false}};
    for (const Node& node : nodes) {
      result["came"].push_back(node.came);
      result["back"] = result["back"].get<bool>() || node.went_back;
    }
    return result;
  });
}

TEST(Windows, EveryRegionSeesTheSame) {
  nlohmann::json with = nodes_with(kWindow), without = nodes_with(0);
  EXPECT_TRUE(with["back"].get<bool>()) << "there were no windows";
  EXPECT_FALSE(without["back"].get<bool>());
  EXPECT_GT(with["events"].get<std::uint64_t>(), 40'000U);
  with.erase("back");
  without.erase("back");
  EXPECT_TRUE(with == without);
}

TEST(Windows, AreRefusedWhereRegionsActOnEachOtherAtOnce) {
  const auto run = [] { nodes_with(kWindow + 6'000); };  // more than nodes keep away from each other
  try {
    run();
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("see Scheduler::allow_lookahead_windows"), std::string::npos)
        << error.what();
  }
}

struct CollectiveCase {
  CollectiveType type;
  const char* algorithm;
  std::uint64_t bytes;
};

// Origin of what is expected: with protocol checkers nothing leads, so there are no windows.
void expect_the_same_with_checkers(const CollectiveCase& tested, const std::string& platform,
                                   std::vector<std::string> keys, std::uint32_t npus) {
  CollectiveRequest request;
  request.type = tested.type;
  request.algorithm = tested.algorithm;
  request.bytes = tested.bytes;
  for (std::uint32_t n = 0; n < npus; ++n) request.group.push_back(static_cast<NpuId>(n));
  keys.emplace_back();
  const auto run = [&](const char* checkers) {
    keys.back() = std::string("run.checkers=") + checkers;
    const config::PlatformSpec spec =
        config::load_platform(std::string(WAFERTLM_SOURCE_DIR) + "/configs/platforms/" + platform, keys);
    return run_in_child([&]() -> nlohmann::json {
      const CollectiveResult result = run_collective(spec, request, "dp");
      return {{"ends", result.end_ps},
              {"hops", result.packet_hops},
              {"busiest", result.busiest_link_payload_bytes},
              {"starved", result.starved_ps},
              {"link", result.starved_link}};
    });
  };
  EXPECT_EQ(run("false"), run("true")) << tested.algorithm;
}

TEST(Windows, CollectivesAreTheSameAsWithCheckers) {
  for (const CollectiveCase& tested : {CollectiveCase{CollectiveType::all_reduce, "hierarchical_2d", 400'000},
                                       CollectiveCase{CollectiveType::all_to_all, "direct", 80'000},
                                       CollectiveCase{CollectiveType::all_reduce, "tree", 30'000}})
    expect_the_same_with_checkers(tested, "wafer_mesh_5x4.yaml", {"wafer.width=14", "wafer.height=14"}, 196);
}

// Flows are admitted everywhere at once; there are windows as soon as all have been entered.
TEST(Windows, AreTheSameOnFred) {
  const std::vector<std::string> keys = {"wafer.fabric.l1_switches=32",   "wafer.fabric.npus_per_l1=16",
                                         "wafer.fabric.l2_switches=8",    "wafer.fabric.l1_uplink=3 TB/s",
                                         "wafer.fabric.l2_uplink=3 TB/s", "wafer.io.controllers=none"};
  for (const CollectiveCase& tested :
       {CollectiveCase{CollectiveType::all_reduce, "in_network", 200'000},
        CollectiveCase{CollectiveType::all_reduce, "halving_doubling", 60'000}})
    expect_the_same_with_checkers(tested, "fred_d.yaml", keys, 512);
}

}  // namespace
}  // namespace wafertlm
