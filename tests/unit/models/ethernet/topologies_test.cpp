// SPDX-License-Identifier: Apache-2.0
// Networks against what their definitions count, ways, cycles of buffers, hashing, and EFLOPS' rank mapping.
#include "models/ethernet/network/topologies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "models/ethernet/network/load_balance.h"

namespace wafertlm::ethernet {
namespace {

std::size_t cables(const Network& network) { return network.ports().size() / 2; }

/// Hosts, switches, cables; the longest way in cables.
void expect_shape(const Network& network, std::uint32_t hosts, std::uint32_t switches, std::size_t of_cables,
                  std::uint32_t diameter) {
  EXPECT_EQ(network.hosts(), hosts);
  EXPECT_EQ(network.switches(), switches);
  EXPECT_EQ(cables(network), of_cables);
  std::uint32_t longest = 0;
  for (std::uint32_t a = 0; a < hosts; ++a)
    for (std::uint32_t b = 0; b < hosts; b += 1 + hosts / 64)
      if (a != b) longest = std::max(longest, network.distance(a, b));
  EXPECT_EQ(longest, diameter);
}

TEST(Topologies, HaveTheirSwitchesAndCables) {
  const CableParams speeds;
  expect_shape(star(8, speeds), 8, 1, 8, 2);
  expect_shape(leaf_spine(8, 16, 8, speeds), 128, 16, 128 + 64, 4);
  expect_shape(fat_tree(4, 1, speeds), 16, 20, 48, 6);
  expect_shape(fat_tree(8, 3, speeds), 384, 80, 384 + 256, 6);
  expect_shape(rail_optimised(16, 8, 4, speeds), 128, 12, 128 + 32, 4);
  expect_shape(dragonfly(9, 4, 2, 2, speeds), 72, 36, 72 + 9 * 6 + 36, 5);
  expect_shape(bigraph(4, 3, speeds), 24, 8, 24 + 16, 4);
  EXPECT_THROW(dragonfly(10, 4, 2, 2, speeds), std::invalid_argument);
  EXPECT_THROW(fat_tree(5, 1, speeds), std::invalid_argument);
  EXPECT_THROW(leaf_spine(2, 2, 0, speeds), std::invalid_argument);
}

TEST(Topologies, EqualWaysAreAllThere) {
  const Network clos = leaf_spine(4, 2, 3, {});
  EXPECT_EQ(clos.next_ports(clos.switch_of(0), 7).size(), 3U);
  EXPECT_EQ(clos.next_ports(clos.switch_of(0), 1).size(), 1U);
  const Network tree = fat_tree(8, 1, {});
  EXPECT_EQ(tree.next_ports(tree.switch_of(0), 127).size(), 4U);
  const Network two_rows = bigraph(4, 2, {});
  EXPECT_EQ(two_rows.next_ports(two_rows.switch_of(0), 8).size(), 1U);  // the other row: its cable
  EXPECT_EQ(two_rows.next_ports(two_rows.switch_of(0), 2).size(),
            4U);  // the same row: through any of the other
  // Every way, whatever is chosen, ends where it should.
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % 128),
               to = static_cast<std::uint32_t>(random() % 128);
    if (from == to) continue;
    const auto path = tree.path(from, to, [&](std::uint32_t, std::size_t ways) { return random() % ways; });
    EXPECT_EQ(tree.ports()[path.back()].peer_node, to);
    EXPECT_EQ(path.size(), tree.distance(from, to));
  }
}

TEST(Topologies, RailsKeepTheirLeaf) {
  const Network rails = rail_optimised(16, 8, 4, {});
  for (std::uint32_t node = 1; node < 16; ++node)
    for (std::uint32_t r = 0; r < 8; ++r) {
      EXPECT_EQ(rails.distance(r, node * 8 + r), 2U);
      EXPECT_EQ(rails.distance(r, node * 8 + (r + 1) % 8), 4U);
    }
  // All-to-all: of the bytes for other nodes (g − 1)/g cross a spine.
  std::uint64_t remote = 0, crossing = 0;
  for (std::uint32_t a = 0; a < 128; ++a)
    for (std::uint32_t b = 0; b < 128; ++b)
      if (a / 8 != b / 8) {
        ++remote;
        crossing += rails.distance(a, b) > 2;
      }
  EXPECT_EQ(crossing * 8, remote * 7);
  EXPECT_THROW(rail_optimised(2, 2, 0, {}), std::invalid_argument);
}

TEST(Topologies, UpAndDownHasNoCycleOfBuffers) {
  EXPECT_TRUE(leaf_spine(4, 2, 3, {}).buffer_cycle().empty());
  EXPECT_TRUE(fat_tree(4, 1, {}).buffer_cycle().empty());
  EXPECT_TRUE(star(4, {}).buffer_cycle().empty());
  // Between hosts of one row packets come down to the other row and go up again.
  EXPECT_FALSE(bigraph(2, 1, {}).buffer_cycle().empty());
}

