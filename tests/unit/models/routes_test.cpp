// SPDX-License-Identifier: Apache-2.0
// Routes and cuts of fabrics against their links, whose ends are told by their names.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>

#include "models/dimensional/dimensional_topology.h"
#include "models/fred/fred_topology.h"
#include "models/graph/graph_topology.h"
#include "models/mesh/mesh_topology.h"

namespace wafertlm {
namespace {

using Random = std::mt19937_64;

struct Ends {
  std::string from, to;
};

/// "a->b".
Ends by_arrow(const std::string& name) {
  const std::size_t arrow = name.find("->");
  return {name.substr(0, arrow), name.substr(arrow + 2)};
}

/// Of "node3.d1_next", by the definition of the dimensions: the coordinates of a node are the digits of its
/// number.
class DimensionalEnds {
 public:
  explicit DimensionalEnds(const std::vector<FabricDimension>& dimensions) : dimensions_(dimensions) {}

  Ends operator()(const std::string& name) const {
    const std::size_t dot = name.find(".d"), bar = name.find('_', dot);
    const auto node = static_cast<std::uint32_t>(std::stoul(name.substr(4)));
    const auto d = std::stoul(name.substr(dot + 2));
    const std::string port = name.substr(bar + 1);
    const std::uint32_t size = dimensions_[d].size, here = node / stride(d) % size;
    const auto named = [](std::uint32_t number) { return "node" + std::to_string(number); };
    const auto moved = [&](std::uint32_t to) { return named(node + to * stride(d) - here * stride(d)); };
    const std::string hub = "switch" + std::to_string(d) + "_" + moved(0);
    if (port == "to_switch") return {named(node), hub};
    if (port == "from_switch") return {hub, named(node)};
    if (port == "next") return {named(node), moved((here + 1) % size)};
    if (port == "previous") return {named(node), moved((here + size - 1) % size)};
    return {named(node), moved(static_cast<std::uint32_t>(std::stoul(port.substr(2))))};
  }

