// SPDX-License-Identifier: Apache-2.0
// Lower bounds from cuts against a count of what must cross them: whose data is on one side, who needs it on
// the other. The topologies are made up of cuts alone, with other rates in each direction.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include "models/fred/fred_topology.h"
#include "tests/unit/workloads/collectives/test_wafer.h"
#include "tlm/shape/fabric_traits.h"
#include "workloads/collectives/algorithm/blocks.h"
#include "workloads/collectives/cost.h"

namespace wafertlm {
namespace {

using Random = std::mt19937_64;

/// No link, no latency, ports that let everything through: only cuts take time.
class CutsAlone final : public Topology {
 public:
  CutsAlone(std::uint32_t npus, std::vector<CutFamily> families)
      : Topology({kNoLimit, kNoLimit}), npus_(npus) {
    cuts_ = std::move(families);
  }
  std::uint32_t npus() const override { return npus_; }
  std::size_t links() const override { return 0; }
  TopologyLink link(std::size_t) const override { return {}; }
  std::string link_name(std::size_t) const override { return ""; }
  void append_route(NpuId, NpuId, std::vector<std::size_t>&) const override {}
  TimePs head_latency_ps(NpuId, NpuId) const override { return 0; }
  std::uint32_t hops(NpuId, NpuId) const override { return 1; }

 private:
  static constexpr std::uint64_t kNoLimit = 1'000'000'000'000'000'000;
  std::uint32_t npus_;
};

/// Data that one or more ranks hold a part of (the parts are added up if there are several) and that ranks
/// need.
struct Piece {
  std::set<std::uint32_t> held_by, needed_by;
  std::uint64_t bytes = 0;
};

std::set<std::uint32_t> all_of(std::uint32_t ranks) {
  std::set<std::uint32_t> all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) all.insert(rank);
  return all;
}

/// What a collective is, by its definition.
std::vector<Piece> pieces_of(const CollectiveRequest& request) {
  const auto p = static_cast<std::uint32_t>(request.group.size());
  const std::set<std::uint32_t> all = all_of(p), root{request.root};
  const Blocks blocks(request.bytes, p);
  std::vector<Piece> pieces;
  switch (request.type) {
    case CollectiveType::all_reduce:
    case CollectiveType::barrier:
      return {{all, all, request.bytes}};
    case CollectiveType::broadcast:
      return {{root, all, request.bytes}};
    case CollectiveType::reduce:
      return {{all, root, request.bytes}};
    case CollectiveType::all_gather:
      for (std::uint32_t i = 0; i < p; ++i) pieces.push_back({{i}, all, blocks.bytes(i)});
      return pieces;
    case CollectiveType::reduce_scatter:
      for (std::uint32_t i = 0; i < p; ++i) pieces.push_back({all, {i}, blocks.bytes(i)});
      return pieces;
    case CollectiveType::gather:
      for (std::uint32_t i = 0; i < p; ++i) pieces.push_back({{i}, root, blocks.bytes(i)});
      return pieces;
    case CollectiveType::scatter:
      for (std::uint32_t i = 0; i < p; ++i) pieces.push_back({root, {i}, blocks.bytes(i)});
      return pieces;
    case CollectiveType::all_to_all:
      for (std::uint32_t i = 0; i < p; ++i)
        for (std::uint32_t j = 0; j < p; ++j) pieces.push_back({{i}, {j}, blocks.bytes(j)});
      return pieces;
  }
  return pieces;
}

/// Bytes that must go from these ranks to the others: a piece of which they hold a part and that another
/// needs.
std::uint64_t must_leave(const std::vector<Piece>& pieces, const std::set<std::uint32_t>& inside) {
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces) {
    const auto is_in = [&](std::uint32_t rank) { return inside.count(rank) != 0; };
    if (std::any_of(piece.held_by.begin(), piece.held_by.end(), is_in) &&
        !std::all_of(piece.needed_by.begin(), piece.needed_by.end(), is_in))
      bytes += piece.bytes;
  }
  return bytes;
}

TimePs time_of(std::uint64_t bytes, std::uint64_t bytes_per_s) {
  return static_cast<TimePs>(Uint128{bytes} * kPsPerSecond / bytes_per_s);
}

/// Over both directions of all cuts of all families.
TimePs slowest_cut_ps(const CollectiveRequest& request, const Topology& topology) {
  const std::vector<Piece> pieces = pieces_of(request);
  TimePs slowest = 0;
  for (const CutFamily& family : topology.cuts())
    for (std::uint32_t cut = 0; cut < family.rates.size(); ++cut) {
      std::set<std::uint32_t> inside, outside;
      for (std::uint32_t rank = 0; rank < request.group.size(); ++rank) {
        const std::uint32_t part = family.part_of[index_of(request.group[rank])];
        const bool is_inside = family.kind == CutFamily::Kind::prefixes ? part <= cut : part == cut;
        (is_inside ? inside : outside).insert(rank);
      }
      slowest = std::max({slowest, time_of(must_leave(pieces, inside), family.rates[cut].out),
                          time_of(must_leave(pieces, outside), family.rates[cut].in)});
    }
  return slowest;
}

