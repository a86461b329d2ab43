// SPDX-License-Identifier: Apache-2.0
// All-reduce and all-to-all on fabrics with random defects, by packets in small buffers: every value, no
// deadlock, nothing below its bound, again the same time, and with acceleration the same time.
#include <gtest/gtest.h>

#include "models/fred/fred_params.h"
#include "models/mesh/mesh_topology.h"
#include "platform/fabrics/graph/graph_kind.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "platform/spec/connected_parts.h"
#include "platform/spec/fabric_kinds.h"
#include "tests/collectives/random_fabrics.h"
#include "tests/support/random_cases.h"
#include "workloads/collectives/algorithm/algorithm.h"

namespace wafertlm {
namespace {

/// Who is drawn, and how: each part with the same probability of up to a fifth.
class Draw {
 public:
  explicit Draw(test::Random& random) : random_(random), percent_(random() % 21) {}
  bool hits() { return random_() % 100 < percent_; }
  bool one_of(std::uint64_t count) { return random_() % count == 0; }
  std::uint32_t percent() { return 10 * (1 + static_cast<std::uint32_t>(random_() % 9)); }

  /// Dead in one direction or both, or slow.
  void add_link(config::DefectsSpec& defects, const std::string& a, const std::string& b,
                bool may_be_one_way) {
    if (!hits()) return;
    const bool one_way = may_be_one_way && one_of(8), back = one_way && one_of(2);
    const config::LinkName link(back ? b : a, back ? a : b, one_way);
    if (one_of(2))
      defects.slow_links.push_back({link, percent()});
    else
      defects.links.push_back(link);
  }

