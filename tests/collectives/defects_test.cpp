// SPDX-License-Identifier: Apache-2.0
// Collectives on meshes with random defects, by packets in small buffers: every value, no deadlock, nothing
// below its bound, and again the same time.
#include <gtest/gtest.h>

#include "models/mesh/mesh_topology.h"
#include "platform/fabrics/mesh/mesh_kind.h"
#include "tests/collectives/random_fabrics.h"
#include "tests/support/random_cases.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

constexpr CollectiveType kAnyTypes[] = {CollectiveType::all_reduce, CollectiveType::all_to_all,
                                        CollectiveType::all_gather, CollectiveType::broadcast};

/// Up to a fifth of the NPUs, routers and links, some links in one direction only.
void draw_defects(config::PlatformSpec& spec, test::Random& random) {
  config::DefectsSpec& defects = spec.wafer.fabric.defects;
  const MeshGeometry geometry(spec.wafer.width, spec.wafer.height);
  const std::uint64_t percent = random() % 21;
  const auto is_dead = [&] { return random() % 100 < percent; };
  for (std::uint32_t n = 0; n < geometry.npus(); ++n) {
    const auto npu = static_cast<NpuId>(n);
    if (is_dead()) (random() % 2 == 0 ? defects.npus : defects.routers).push_back(npu);
    for (const Direction side : {Direction::east, Direction::south})
      if (geometry.has_neighbor(npu, side) && is_dead()) {
        const NpuId other = geometry.neighbor(npu, side);
        const bool back = random() % 2 == 0;
        defects.links.push_back({back ? other : npu, back ? npu : other, random() % 8 == 0});
      }
  }
}

/// The NPUs that work in the part of the wafer that has most.
Group largest_part(const config::PlatformSpec& spec) {
  const MeshTopology mesh(mesh_params(spec.wafer));
  const std::vector<NpuId> idle = mesh_params(spec.wafer).idle_npus();
  Group largest;
  for (std::uint32_t n = 0; n < mesh.npus(); ++n) {
    Group part;
    for (std::uint32_t m = 0; m < mesh.npus(); ++m) {
      const auto a = static_cast<NpuId>(n), b = static_cast<NpuId>(m);
      const bool joined = !mesh.detours() || (mesh.detours()->reaches(a, b) && mesh.detours()->reaches(b, a));
      if (joined && std::find(idle.begin(), idle.end(), b) == idle.end()) part.push_back(b);
    }
    if (part.size() > largest.size()) largest = part;
  }
  return largest;
}

TEST(Defects, CollectivesGoAroundRandomOnes) {
  test::Random random(54);
  for (int number = 0; number < test::random_cases(40, 6); ++number) {
    config::PlatformSpec spec =
        number % 2 == 0 ? test::platform(test::kProof) : test::preset("wafer_mesh_8x8", test::kProof);
    spec.wafer.fabric.buffer_bytes = 2 * spec.wafer.fabric.wire_packet_bytes();
    draw_defects(spec, random);
    CollectiveRequest request;
    request.group = largest_part(spec);
    if (request.group.size() < 2) continue;
    request.type = test::pick(random, kAnyTypes);
    request.bytes = 4 * request.group.size() * (1 + random() % 5'000);
    const FabricTraits fabric = platform_traits(spec);
    request.algorithm = test::pick(random, algorithms_for(request, fabric));
    SCOPED_TRACE(fmt::format("case {}: {}, {} of {} NPUs, {} B", number, request.algorithm,
                             to_string(request.type), request.group.size(), request.bytes));
    const auto result = test::outcome(spec, request), again = test::outcome(spec, request);
    EXPECT_TRUE(result["proven"].get<bool>());
    EXPECT_GE(result["time"], result["bound"]);
    EXPECT_EQ(result, again);
  }
}

/// Of a message from one NPU to another.
TimePs message_ps(const std::string& defects, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  const config::PlatformSpec spec = test::platform({"wafer.defects=" + defects});
  return test::outcome(spec, {CollectiveType::broadcast, test::npus({from, to}), bytes, "direct"})["time"]
      .get<TimePs>();
}

// 6 to 8 X-Y is two links; around router 7 it is four, each 20 ns more.
TEST(Defects, AMessageGoesAroundADeadRouter) {
  EXPECT_EQ(message_ps("{routers: [7]}", 6, 8, 750'000), message_ps("{}", 6, 8, 750'000) + 2 * 20'000);
  EXPECT_EQ(message_ps("{npus: [7]}", 6, 8, 750'000), message_ps("{}", 6, 8, 750'000));
  EXPECT_EQ(message_ps("{links: [\"7->8\"]}", 6, 8, 750'000), message_ps("{}", 6, 8, 750'000) + 2 * 20'000);
  EXPECT_EQ(message_ps("{links: [\"8->7\"]}", 6, 8, 750'000), message_ps("{}", 6, 8, 750'000));
}

// A dead column leaves two parts, in each of which all is as on a mesh of that size.
TEST(Defects, BesideADeadColumnNothingChanges) {
  const Group left = test::npus({0, 1, 5, 6, 10, 11, 15, 16});
  for (const char* algorithm : {"hierarchical_2d", "ring", "packed_trees"}) {
    const CollectiveRequest request{CollectiveType::all_reduce, left, 8'000'000, algorithm};
    const auto whole = test::outcome(test::platform({}), request);
    const auto cut = test::outcome(test::platform({"wafer.defects={routers: [2, 7, 12, 17]}"}), request);
    EXPECT_EQ(cut["time"], whole["time"]) << algorithm;
  }
  const auto refused = [&] {
    test::outcome(test::platform({"wafer.defects={routers: [2, 7, 12, 17]}"}),
                  {CollectiveType::all_reduce, test::npus({0, 4}), 4096, "ring"});
  };
  EXPECT_NE(test::refusal_of(refused).find("no links that work join router 0 to router 4"),
            std::string::npos);
}

// Without the link to NPU 1 the corner gets all other blocks over one of 750 GB/s: (n - 1) / n S.
TEST(Defects, ADeadLinkOfTheCornerBoundsAnAllGather) {
  const std::uint64_t bytes = 64 << 20;
  const auto result = test::outcome(test::platform({"wafer.defects={links: [0-1]}"}),
                                    {CollectiveType::all_gather, test::whole_wafer(), bytes, "packed_trees"});
  const double line_ps = 19.0 / 20 * static_cast<double>(bytes) / 750e9 * 1e12;
  EXPECT_GE(result["bound"].get<double>(), line_ps);
  EXPECT_LE(result["bound"].get<double>(), 1.001 * line_ps + 100'000);
  EXPECT_LE(result["time"].get<double>(), 1.03 * line_ps);
}

}  // namespace
}  // namespace wafertlm