CutFamily random_family(Random& random, std::uint32_t npus) {
  CutFamily family;
  family.kind = random() % 2 == 0 ? CutFamily::Kind::prefixes : CutFamily::Kind::isolated;
  const auto parts = static_cast<std::uint32_t>(2 + random() % 4);
  for (std::uint32_t n = 0; n < npus; ++n)
    family.part_of.push_back(static_cast<std::uint32_t>(random() % parts));
  for (std::uint32_t c = 0; c + (family.kind == CutFamily::Kind::prefixes ? 1 : 0) < parts; ++c)
    family.rates.push_back({1'000'000'000 * (1 + random() % 100), 1'000'000'000 * (1 + random() % 100)});
  return family;
}

TEST(Cuts, BoundIsWhatMustCrossTheSlowestOne) {
  Random random(3);
  std::map<CollectiveType, int> cases;
  for (int number = 0; number < 4000; ++number) {
    const auto npus = static_cast<std::uint32_t>(2 + random() % 8);
    std::vector<CutFamily> families;
    for (std::uint64_t k = 0; k <= random() % 3; ++k) families.push_back(random_family(random, npus));
    FabricTraits traits;
    traits.topology = std::make_shared<CutsAlone>(npus, families);
    traits.in_network = true;  // else an all-reduce has other bounds, too
    CollectiveRequest request;
    request.type = kCollectiveTypes[random() % std::size(kCollectiveTypes)];
    request.group = test::random_group(random, npus);
    request.bytes = 1'000'000 + random() % 100'000'000;
    request.root = static_cast<std::uint32_t>(random() % request.group.size());
    if (request.group.size() < 2 || request.type == CollectiveType::barrier) continue;
    const TimePs exact = slowest_cut_ps(request, *traits.topology);
    // Beside cuts only the ports count, which let 100 MB through in 100 ps.
    EXPECT_NEAR(static_cast<double>(bound_ps(request, traits)), static_cast<double>(exact), 200.0)
        << to_string(request.type) << ", case " << number;
    if (exact > 1000) ++cases[request.type];
  }
  for (const CollectiveType type : kCollectiveTypes)
    EXPECT_GT(cases[type], type == CollectiveType::barrier ? -1 : 200) << to_string(type);
}

/// The fewest transfers between n parts after which every one of them knows what all had, if a transfer tells
/// all that the sender knows: a search over all states.
std::uint64_t fewest_transfers(unsigned n) {
  using State = std::vector<unsigned>;  // by part: a bit for each part of which it knows
  State first, last(n, (1U << n) - 1);
  for (unsigned i = 0; i < n; ++i) first.push_back(1U << i);
  std::map<State, std::uint64_t> transfers{{first, 0}};
  std::deque<State> waiting{first};
  while (!waiting.empty()) {
    const State state = waiting.front();
    waiting.pop_front();
    if (state == last) return transfers[state];
    for (unsigned from = 0; from < n; ++from)
      for (unsigned to = 0; to < n; ++to) {
        State next = state;
        next[to] |= state[from];
        if (transfers.emplace(next, transfers[state] + 1).second) waiting.push_back(next);
      }
  }
  return 0;
}

// An all-reduce over n switches of a tree that do not add up: that many vectors go up, over n links.
TEST(Cuts, AllReduceOverSwitchesNeedsTheFewestTransfers) {
  for (std::uint32_t parts = 2; parts <= 4; ++parts) {
    const std::uint64_t transfers = fewest_transfers(parts);
    for (const std::uint32_t per_part : {1U, 3U}) {
      CutFamily family;
      family.counts_vectors = true;
      family.rates.assign(parts + 1, {100'000'000'000, 100'000'000'000});  // one has no members
      CollectiveRequest request;
      for (std::uint32_t n = 0; n < parts * per_part; ++n) {
        family.part_of.push_back(n % parts);
        request.group.push_back(static_cast<NpuId>(n));
      }
      request.type = CollectiveType::all_reduce;
      request.bytes = 40'000'000;
      FabricTraits traits;
      traits.topology = std::make_shared<CutsAlone>(parts * per_part, std::vector<CutFamily>{family});
      const TimePs exact = time_of(transfers * request.bytes, parts * 100'000'000'000);
      EXPECT_NEAR(static_cast<double>(bound_ps(request, traits)), static_cast<double>(exact), 200.0) << parts;
      traits.in_network = true;  // each switch sends its sum up once
      EXPECT_NEAR(static_cast<double>(bound_ps(request, traits)),
                  static_cast<double>(time_of(request.bytes, 100'000'000'000)), 200.0);
    }
  }
}

// The same on FRED: its uplinks are such cuts.
TEST(Cuts, UplinksOfFred) {
  FredParams fred;
  fred.geometry.l1_switches = 4;
  fred.geometry.npus_per_l1 = 4;
  fred.npu_bytes_per_s = 100'000'000'000'000;
  fred.l1_uplink_bytes_per_s = 500'000'000'000;
  FabricTraits traits;
  traits.topology = std::make_shared<FredTopology>(fred);
  CollectiveRequest request{CollectiveType::all_reduce, test::first_npus(16), 400'000'000, "", 1, 0};
  const TimePs exact = time_of(fewest_transfers(4) * request.bytes, 4 * 500'000'000'000ULL);
  const TimePs bound = bound_ps(request, traits);
  EXPECT_GE(bound, exact);
  EXPECT_LE(bound, exact + 1'000'000);  // heads
}

}  // namespace
}  // namespace wafertlm
