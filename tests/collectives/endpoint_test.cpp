// SPDX-License-Identifier: Apache-2.0
// What endpoints cost beyond the fabric: per message, through the HBM, and at the injection port. Closed
// forms from integers, on the idle 5x4 wafer.
#include <gtest/gtest.h>

#include <cstdio>

#include "models/hbm/hbm.h"
#include "platform/host/child.h"
#include "platform/machine/collective_run.h"
#include "platform/machine/machine.h"
#include "tests/collectives/simulated.h"
#include "tests/support/program_run.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kGB = 1'000'000'000, kKiB = 1024, kMiB = 1024 * kKiB;
constexpr TimePs kHop = 20'000, kHbmLatency = 100'000;

using test::npus;
using test::whole_wafer;

config::PlatformSpec mesh_with(std::vector<std::string> overrides = {}) {
  overrides.emplace_back("run.checkers=true");
  return test::platform(overrides);
}

TimePs run(const config::PlatformSpec& spec, const CollectiveRequest& request) {
  return run_in_child([&]() -> nlohmann::json { return run_collective(spec, request, "dp").time_ps; })
      .get<TimePs>();
}

TimePs link_ps(std::uint64_t bytes) { return transfer_time_ps(bytes, 750 * kGB); }
TimePs hbm_ps(std::uint64_t bytes) { return transfer_time_ps(bytes, 3000 * kGB); }

