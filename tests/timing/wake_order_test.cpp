// SPDX-License-Identifier: Apache-2.0
// The order in which ports are woken within an instant must not matter: a mesh of bare switches under load,
// with thousands of ties, in the order of the requests and in random orders.
#include <gtest/gtest.h>

#include <cstdio>
#include <deque>
#include <map>
#include <random>
#include <tuple>

#include "models/mesh/mesh_geometry.h"
#include "tests/support/core_network.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kRate = 1'000'000'000'000;
constexpr std::uint32_t kPacketBytes = 1000;

struct MeshSetting {
  const char* name;
  InputQueue discipline;
  TimePs latency_ps, pipeline_ps, credit_delay_ps;
  std::uint32_t buffer_packets, packets_per_npu;
};

std::uint32_t port_towards(const MeshGeometry& mesh, NpuId from, Direction side) {
  std::uint32_t port = 0;
  for (const Direction direction : mesh.ports(from)) {
    if (direction == side) break;
    ++port;
  }
  return port;
}

/// (source, sequence) → when and with which waits it arrived.
using Log = std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<TimePs, TimePs>>;

Log run_mesh(const MeshSetting& setting, std::uint64_t seed_of_order) {
  const MeshGeometry mesh(4, 4);
  const ClassTable classes({{"low", 0, 2, 0}, {"high", 2, 1, 1}}, 3);
  std::deque<XyRouting> routes;
  CoreNetwork network(classes);
  for (std::uint32_t n = 0; n < mesh.npus(); ++n) {
    SwitchParams params;
    params.pipeline_ps = setting.pipeline_ps;
    params.input_queue = setting.discipline;
    for (std::size_t p = 0; p < mesh.ports(static_cast<NpuId>(n)).size(); ++p) {
      params.credit_delay_ps.push_back(setting.credit_delay_ps);
      params.outputs.push_back(
          {kRate, setting.latency_ps, std::uint64_t{setting.buffer_packets} * kPacketBytes});
    }
    network.add_switch(params, routes.emplace_back(mesh, static_cast<NpuId>(n)));
  }
  const std::pair<Direction, Direction> links[] = {{Direction::east, Direction::west},
                                                   {Direction::west, Direction::east},
                                                   {Direction::north, Direction::south},
                                                   {Direction::south, Direction::north}};
  for (std::uint32_t n = 0; n < mesh.npus(); ++n)
    for (const auto& [out, in] : links) {
      const auto here = static_cast<NpuId>(n);
      if (!mesh.has_neighbor(here, out)) continue;
      const NpuId there = mesh.neighbor(here, out);
      network.connect(n, static_cast<PortId>(port_towards(mesh, here, out)), index_of(there),
                      static_cast<PortId>(port_towards(mesh, there, in)));
    }
  if (seed_of_order != 0) network.shuffle(seed_of_order);
  Log log;
  network.on_delivery = [&log](const Packet& packet) {
    log[{static_cast<std::uint32_t>(packet.source), packet.sequence}] = {packet.tail_ps,
                                                                         packet.waits->total()};
  };
  std::mt19937_64 random(9);
  for (std::uint32_t n = 0; n < mesh.npus(); ++n) {
    const auto here = static_cast<NpuId>(n);
    TimePs created = 0;
    for (std::uint64_t i = 0; i < setting.packets_per_npu; ++i) {
      Packet packet;
      packet.waits.make();
      packet.source = here;
      packet.sequence = i;
      packet.destination = static_cast<NpuId>((n + 1 + random() % (mesh.npus() - 1)) % mesh.npus());
      packet.traffic_class = static_cast<ClassId>(random() % 4 == 0);
      packet.vc = packet.traffic_class == ClassId{1} ? VcId{2} : static_cast<VcId>(random() % 2);
      packet.wire_bytes = kPacketBytes;
      packet.created_ps = created += kPacketBytes * (random() % 3);
      network.offer(n, static_cast<PortId>(port_towards(mesh, here, Direction::local)), packet);
    }
  }
  network.run();
  EXPECT_TRUE(network.at_rest());
  return log;
}

TEST(WakeOrder, WithinAnInstantDoesNotMatter) {
  for (const MeshSetting& setting : {MeshSetting{"fifo", InputQueue::fifo, 1000, 0, 1000, 2, 300},
                                     MeshSetting{"per_output", InputQueue::per_output, 1000, 1000, 0, 2, 300},
                                     MeshSetting{"deep", InputQueue::per_output, 0, 2000, 3000, 12, 300},
                                     MeshSetting{"short", InputQueue::fifo, 1, 0, 0, 2, 300}}) {
    const Log expected = run_mesh(setting, 0);
    EXPECT_EQ(expected.size(), 16U * setting.packets_per_npu);
    std::size_t ties = 0, different = 0;
    std::map<TimePs, int> at;
    for (const auto& [key, entry] : expected) ties += at[entry.first]++ != 0;
    for (std::uint64_t order = 1; order <= 20; ++order) different += run_mesh(setting, order) != expected;
    std::printf(
        "%-10s %zu packets, %zu arrive with another at the same picosecond; %zu of 20 random orders "
        "differ\n",
        setting.name, expected.size(), ties, different);
    EXPECT_EQ(different, 0U) << setting.name;
    EXPECT_GT(ties, setting.latency_ps == 1 ? 0U : expected.size() / 2);
  }
}

}  // namespace
}  // namespace wafertlm
