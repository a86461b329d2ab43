// SPDX-License-Identifier: Apache-2.0
// What a library of GPUs does: its choice, its volumes and values, and what its times are made of.
#include <gtest/gtest.h>

#include <random>

#include "platform/commands/collective/collective_setup.h"
#include "tests/collectives/simulated.h"
#include "workloads/collectives/algorithm/algorithm.h"
#include "workloads/collectives/gpu_library/choice.h"

namespace wafertlm {
namespace {

using test::first_npus;

config::PlatformSpec servers_of_h100(std::uint32_t servers, std::uint32_t gpus = 8,
                                     std::vector<std::string> more = {}) {
  more.insert(more.begin(), {"wafer.fabric.dimensions[0].size=" + std::to_string(gpus),
                             "wafer.fabric.dimensions[1].size=" + std::to_string(servers)});
  return test::preset("h100_cluster", more);
}

std::vector<std::string> library_rows(CollectiveType type, const Group& group, const FabricTraits& fabric) {
  std::vector<std::string> names;
  for (const std::string& name : algorithms_for(type, group, fabric))
    for (const char* kind : {"ring_ll", "ring_ll128", "ring_simple", "tree_ll", "tree_ll128", "tree_simple",
                             "nvls", "nvls_tree"})
      if (name == kind) names.push_back(name);
  return names;
}

// Sums and copies through links, network and switches, of any number of servers and GPUs, and of sizes that
// no chunk divides.
TEST(GpuLibrary, ValuesAreRightOnAnyServers) {
  std::mt19937_64 random(51);
  int proven = 0, cases = 0;
  for (int round = 0; round < 6; ++round) {
    const std::uint32_t servers = 1 + static_cast<std::uint32_t>(random() % 5),
                        gpus = 2 + static_cast<std::uint32_t>(random() % 7);
    const config::PlatformSpec spec = servers_of_h100(servers, gpus, {"run.functional=true"});
    const Group group = first_npus(servers * gpus);
    for (const CollectiveType type :
         {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter})
      for (const std::string& algorithm : library_rows(type, group, platform_traits(spec))) {
        const std::uint64_t bytes = 4 * (1 + random() % 300'000);
        const auto result = test::outcome(spec, {type, group, bytes, algorithm, 0});
        EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>()) << algorithm;
        proven += result["proven"].get<bool>() ? 1 : 0;
        ++cases;
      }
  }
  EXPECT_EQ(proven, cases);
  EXPECT_GT(cases, 60);
}

// In-switch reduction: S (1 + 1/n) of each GPU and direction (hardware.md); rings 2 S (n - 1)/n.
TEST(GpuLibrary, VolumesAreThoseOfTheFormulas) {
  for (const std::uint32_t gpus : {3U, 4U, 8U}) {
    const config::PlatformSpec spec =
        test::preset("dgx_h100", {"wafer.fabric.dimensions[0].size=" + std::to_string(gpus)});
    const FabricTraits fabric = platform_traits(spec);
    const std::uint64_t bytes = 4 * 1680 * std::uint64_t{100'000};
    for (const std::string name : {"nvls", "ring_simple", "ring_ll128"}) {
      const auto program =
          plan_collective({CollectiveType::all_reduce, first_npus(gpus), bytes, name, 0}, fabric);
      for (std::uint32_t rank = 0; rank < gpus; ++rank) {
        std::uint64_t sent = 0, received = 0;
        const StepSource& steps = *program->ranks[rank];
        for (std::uint32_t block = 0; block < steps.threadblocks(); ++block)
          for (std::uint32_t i = 0; i < steps.steps(block); ++i) {
            const Step step = steps.step(block, i);
            const bool sends = step.kind == Step::Kind::send || step.kind == Step::Kind::flow_send;
            (sends ? sent : received) += step.bytes;
          }
        const std::uint64_t expected = name == "nvls" ? bytes + bytes / gpus : 2 * (bytes - bytes / gpus);
        EXPECT_EQ(sent, expected) << name << " of " << gpus;
        EXPECT_EQ(received, expected) << name << " of " << gpus;
      }
    }
  }
}

// What the links carry is what was sent: nothing is lost in a switch, or counted twice.
TEST(GpuLibrary, LinksCarryTheVolumesOfTheFormulas) {
  for (const std::uint32_t gpus : {3U, 8U}) {
    const config::PlatformSpec spec =
        test::preset("dgx_h100", {"wafer.fabric.dimensions[0].size=" + std::to_string(gpus)});
    const std::uint64_t bytes = 4 * 1680 * std::uint64_t{1000};
    EXPECT_EQ(
        test::outcome(spec, {CollectiveType::all_reduce, first_npus(gpus), bytes, "nvls", 0})["busiest_link"],
        bytes + bytes / gpus);
    EXPECT_EQ(test::outcome(
                  spec, {CollectiveType::all_reduce, first_npus(gpus), bytes, "ring_ll", 0})["busiest_link"],
              2 * (bytes - bytes / gpus));
  }
}

// Each slice of a ring takes the latency of a step and its bytes over the link, one after the other.
TEST(GpuLibrary, ARingTakesItsSlicesOneAfterTheOther) {
  const config::PlatformSpec spec = test::preset("dgx_h100", {"npu.endpoint.launch_cost=0 ps"});
  const std::uint64_t loop = std::uint64_t{8} * 24 * 2 * 1024 * 1024;  // ranks, channels, chunk of a channel
  const auto time = [&](std::uint64_t bytes) {
    return test::outcome(spec, {CollectiveType::all_reduce, first_npus(8), bytes, "ring_simple", 0})["time"]
        .get<TimePs>();
  };
  const TimePs slice = transfer_time_ps(loop / 8 / 2, 370'800'000'000) + 3'400'000;
  const auto near = static_cast<double>(8'400'000 + 14 * 2 * slice);
  EXPECT_NEAR(static_cast<double>(time(loop)), near, near * 1e-6);
  EXPECT_NEAR(static_cast<double>(time(3 * loop) - time(loop)), static_cast<double>(2 * 14 * 2 * slice), 1e6);
}

// The chunk of one head after the other: sums come in while those of the chunk before go out.
TEST(GpuLibrary, InSwitchSumsOverlapWhatGoesOut) {
  const config::PlatformSpec spec = test::preset("dgx_h100", {"npu.endpoint.launch_cost=0 ps"});
  const std::uint64_t bytes = std::uint64_t{8} << 30U;
  const auto time =
      test::outcome(spec, {CollectiveType::all_reduce, first_npus(8), bytes, "nvls", 0})["time"];
  const double wire = static_cast<double>(bytes) * (1 + 1. / 8) / (370.8e9 * 0.85) * 1e12;
  EXPECT_GT(time.get<double>(), wire);
  EXPECT_LT(time.get<double>(), wire * 1.01);
}

struct Choice {
  std::uint64_t bytes;
  const char* name;
};

std::string choice_of(const config::PlatformSpec& spec, std::uint32_t gpus, std::uint64_t bytes) {
  return nccl_choices({CollectiveType::all_reduce, first_npus(gpus), bytes, kNccl, 0}, platform_traits(spec))
      .front()
      .algorithm;
}

// Published: LL for the smallest, LL128 between, Simple and in-switch reduction above; in one H200 server
// NVLS from 2 MiB on (nccl-tests with NCCL 2.27.7, stas00/ml-engineering).
TEST(GpuLibrary, ChoosesAsPublishedOnHopper) {
  const config::PlatformSpec one = test::preset("dgx_h100", {});
  EXPECT_EQ(choice_of(one, 8, 1 << 10), "ring_ll");
  EXPECT_EQ(choice_of(one, 8, 1 << 20), "ring_ll");
  EXPECT_EQ(choice_of(one, 8, 2 << 20), "nvls");
  EXPECT_EQ(choice_of(one, 8, 1 << 30), "nvls");
  const config::PlatformSpec two = servers_of_h100(2);
  EXPECT_EQ(choice_of(two, 16, 1 << 10), "tree_ll");
  EXPECT_EQ(choice_of(two, 16, 1 << 20), "tree_ll128");
  EXPECT_EQ(choice_of(two, 16, 1 << 30), "nvls_tree");
  const config::PlatformSpec ampere = test::preset("dgx_a100", {});
  EXPECT_EQ(choice_of(ampere, 8, 16 << 20), "ring_ll128");
  EXPECT_EQ(choice_of(ampere, 8, 256 << 20), "ring_simple");
}

// The slower of two is never chosen, and larger vectors never go by a protocol with more flags.
TEST(GpuLibrary, ProtocolsFollowTheSize) {
  const config::PlatformSpec spec = servers_of_h100(2);
  const FabricTraits fabric = platform_traits(spec);
  int before = 0;
  for (std::uint64_t bytes = 64; bytes <= std::uint64_t{16} << 30U; bytes *= 2) {
    const auto choices = nccl_choices({CollectiveType::all_gather, first_npus(16), bytes, kNccl, 0}, fabric);
    for (std::size_t i = 1; i < choices.size(); ++i) EXPECT_LE(choices[i - 1].time_ps, choices[i].time_ps);
    const std::string& name = choices.front().algorithm;
    const int protocol = name == "ring_ll" ? 0 : name == "ring_ll128" ? 1 : 2;
    EXPECT_GE(protocol, before) << bytes;
    before = protocol;
  }
  EXPECT_EQ(before, 2);
}

TEST(GpuLibrary, WithoutServersThereIsNoChoice) {
  const FabricTraits mesh = platform_traits(test::platform());
  EXPECT_THROW(plan_collective({CollectiveType::all_reduce, first_npus(4), 400, kNccl, 0}, mesh),
               std::invalid_argument);
  // Seven GPUs of two servers are no servers of equally many.
  const FabricTraits two = platform_traits(servers_of_h100(2));
  EXPECT_THROW(plan_collective({CollectiveType::all_reduce, first_npus(11), 440, kNccl, 0}, two),
               std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