 private:
  test::Random& random_;
  std::uint64_t percent_;
};

void break_mesh(config::PlatformSpec& spec, Draw& draw) {
  config::DefectsSpec& defects = spec.wafer.fabric.defects;
  const MeshGeometry geometry(spec.wafer.width, spec.wafer.height);
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) {
    const auto npu = static_cast<NpuId>(n);
    if (draw.hits()) (draw.one_of(2) ? defects.npus : defects.routers).push_back(npu);
    for (const Direction side : {Direction::east, Direction::south})
      if (geometry.has_neighbor(npu, side))
        draw.add_link(defects, std::to_string(n), std::to_string(index_of(geometry.neighbor(npu, side))),
                      true);
  }
}

void break_graph(config::PlatformSpec& spec, Draw& draw) {
  config::DefectsSpec& defects = spec.wafer.fabric.defects;
  const auto& graph = spec.wafer.fabric.as<config::GraphSpec>();
  for (std::uint32_t n = 0; n < graph.npus; ++n)
    if (draw.hits()) defects.npus.push_back(static_cast<NpuId>(n));
  for (const config::GraphSwitchSpec& each : graph.switches)
    if (draw.hits()) defects.switches.push_back(each.name);
  for (const config::GraphLinkSpec& link : graph.links) draw.add_link(defects, link.from, link.to, true);
}

void break_fred(config::PlatformSpec& spec, Draw& draw) {
  config::DefectsSpec& defects = spec.wafer.fabric.defects;
  FredParams fred = spec.wafer.fabric.as<FredParams>();
  fred.set_chip_counts();
  const ChipWiring wiring(fred.geometry, fred.chips);
  for (std::uint32_t n = 0; n < fred.geometry.npus(); ++n)
    if (draw.hits()) defects.npus.push_back(static_cast<NpuId>(n));
  for (std::uint32_t l1 = 0; l1 < fred.geometry.l1_switches; ++l1)
    for (std::uint32_t chip = 0; chip < fred.chips.chips_per_l1; ++chip) {
      if (draw.hits()) defects.chips.l1.emplace_back(l1, chip);
      for (std::uint32_t port = 0; port < fred.chips.up_ports; ++port)
        if (draw.hits()) defects.chips.uplinks.push_back({l1, chip, port});
    }
  for (std::uint32_t l2 = 0; l2 < wiring.l2_chips(); ++l2)
    if (draw.hits()) defects.chips.l2.push_back(l2);
}

struct Breakable {
  const char* name;
  config::PlatformSpec (*make)(test::Random& random);
  void (*break_parts)(config::PlatformSpec& spec, Draw& draw);
  bool small_buffers = true;
};

/// The NPUs that work in the part of the fabric that has most.
Group largest_part(const config::PlatformSpec& spec) {
  const config::FabricSpec& fabric = spec.wafer.fabric;
  std::function<bool(NpuId, NpuId)> reaches = [](NpuId, NpuId) { return true; };
  if (fabric.has<MeshParams>())
    reaches = [mesh = std::make_shared<MeshTopology>(mesh_params(spec.wafer))](NpuId from, NpuId to) {
      return !mesh->detours() || mesh->detours()->reaches(from, to);
    };
  if (fabric.has<config::GraphSpec>())
    reaches = [graph = fabric.as<config::GraphSpec>().built(fabric.defects)](NpuId from, NpuId to) {
      return graph->reaches(from, to);
    };
  const auto parts = connected_parts(spec.wafer.npu_count(), fabric.kind->failed_npus(fabric), reaches);
  return parts.empty() ? Group() : parts.front();
}

class RandomDefects : public ::testing::TestWithParam<Breakable> {};

TEST_P(RandomDefects, CollectivesGoAroundThem) {
  const Breakable& fabric = GetParam();
  test::Random random(5417);
  int done = 0, refused = 0;
  const int cases = test::random_cases(10, 2);
  for (int number = 0; number < cases; ++number) {
    config::PlatformSpec spec = fabric.make(random);
    if (fabric.small_buffers) spec.wafer.fabric.buffer_bytes = 2 * spec.wafer.fabric.wire_packet_bytes();
    Draw draw(random);
    fabric.break_parts(spec, draw);
    CollectiveRequest request;
    request.group = largest_part(spec);
    request.type = random() % 2 == 0 ? CollectiveType::all_reduce : CollectiveType::all_to_all;
    request.bytes = 4 * request.group.size() * (1 + random() % 5'000);
    const std::uint64_t choice = random();
    if (request.group.size() < 2) continue;
    try {
      const std::vector<std::string> algorithms = algorithms_for(request, platform_traits(spec));
      request.algorithm = algorithms[choice % algorithms.size()];
      SCOPED_TRACE(fmt::format("case {}: {}, {} of {} NPUs, {} B", number, request.algorithm,
                               to_string(request.type), request.group.size(), request.bytes));
      const auto result = test::outcome(spec, request), again = test::outcome(spec, request);
      ++done;
      EXPECT_TRUE(result["proven"].get<bool>());
      EXPECT_GE(result["time"], result["bound"]);
      EXPECT_EQ(result, again);
      spec.run.functional = spec.run.checkers = false;
      const auto plain = test::outcome(spec, request);
      EXPECT_EQ(plain["time"], result["time"]);
      spec.run.acceleration = config::Acceleration::off;
      EXPECT_EQ(plain, test::outcome(spec, request));
    } catch (const std::invalid_argument& error) {
      ++refused;
      std::printf("%s, case %d: %s\n", fabric.name, number, error.what());
      EXPECT_NE(std::string(error.what()).find("wafer.defects"), std::string::npos) << number;
    }
  }
  std::printf("%s: %d maps, %d refused\n", fabric.name, done, refused);
  EXPECT_GE(done, cases / 2);
}

INSTANTIATE_TEST_SUITE_P(
    Of, RandomDefects,
    ::testing::Values(
        Breakable{"mesh_5x4", [](test::Random&) { return test::platform(test::kProof); }, break_mesh},
        Breakable{"mesh_8x8", [](test::Random&) { return test::preset("wafer_mesh_8x8", test::kProof); },
                  break_mesh},
        Breakable{"fat_tree", [](test::Random&) { return test::preset("graph_fat_tree_16", test::kProof); },
                  break_graph},
        Breakable{"npu_graph", [](test::Random& random) { return test::some_graph(random, test::kProof); },
                  break_graph},
        Breakable{"fred_d_physical",
                  [](test::Random&) { return test::fred_platform("d_physical", test::kProof); }, break_fred,
                  false}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace wafertlm