 private:
  std::uint32_t stride(std::size_t d) const {
    std::uint32_t stride = 1;
    for (std::size_t k = 0; k < d; ++k) stride *= dimensions_[k].size;
    return stride;
  }
  const std::vector<FabricDimension>& dimensions_;
};

/// A route leads on from link to link, from where the source hangs to where the destination does, and does
/// not come back to where it was. Returns the longest.
template <typename EndsOf, typename Place>
std::size_t expect_connected(const Topology& topology, const EndsOf& ends_of, const Place& place) {
  std::size_t longest = 0;
  for (std::uint32_t a = 0; a < topology.npus(); ++a)
    for (std::uint32_t b = 0; b < topology.npus(); ++b) {
      std::string at = place(a);
      std::set<std::string> seen{at};
      for (const std::size_t link : topology.route(static_cast<NpuId>(a), static_cast<NpuId>(b))) {
        const Ends ends = ends_of(topology.link_name(link));
        EXPECT_EQ(ends.from, at) << a << " to " << b;
        at = ends.to;
        EXPECT_TRUE(seen.insert(at).second) << a << " to " << b << " comes back to " << at;
      }
      EXPECT_EQ(at, place(b)) << a << " to " << b;
      longest = std::max(longest, seen.size() - 1);
    }
  return longest;
}

std::string node(std::uint32_t n) { return "node" + std::to_string(n); }
std::string router(std::uint32_t n) { return "router" + std::to_string(n); }

TEST(Routes, OfDimensions) {
  Random random(21);
  std::size_t longest = 0;
  for (int number = 0; number < 60; ++number) {
    std::vector<FabricDimension> list;
    for (std::size_t count = 1 + random() % 3; count != 0; --count)
      list.push_back({static_cast<FabricDimension::Kind>(random() % 4),
                      static_cast<std::uint32_t>(2 + random() % 4), 1'000'000'000, 1});
    DimensionalParams params;
    params.dimensions = Dimensions(list);
    longest = std::max(longest, expect_connected(DimensionalTopology(params), DimensionalEnds(list), node));
  }
  EXPECT_GE(longest, 6U);
}

TEST(Routes, OfAMesh) {
  for (std::uint32_t width = 1; width <= 5; ++width)
    for (std::uint32_t height = 1; height <= 4; ++height) {
      MeshParams mesh;
      mesh.width = width;
      mesh.height = height;
      mesh.link_bytes_per_s = 1'000'000'000;
      EXPECT_EQ(expect_connected(MeshTopology(mesh), by_arrow, router), width + height - 2);
    }
}

TEST(Routes, OfFred) {
  for (const std::uint32_t l2 : {1U, 2U, 3U}) {
    FredParams fred;
    fred.geometry.l2_switches = l2;
    fred.geometry.l1_switches = 6;
    fred.geometry.npus_per_l1 = 2;
    fred.npu_bytes_per_s = fred.l1_uplink_bytes_per_s = fred.l2_uplink_bytes_per_s = 1'000'000'000;
    const auto l1 = [](std::uint32_t npu) { return "l1_" + std::to_string(npu / 2); };
    EXPECT_EQ(expect_connected(FredTopology(fred), by_arrow, l1), l2 == 1 ? 2U : 4U);
  }
}

/// What crosses the border of a part of the places, out of it and into it.
template <typename EndsOf>
CutFamily::Rate across(const Topology& topology, const EndsOf& ends_of, const std::set<std::string>& inside) {
  CutFamily::Rate rate;
  for (std::size_t link = 0; link < topology.links(); ++link) {
    const std::string name = topology.link_name(link);
    const Ends ends = ends_of(name);
    const bool from = inside.count(ends.from) != 0, to = inside.count(ends.to) != 0;
    if (from && !to) rate.out += topology.link(link).bytes_per_s;
    if (to && !from) rate.in += topology.link(link).bytes_per_s;
  }
  return rate;
}

TEST(CutRates, OfAMeshAreItsLinks) {
  MeshParams mesh;
  mesh.width = 4;
  mesh.height = 3;
  mesh.link_bytes_per_s = 7'000'000'000;
  const MeshTopology topology(mesh);
  // Links of an edge router to the outside have no other end.
  std::set<std::string> used;
  for (std::uint32_t a = 0; a < 12; ++a)
    for (std::uint32_t b = 0; b < 12; ++b)
      for (const std::size_t link : topology.route(static_cast<NpuId>(a), static_cast<NpuId>(b)))
        used.insert(topology.link_name(link));
  EXPECT_EQ(used.size(), 2U * (3 * 3 + 4 * 2));
  ASSERT_EQ(topology.cuts().size(), 2U);
  for (const CutFamily& family : topology.cuts())
    for (std::uint32_t cut = 0; cut < family.rates.size(); ++cut) {
      std::uint64_t out = 0, in = 0;
      const auto is_inside = [&](const std::string& place) {
        return family.part_of[std::stoul(place.substr(6))] <= cut;
      };
      for (const std::string& name : used) {
        const Ends ends = by_arrow(name);
        if (is_inside(ends.from) && !is_inside(ends.to)) out += mesh.link_bytes_per_s;
        if (is_inside(ends.to) && !is_inside(ends.from)) in += mesh.link_bytes_per_s;
      }
      EXPECT_EQ(family.rates[cut].out, out);
      EXPECT_EQ(family.rates[cut].in, in);
    }
}

// A graph whose links have other rates in each direction: its cuts are every switch with the NPUs that hang
// on it.
TEST(CutRates, OfAGraphByDirection) {
  Random random(5);
  for (int number = 0; number < 200; ++number) {
    const auto npus = static_cast<std::uint32_t>(2 + random() % 6),
               switches = static_cast<std::uint32_t>(1 + random() % 3);
    std::vector<FabricGraph::Vertex> vertices;
    for (std::uint32_t n = 0; n < npus; ++n) vertices.push_back({"npu" + std::to_string(n), 0});
    for (std::uint32_t n = 0; n < switches; ++n) vertices.push_back({"sw" + std::to_string(n), 0});
    std::vector<FabricGraph::Link> links;
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
    const auto connect = [&](std::uint64_t a, std::uint64_t b) {
      const auto from = static_cast<std::uint32_t>(a), to = static_cast<std::uint32_t>(b);
      if (from == to || !seen.insert(std::minmax(from, to)).second) return;
      links.push_back({from, to, 1 + random() % 1000, 10, 0, false});
      links.push_back({to, from, 1 + random() % 1000, 10, 0, false});
    };
    for (std::uint32_t n = 1; n < switches; ++n) connect(npus + n, npus + random() % n);
    for (std::uint32_t n = 0; n < npus; ++n) connect(n, npus + random() % switches);
    for (std::size_t more = random() % 4; more != 0; --more)
      connect(random() % npus, random() % (npus + switches));
    const GraphTopology topology(std::make_shared<const FabricGraph>(npus, vertices, links));
    expect_connected(topology, by_arrow, [](std::uint32_t n) { return "npu" + std::to_string(n); });

    std::map<std::uint32_t, std::set<std::uint32_t>> neighbours;
    for (const FabricGraph::Link& link : links) neighbours[link.from].insert(link.to);
    const auto hangs_on = [&](std::uint32_t npu) -> std::optional<std::uint32_t> {
      if (neighbours[npu].size() != 1 || *neighbours[npu].begin() < npus) return {};
      return *neighbours[npu].begin();
    };
    ASSERT_EQ(topology.cuts().size(), 1U);
    const CutFamily& family = topology.cuts()[0];
    for (std::uint32_t vertex = 0; vertex < npus + switches; ++vertex) {
      std::set<std::string> inside{vertices[vertex].name};
      for (std::uint32_t npu = 0; npu < npus; ++npu) {
        const bool is_inside = npu == vertex ? !hangs_on(npu) : hangs_on(npu) == vertex;
        EXPECT_EQ(family.part_of[npu] == vertex, is_inside);
        if (is_inside) inside.insert(vertices[npu].name);
      }
      if (vertex < npus && hangs_on(vertex)) continue;  // no part
      const CutFamily::Rate exact = across(topology, by_arrow, inside);
      EXPECT_EQ(family.rates[vertex].out, std::max<std::uint64_t>(exact.out, 1)) << number << " " << vertex;
      EXPECT_EQ(family.rates[vertex].in, std::max<std::uint64_t>(exact.in, 1)) << number << " " << vertex;
    }
    for (std::uint32_t npu = 0; npu < npus; ++npu) {
      const CutFamily::Rate own = across(topology, by_arrow, {vertices[npu].name});
      EXPECT_EQ(topology.npu_bytes_per_s(static_cast<NpuId>(npu)), std::min(own.out, own.in));
    }
  }
}

}  // namespace
}  // namespace wafertlm
