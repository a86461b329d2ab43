// SPDX-License-Identifier: Apache-2.0
// Collectives in one dimension against ASTRA-sim 2.0's congestion-aware times and their closed forms: 50
// GiB/s, 500 ns, 4 splits one after the other, endpoint delay 10 ns, local memory 1600 GB/s, a packet per
// message.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/collectives/dimensional/dimensional_case.h"

namespace wafertlm {
namespace {

using test::DimensionalCase;
using test::outcome_by_dimension;

constexpr std::uint64_t kMiB = 1 << 20;

DimensionalCase astra_case(const std::string& topology, std::uint32_t npus, const std::string& algorithm) {
  DimensionalCase what;
  what.dimensions =
      fmt::format("{{topology: {}, size: {}, bandwidth: 50 GiB/s, latency: 500 ns}}", topology, npus);
  what.endpoint = "receive_cost: 10 ns, stage_cost: 10 ns, reduction_bandwidth: 1600 GB/s";
  what.chunks = 4;
  what.by_dimension =
      fmt::format("active_chunks: 1, all_reduce: [{0}], all_gather: [{0}], reduce_scatter: [{0}]", algorithm);
  return what;
}

double nanoseconds(const DimensionalCase& what, CollectiveType type, std::uint64_t bytes) {
  const auto result = outcome_by_dimension(what, type, bytes);
  EXPECT_GE(result["time"].get<TimePs>(), result["bound"].get<TimePs>());
  return static_cast<double>(result["time"].get<TimePs>()) / 1000;
}

struct Golden {
  const char* topology;
  std::uint32_t npus;
  const char* algorithm;
  CollectiveType type;
  std::uint64_t bytes;  ///< full vector
  double ns;            ///< printed by ASTRA-sim
};

TEST(AstraSimTimes, RingAndFullyConnectedRows) {
  using T = CollectiveType;
  const Golden rows[] = {
      {"ring", 4, "ring", T::all_reduce, kMiB, 43000},
      {"ring", 4, "ring", T::all_reduce, 16 * kMiB, 504604},
      {"ring", 4, "ring", T::all_gather, 4 * kMiB, 64744},
      {"ring", 4, "ring", T::reduce_scatter, kMiB, 22240},
      {"fully_connected", 8, "direct", T::all_reduce, kMiB, 9240},
      {"fully_connected", 8, "direct", T::all_gather, 8 * kMiB, 21608},
      {"fully_connected", 8, "direct", T::reduce_scatter, kMiB, 4760},
      {"fully_connected", 8, "direct", T::all_to_all, kMiB, 4520},
      {"fully_connected", 64, "direct", T::all_reduce, 1024 * kMiB, 660572},
  };
  for (const Golden& row : rows)
    for (const char* const fabric : {"packet_bytes: 1 GiB", "transport: messages"}) {
      DimensionalCase what = astra_case(row.topology, row.npus, row.algorithm);
      what.fabric = fabric;
      const double ns = nanoseconds(what, row.type, row.bytes);
      std::printf("%s of %u, %s, %s: %.0f ns, ASTRA-sim %.0f ns\n", row.topology, row.npus,
                  to_string(row.type), fabric, ns, row.ns);
      EXPECT_NEAR(ns, row.ns, 0.005 * row.ns);
    }
}

// Where messages share links and pass others: as ASTRA-sim stores, routes and charges them. The whole table
// is tests/paper/astra_sim_table.py.
TEST(AstraSimTimes, RowsThatShareLinks) {
  using T = CollectiveType;
  const Golden rows[] = {
      {"fully_connected", 4, "halving_doubling", T::all_reduce, kMiB, 37968},
      {"fully_connected", 64, "halving_doubling", T::all_reduce, 1024 * kMiB, 40374664},
      {"ring", 64, "halving_doubling", T::all_reduce, kMiB, 370444},
      {"ring", 64, "halving_doubling", T::reduce_scatter, 1024 * kMiB, 61101424},
      {"ring", 16, "halving_doubling", T::all_gather, 16 * kMiB, 655160},
      {"ring", 8, "direct", T::all_reduce, kMiB, 57160},
      {"switch", 8, "halving_doubling", T::all_gather, 8 * kMiB, 285584},
      {"switch", 8, "direct", T::all_reduce, kMiB, 47400},
      {"fully_connected", 4, "double_binary_tree", T::all_reduce, kMiB, 90620},
      {"fully_connected", 64, "double_binary_tree", T::all_reduce, 1024 * kMiB, 262168864},
      {"ring", 16, "double_binary_tree", T::all_reduce, kMiB, 658332},
      {"switch", 4, "double_binary_tree", T::all_reduce, kMiB, 184996},
  };
  for (const Golden& row : rows) {
    DimensionalCase what = astra_case(row.topology, row.npus, row.algorithm);
    what.fabric = "transport: messages, time_step: 1 ns, switch_mode: store_and_forward, ring_opposite: up";
    what.by_dimension += ", reductions: astra_sim";
    EXPECT_NEAR(nanoseconds(what, row.type, row.bytes), row.ns, 0.01 * row.ns)
        << row.topology << " of " << row.npus << ", " << row.algorithm;
  }
}

// Cut-through, every NPU's link to the switch shared by its messages.
TEST(AstraSimTimes, SwitchClosedForms) {
  const double rate = 50 * 1.073741824, latency = 1000, ep = 10;
  for (const std::uint32_t n : {4U, 16U})
    for (const std::uint64_t bytes : {kMiB, 256 * kMiB}) {
      const double c = static_cast<double>(bytes) / 4, m = c / n;
      const auto reduction = [](double of) { return 3 * of / 1600; };
      const double ring = 2 * (n - 1) * (latency + m / rate) + (2 * n - 1) * ep + (n - 1) * reduction(m);
      const double direct = 2 * (latency + (n - 1) * m / rate) + 3 * ep + reduction(m);
      double halving = 0, gather = 0;
      int rounds = 0;
      for (std::uint32_t half = 2; half <= n; half *= 2, ++rounds) {
        halving += 2 * (latency + c / half / rate) + reduction(c / half);
        gather += latency + c / half / rate;
      }
      halving += (2 * rounds + 1) * ep;
      gather += (rounds + 1) * ep;
      EXPECT_NEAR(nanoseconds(astra_case("switch", n, "ring"), CollectiveType::all_reduce, bytes), 4 * ring,
                  0.02 * ring);
      EXPECT_NEAR(nanoseconds(astra_case("switch", n, "direct"), CollectiveType::all_reduce, bytes),
                  4 * direct, 0.02 * direct);
      EXPECT_NEAR(nanoseconds(astra_case("switch", n, "halving_doubling"), CollectiveType::all_reduce, bytes),
                  4 * halving, 0.02 * halving);
      EXPECT_NEAR(nanoseconds(astra_case("switch", n, "halving_doubling"), CollectiveType::all_gather, bytes),
                  4 * gather, 0.02 * gather);
    }
}

// 4 × 4 NPUs, the first dimension twice as fast, 4 chunks: 8 units of time in ascending order, 7 with Themis
// and the smallest stage first, 8 with the first (arXiv 2110.04478, figure 4); a unit is a chunk's
// reduce-scatter in the first dimension.
TEST(Themis, TheUnitCase) {
  DimensionalCase what;
  what.chunks = 4;
  const TimePs unit = TimePs{16'000'000} * 1000 / 200;  // a quarter of a chunk on each link
  const auto units = [&](const std::string& how) {
    what.by_dimension = how;
    const auto time =
        outcome_by_dimension(what, CollectiveType::all_reduce, 256'000'000)["time"].get<TimePs>();
    EXPECT_LE(time % unit, 100) << time;  // the latencies
    return time / unit;
  };
  // Packets need a picosecond, which changes who comes first where stages come at the same instant.
  for (const auto& [fabric, latency] :
       {std::pair("packet_bytes: 1 GiB, credit_delay: 0 ps", 1), std::pair("transport: messages", 0)}) {
    what.dimensions = fmt::format(
        "{{topology: fully_connected, size: 4, bandwidth: 200 GB/s, latency: {0} ps}}, "
        "{{topology: fully_connected, size: 4, bandwidth: 100 GB/s, latency: {0} ps}}",
        latency);
    what.fabric = fabric;
    EXPECT_EQ(units("order: ascending"), 8);
    EXPECT_EQ(units("order: themis, within: smallest_first"), 7);
    EXPECT_EQ(units("order: themis"), 8);
  }
}

}  // namespace
}  // namespace wafertlm