TEST(Topologies, ARingHasACycleOfBuffers) {
  Network ring;
  ring.add_hosts(4);
  for (int i = 0; i < 4; ++i) ring.add_switch("s" + std::to_string(i));
  for (std::uint32_t i = 0; i < 4; ++i) ring.add_cable(i, 4 + i, 1, 1);
  for (std::uint32_t i = 0; i < 4; ++i) ring.add_cable(4 + i, 4 + (i + 1) % 4, 1, 1);
  ring.find_routes();
  for (std::uint32_t host = 0; host < 4; ++host)
    for (std::uint32_t i = 0; i < 4; ++i)
      if (i != host) ring.set_route(4 + i, host, {ring.port_between(4 + i, 4 + (i + 1) % 4)});
  const auto cycle = ring.buffer_cycle();
  ASSERT_EQ(cycle.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(ring.ports()[cycle[i]].peer_node, ring.ports()[cycle[(i + 1) % 4]].node);
  EXPECT_EQ(ring.distance(0, 3), 5U);
}

TEST(Topologies, NamesWhatIsWrong) {
  Network apart;
  apart.add_hosts(2);
  apart.add_switch("a");
  apart.add_switch("b");
  apart.add_cable(0, 2, 1, 1);
  EXPECT_THROW(apart.find_routes(), std::invalid_argument);  // host1 has no cable
  apart.add_cable(1, 3, 1, 1);
  EXPECT_THROW(apart.find_routes(), std::invalid_argument);  // no way
  apart.add_cable(2, 3, 1, 1);
  apart.find_routes();
  apart.set_route(2, 1, {apart.port_between(2, 3)});
  apart.set_route(3, 1, {apart.port_between(3, 2)});
  EXPECT_THROW(apart.distance(0, 1), std::invalid_argument);  // a circle
  EXPECT_THROW(apart.set_route(2, 1, {apart.port_between(3, 2)}), std::invalid_argument);
}

/// E[max] of n flows on m links and the share of links used, 10⁵ draws (shared/reference/ethernet.md, section
/// 5).
TEST(Ecmp, CollidesAsChanceHasIt) {
  const std::tuple<std::uint32_t, std::uint32_t, double> table[] = {
      {2, 2, 1.5}, {8, 8, 2.5972}, {64, 64, 3.9577}, {32, 8, 7.0478}, {128, 8, 21.910}};
  std::uint32_t pair = 0;
  for (const auto& [flows, links, most] : table) {
    constexpr int kDraws = 100'000;
    std::uint64_t sum = 0, used = 0;
    std::vector<std::uint32_t> load(links);
    for (int draw = 0; draw < kDraws; ++draw) {
      std::fill(load.begin(), load.end(), 0);
      for (std::uint32_t i = 0; i < flows; ++i)
        ++load[hashed_way(five_tuple_hash(i, 1000 + i, pair), 0xABCDEF, links)];
      ++pair;
      sum += *std::max_element(load.begin(), load.end());
      used +=
          static_cast<std::uint64_t>(std::count_if(load.begin(), load.end(), [](auto n) { return n != 0; }));
    }
    EXPECT_NEAR(double(sum) / kDraws / most, 1, .01) << flows << "/" << links;
    EXPECT_NEAR(double(used) / kDraws / links, 1 - std::pow(1 - 1.0 / links, flows), .005);
  }
}

/// Messages of a step on each cable between switches, at most, and whether partners were in different rows.
std::pair<std::uint32_t, bool> step_load(const Network& network, const std::vector<std::uint32_t>& hosts,
                                         std::uint32_t distance) {
  std::vector<std::uint32_t> load(network.ports().size());
  std::uint32_t most = 0;
  bool crosses = true;
  for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) {
    const auto path =
        network.path(hosts[rank], hosts[rank ^ distance], [&](std::uint32_t at, std::size_t ways) {
          return hashed_way(five_tuple_hash(hosts[rank], hosts[rank ^ distance], 0), at,
                            static_cast<std::uint32_t>(ways));
        });
    crosses &= path.size() == 3;
    for (const std::uint32_t port : path) most = std::max(most, ++load[port]);
  }
  return {most, crosses};
}

/// One message per cable in every step of halving and doubling.
TEST(Eflops, RanksMeetOnCablesOfTheirOwn) {
  for (std::uint32_t ranks = 16; ranks <= 512; ranks *= 2)
    for (std::uint32_t row = 2; row <= ranks / 2; row *= 2) {
      const std::uint32_t each = ranks / (2 * row);
      if (each == 0 || each > row) continue;
      const Network network = bigraph(row, each, {});
      const auto hosts = hdrm_hosts(ranks, row, each);
      EXPECT_EQ(std::set<std::uint32_t>(hosts.begin(), hosts.end()).size(), ranks);
      for (std::uint32_t distance = 1; distance < ranks; distance *= 2)
        EXPECT_EQ(step_load(network, hosts, distance), (std::pair{1U, true}))
            << ranks << " " << row << " " << distance;
    }
  EXPECT_THROW(hdrm_hosts(16, 2, 4), std::invalid_argument);  // four ranks on a switch, two cables
  EXPECT_THROW(hdrm_hosts(12, 3, 2), std::invalid_argument);
  EXPECT_THROW(hdrm_hosts(10, 4, 2), std::invalid_argument);
}

/// Ranks by switch meet on cables: up to as many messages as a switch has hosts.
TEST(Eflops, BlockedRanksDoNot) {
  const Network network = bigraph(8, 8, {});
  std::vector<std::uint32_t> hosts(128);
  for (std::uint32_t rank = 0; rank < 128; ++rank) hosts[rank] = rank;
  EXPECT_EQ(step_load(network, hosts, 64).first, 8U);  // all hosts of an upper switch to the same lower one
  EXPECT_FALSE(step_load(network, hosts, 8).second);
  EXPECT_GT(step_load(network, hosts, 8).first, 1U);
}

}  // namespace
}  // namespace wafertlm::ethernet
