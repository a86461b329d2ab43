// SPDX-License-Identifier: Apache-2.0
#include "platform/spec/traffic/channel_load.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "models/mesh/mesh_topology.h"

namespace wafertlm::traffic {
namespace {

MeshParams mesh(std::uint32_t width, std::uint32_t height) {
  MeshParams params;
  params.width = width;
  params.height = height;
  params.link_bytes_per_s = params.injection_bytes_per_s = params.ejection_bytes_per_s = 16'000'000'000;
  return params;
}

ChannelLoads loads_of(const char* name, std::uint32_t width, std::uint32_t height) {
  PatternOptions options;
  options.name = name;
  return channel_loads(mesh(width, height), *make_pattern(options, MeshGeometry(width, height)));
}

// Textbook values (Dally and Towles): k/4 flits over the middle links for uniform traffic, so 4/k; the
// transpose sends k - 1 flows over one link; the complement k/2.
TEST(ChannelLoad, KnownBounds) {
  EXPECT_EQ(loads_of("uniform", 8, 8).bound, 0.5);
  EXPECT_EQ(loads_of("uniform", 4, 4).bound, 1.0);
  EXPECT_EQ(loads_of("uniform", 16, 16).bound, 0.25);
  EXPECT_EQ(loads_of("transpose", 8, 8).bound, 1.0 / 7);
  EXPECT_EQ(loads_of("bit_complement", 8, 8).bound, 0.25);
  EXPECT_EQ(loads_of("tornado", 8, 8).bound, 1.0 / 3);
}

TEST(ChannelLoad, WideEndsMoveTheBound) {
  MeshParams params = mesh(2, 1);
  const auto pattern = make_pattern({}, MeshGeometry(2, 1));
  EXPECT_EQ(channel_loads(params, *pattern).bound, 1.0);  // injection
  params.injection_bytes_per_s = params.ejection_bytes_per_s = 64'000'000'000;
  EXPECT_EQ(channel_loads(params, *pattern).bound, 2.0);  // half of the packets stay at home
}

// Against walking every route link by link.
TEST(ChannelLoad, EqualsTheWalkOverAllRoutes) {
  for (const auto& [width, height] : {std::pair{8U, 8U}, {5U, 4U}, {1U, 7U}, {6U, 1U}, {3U, 9U}})
    for (const char* name : {"uniform", "neighbor", "bit_complement", "tornado", "hotspot", "transpose"}) {
      if (width != height && std::string(name) == "transpose") continue;
      PatternOptions options;
      options.name = name;
      if (options.name == "hotspot") {
        options.hotspot_node = 2;
        options.hotspot_fraction = 0.3;
      }
      const MeshGeometry geometry(width, height);
      const auto pattern = make_pattern(options, geometry);
      std::map<std::string, std::uint64_t> walked;
      for (std::uint32_t n = 0; n < geometry.npus(); ++n) {
        const auto node = static_cast<NpuId>(n);
        std::uint64_t total = 0;
        for (const Pattern::Choice& choice : pattern->choices(node)) {
          total += choice.weight;
          const std::vector<NpuId> route = geometry.route(node, choice.destination);
          const auto number = [](NpuId id) { return std::to_string(index_of(id)); };
          walked["npu" + number(node) + "->router" + number(node)] += choice.weight;
          for (std::size_t i = 1; i < route.size(); ++i)
            walked["router" + number(route[i - 1]) + "->router" + number(route[i])] += choice.weight;
          walked["router" + number(route.back()) + "->npu" + number(route.back())] += choice.weight;
        }
        EXPECT_EQ(total, pattern->total()) << name;
      }
      for (const ChannelLoad& link : channel_loads(mesh(width, height), *pattern).links)
        EXPECT_EQ(link.weight, walked[link.link])
            << name << ' ' << width << 'x' << height << ' ' << link.link;
    }
}

// A mesh as a topology among others, whose wide ends do not count: link by link along its routes.
TEST(ChannelLoad, OfATopologyIsThatOfItsRoutes) {
  MeshParams params = mesh(4, 3);
  params.injection_bytes_per_s = params.ejection_bytes_per_s = 64'000'000'000;
  const MeshTopology topology(params);
  for (const char* name : {"uniform", "neighbor", "bit_complement", "tornado", "hotspot"}) {
    PatternOptions options;
    options.name = name;
    const auto pattern = make_pattern(options, MeshGeometry(4, 3));
    const ChannelLoads expected = channel_loads(params, *pattern);
    const ChannelLoads found = channel_loads(topology, params.link_bytes_per_s, *pattern);
    EXPECT_EQ(found.total, expected.total);
    EXPECT_DOUBLE_EQ(found.bound, expected.bound);
    EXPECT_EQ(found.links[found.busiest].link, expected.links[expected.busiest].link);
    std::map<std::string, std::uint64_t> weights;  // a place beyond the border has none
    for (const ChannelLoad& link : expected.links) weights[link.link] = link.weight;
    for (const ChannelLoad& link : found.links) {
      EXPECT_EQ(link.weight, weights[link.link]) << name << ' ' << link.link;
      EXPECT_EQ(link.bytes_per_s, params.link_bytes_per_s);
    }
  }
}

// What next() draws has the probabilities that choices() states.
TEST(Patterns, DrawsFollowTheWeights) {
  const MeshGeometry geometry(4, 3);
  for (const char* name : {"uniform", "neighbor", "bit_complement", "tornado", "hotspot"}) {
    PatternOptions options;
    options.name = name;
    if (options.name == "hotspot") {
      options.hotspot_node = 5;
      options.hotspot_fraction = 0.25;
    }
    const auto pattern = make_pattern(options, geometry);
    std::mt19937_64 random(7);
    for (const NpuId source : {NpuId{0}, NpuId{5}, NpuId{11}}) {
      constexpr int kDraws = 40'000;
      std::map<NpuId, int> drawn;
      for (int i = 0; i < kDraws; ++i) ++drawn[pattern->next(source, random)];
      for (const Pattern::Choice& choice : pattern->choices(source)) {
        const double p = static_cast<double>(choice.weight) / static_cast<double>(pattern->total());
        EXPECT_NEAR(drawn[choice.destination], kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)) + 1e-9)
            << name;
        drawn.erase(choice.destination);
      }
      EXPECT_TRUE(drawn.empty()) << name;
    }
  }
}

}  // namespace
}  // namespace wafertlm::traffic
