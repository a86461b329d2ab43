// SPDX-License-Identifier: Apache-2.0
// What every link of a fabric carried, against the sends of the program walked over the routes.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "platform/machine/machine.h"
#include "platform/machine/machine_links.h"
#include "tests/collectives/dimensional/dimensional_case.h"
#include "tests/support/program_run.h"
#include "workloads/collectives/planner.h"

namespace wafertlm {
namespace {

struct Case {
  std::string name;
  config::PlatformSpec spec;
};

config::PlatformSpec dimensional(const std::string& transport) {
  test::DimensionalCase made;
  made.dimensions =
      "{topology: ring, size: 3, bandwidth: 50 GB/s, latency: 10 ns}, {topology: fully_connected, size: 2, "
      "bandwidth: "
      "70 GB/s, latency: 20 ns}, {topology: switch, size: 2, bandwidth: 30 GB/s, latency: 30 ns}";
  made.fabric = (transport == "packets" ? "packet_bytes: 4 KiB, transport: " : "transport: ") + transport;
  return made.spec();
}

std::vector<Case> fabrics() {
  return {{"mesh", test::platform()},
          {"wormhole", test::preset("wafer_mesh_5x4",
                                    {"wafer.fabric.switching=wormhole", "wafer.fabric.flit_bytes=512B"})},
          {"fred", test::fred_platform("a")},
          {"graph", test::preset("graph_fat_tree_16", {})},
          {"wafers", test::preset("wafers_4_mesh_5x4", {})}};
}

/// Payload by name of the link.
std::map<std::string, std::uint64_t> walked(const CollectiveProgram& program, const Topology& topology) {
  std::map<std::string, std::uint64_t> bytes;
  for (std::uint32_t rank = 0; rank < program.group.size(); ++rank)
    for (std::uint32_t tb = 0; tb < program.ranks[rank]->threadblocks(); ++tb)
      for (std::uint32_t i = 0; i < program.ranks[rank]->steps(tb); ++i) {
        const Step step = program.ranks[rank]->step(tb, i);
        if (step.kind != Step::Kind::send) continue;
        for (const std::size_t link : topology.route(program.group[rank], program.group[step.peer]))
          bytes[topology.link_name(link)] += step.bytes;
      }
  return bytes;
}

nlohmann::json carried(const config::PlatformSpec& spec, const CollectiveRequest& request) {
  return run_in_child([&]() -> nlohmann::json {
    Machine machine(spec);
    const std::shared_ptr<const CollectiveProgram> program = plan_collective(request, machine.traits());
    test::run_program(machine, program, "dp");
    nlohmann::json links;
    const std::vector<MachineLink> all = machine_links(machine);
    const std::vector<OutputCounters> counters = link_counters(machine);
    for (std::size_t k = 0; k < all.size(); ++k) links["carried"][all[k].name] = counters[k].payload_bytes;
    links["walked"] = walked(*program, *machine.traits().topology);
    return links;
  });
}

CollectiveRequest request_of(const config::PlatformSpec& spec, CollectiveType type, const char* algorithm) {
  CollectiveRequest request;
  request.type = type;
  for (std::uint32_t npu = 0; npu < spec.wafer.npu_count(); ++npu)
    request.group.push_back(static_cast<NpuId>(npu));
  request.bytes = 96'000 * request.group.size();
  request.algorithm = algorithm;
  request.chunks = 1;
  return request;
}

constexpr CollectiveType kRingTypes[] = {CollectiveType::all_reduce, CollectiveType::all_gather};

TEST(LinkBytes, AreThoseOfTheSendsOnTheirRoutes) {
  std::mt19937_64 random(17);
  for (const Case& fabric : fabrics())
    for (const CollectiveType type : kRingTypes) {
      CollectiveRequest request = request_of(fabric.spec, type, "ring");
      if (fabric.name == "mesh" || fabric.name == "fred") {  // any group, in any order
        std::shuffle(request.group.begin(), request.group.end(), random);
        request.group.resize(7);
        request.bytes = 672'000;
      }
      const nlohmann::json links = carried(fabric.spec, request);
      EXPECT_GT(links["walked"].size(), 4U);
      // Links of the topology that nothing was sent over carried nothing.
      const FabricTraits traits = platform_traits(fabric.spec);
      for (std::size_t link = 0; link < traits.topology->links(); ++link) {
        const std::string name = traits.topology->link_name(link);
        const bool is_walked = links["walked"].contains(name);
        if (!is_walked && !links["carried"].contains(name)) continue;
        ASSERT_TRUE(links["carried"].contains(name)) << fabric.name << ": " << name;
        EXPECT_EQ(links["carried"][name], is_walked ? links["walked"][name].get<std::uint64_t>() : 0U)
            << fabric.name << ", " << to_string(type) << ": " << name;
      }
    }
}

/// Sorted, without those that carried nothing, and without ports of NPUs.
std::vector<std::uint64_t> sorted(const nlohmann::json& links) {
  std::vector<std::uint64_t> bytes;
  for (const auto& [name, carried] : links.items())
    if (carried != 0 && name.find("npu") == std::string::npos) bytes.push_back(carried);
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

// On a fabric of dimensions links are called otherwise: all of them together.
TEST(LinkBytes, OfDimensionsAsMessagesAndAsPackets) {
  for (const CollectiveType type : kRingTypes) {
    std::vector<std::uint64_t> before;
    for (const char* transport : {"messages", "packets"}) {
      const config::PlatformSpec spec = dimensional(transport);
      const nlohmann::json links = carried(spec, request_of(spec, type, "dimensional"));
      EXPECT_GT(links["walked"].size(), 12U);
      EXPECT_EQ(sorted(links["carried"]), sorted(links["walked"])) << transport;
      EXPECT_TRUE(before.empty() || sorted(links["carried"]) == before);
      before = sorted(links["carried"]);
    }
  }
}

}  // namespace
}  // namespace wafertlm