// A row of 5: 2 * 4 steps in sequence over 14 hops (see exact_test.cpp), each with both costs.
TEST(EndpointCost, IsPaidOncePerStepAtEachEnd) {
  const CollectiveRequest request{CollectiveType::all_reduce, npus({0, 1, 2, 3, 4}), 5 * 64 * kKiB, "ring",
                                  1};
  const TimePs fabric = 8 * link_ps(64 * kKiB) + 14 * kHop;
  EXPECT_EQ(run(mesh_with(), request), fabric);
  EXPECT_EQ(run(mesh_with({"npu.endpoint.step_cost=1us"}), request), fabric + 8 * 1'000'000);
  EXPECT_EQ(run(mesh_with({"npu.endpoint.receive_cost=123ps"}), request), fabric + 8 * 123);
  EXPECT_EQ(run(mesh_with({"npu.endpoint.step_cost=7ns", "npu.endpoint.receive_cost=1ps"}), request),
            fabric + 8 * 7'001);
}

TEST(EndpointCost, IsInPredictionAndBound) {
  const config::PlatformSpec spec =
      mesh_with({"npu.endpoint.step_cost=1us", "npu.endpoint.receive_cost=10ns"});
  const FabricTraits fabric = platform_traits(spec);
  CollectiveRequest request{CollectiveType::all_reduce, npus({0, 1, 2, 3, 4}), 5 * 64 * kKiB, "ring", 1};
  EXPECT_EQ(cost_of(*plan_collective(request, fabric), request, fabric).predicted_ps, run(spec, request));
  // The farthest ranks are four hops apart: at least one message with both costs.
  request.algorithm = "tree";
  request.bytes = 4;
  EXPECT_GE(cost_of(*plan_collective(request, fabric), request, fabric).bound_ps, 1'010'000U);
}

TEST(EndpointCost, OfASendAndAReceive) {
  Machine machine(mesh_with({"npu.endpoint.step_cost=5ns", "npu.endpoint.receive_cost=3ns"}));
  EXPECT_EQ(machine.traits().step_cost_ps, 5'000U);
  EXPECT_EQ(machine.traits().receive_cost_ps, 3'000U);
  const auto result = test::run_exchange(machine, NpuId{0}, NpuId{2}, kMiB, "dp");
  EXPECT_EQ(result.sent_ps, 5'000 + link_ps(kMiB));
  EXPECT_EQ(result.received_ps, 5'000 + link_ps(kMiB) + 2 * kHop + 3'000);
}

// The first chunk is read before the first byte leaves; the others are read and written while the link is
// busy; the last one is written when it has arrived.
TEST(EndpointMemory, OfASendAndAReceive) {
  const std::uint64_t chunk = 64 * kKiB, rest = 40'000, bytes = 10 * chunk + rest;
  Machine machine(mesh_with({"npu.endpoint.memory=hbm"}));
  const auto result = test::run_exchange(machine, NpuId{0}, NpuId{2}, bytes, "dp");
  const TimePs first = kHbmLatency + hbm_ps(chunk);
  EXPECT_EQ(result.sent_ps, first + link_ps(bytes));
  EXPECT_EQ(result.received_ps, first + link_ps(bytes) + 2 * kHop + hbm_ps(rest) + kHbmLatency);
  EXPECT_EQ(machine.memory(NpuId{0}).engine().counters(HbmCommand::read).bytes, bytes);
  EXPECT_EQ(machine.memory(NpuId{0}).engine().counters(HbmCommand::write).bytes, 0U);
  EXPECT_EQ(machine.memory(NpuId{2}).engine().counters(HbmCommand::read).bytes, 0U);
  EXPECT_EQ(machine.memory(NpuId{2}).engine().counters(HbmCommand::write).bytes, bytes);
}

// Messages of one chunk in lockstep: nothing overlaps within a step.
//   19 reduce steps: read, link, read twice, write;  19 copy steps: read, link, write.
TEST(EndpointMemory, OfARingInWholeChunks) {
  for (const std::uint64_t chunk : {64 * kKiB, 20 * kKiB}) {
    const TimePs read = kHbmLatency + hbm_ps(chunk), twice = kHbmLatency + hbm_ps(2 * chunk);
    const TimePs link = link_ps(chunk) + kHop;
    const TimePs closed = 19 * (read + link + twice + read) + 19 * (read + link + read);
    const CollectiveRequest request{CollectiveType::all_reduce, whole_wafer(), 20 * chunk, "ring", 1};
    const TimePs time = run(mesh_with({"npu.endpoint.memory=hbm", "run.functional=true"}), request);
    std::printf("ring of 20, %lu B a step through the HBM: %lu ps, closed form %lu ps\n", chunk, time,
                closed);
    EXPECT_EQ(time, closed);
  }
}

TEST(EndpointMemory, FreeIsTheDefault) {
  const CollectiveRequest request{CollectiveType::all_reduce, whole_wafer(), 4 * kMiB, "", 1};
  const TimePs plain = run(mesh_with(), request);
  EXPECT_EQ(plain, run(mesh_with({"npu.endpoint.memory=free"}), request));
  EXPECT_EQ(plain, run(mesh_with({"npu.hbm.read_bandwidth=1GB/s"}), request));
  EXPECT_LT(plain, run(mesh_with({"npu.endpoint.memory=hbm"}), request));
}

// Per step of the first half: a block read to send, two to reduce, one written; of the second half: one read,
// one written. At 300 GB/s the reads are what takes the time: 76 blocks of 64 MiB / 20.
TEST(EndpointMemory, ASlowHbmSetsThePace) {
  const std::uint64_t bytes = 64 * kMiB;
  Machine machine(mesh_with({"npu.endpoint.memory=hbm", "npu.hbm.read_bandwidth=300GB/s"}));
  const auto program =
      plan_collective({CollectiveType::all_reduce, whole_wafer(), bytes, "ring", 1}, machine.traits());
  const TimePs time = test::run_program(machine, program, "dp").time_ps;
  std::uint64_t most = 0, read = 0, written = 0;
  for (std::uint32_t npu = 0; npu < 20; ++npu) {
    const HbmEngine& engine = machine.memory(static_cast<NpuId>(npu)).engine();
    read += engine.counters(HbmCommand::read).bytes;
    written += engine.counters(HbmCommand::write).bytes;
    most = std::max(most, engine.counters(HbmCommand::read).bytes);
  }
  EXPECT_EQ(read, 76 * bytes);
  EXPECT_EQ(written, 38 * bytes);
  const TimePs bound = transfer_time_ps(most, 300 * kGB);
  std::printf("64 MiB ring, HBM read at 300 GB/s: %lu ps, reads alone %lu ps\n", time, bound);
  EXPECT_GE(time, bound);
  EXPECT_LE(time, bound + bound / 50);
}

// Four NPUs in a square, each sends three blocks through a port that is slower than one link. The port is
// never idle, and the last packet goes one hop. The links are shared, so near their rate packets meet on
// them.
TEST(Injection, LimitsAnAllToAllExactly) {
  const std::uint64_t block = kMiB;
  for (const std::uint64_t rate : {50 * kGB, 100 * kGB, 200 * kGB, 600 * kGB}) {
    const TimePs time =
        run(mesh_with({"wafer.fabric.injection_bandwidth=" + std::to_string(rate / kGB) + "GB/s"}),
            {CollectiveType::all_to_all, npus({0, 1, 6, 5}), 4 * block, "", 1});
    const TimePs closed = transfer_time_ps(3 * block, rate) + kHop;
    std::printf("all-to-all of 4, injection of %lu GB/s: %lu ps, closed form %lu ps\n", rate / kGB, time,
                closed);
    EXPECT_GE(time, closed);
    EXPECT_LE(time, closed + (rate > 200 * kGB ? 3 * link_ps(4096) : 0));
  }
}

// Both directions of the ring want 1.5 TB/s. At 1 TB/s the port rules: it is busy for 38 blocks.
TEST(Injection, LimitsABidirectionalRing) {
  const std::uint64_t bytes = 64 * kMiB;
  const CollectiveRequest request{CollectiveType::all_reduce, whole_wafer(), bytes, "bidirectional_ring", 1};
  const TimePs port = transfer_time_ps(38 * (bytes / 20), 1000 * kGB);
  const TimePs time = run(mesh_with({"wafer.fabric.injection_bandwidth=1TB/s"}), request);
  std::printf("bidirectional ring, injection of 1 TB/s: %lu ps, the port alone %lu ps\n", time, port);
  EXPECT_GE(time, port);
  EXPECT_LE(time, port + 38 * kHop + 38 * transfer_time_ps(4096, 1000 * kGB));
}

}  // namespace
}  // namespace wafertlm
