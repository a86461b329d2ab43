// SPDX-License-Identifier: Apache-2.0
// One NPU that stands for all: random collectives on random fabrics take the same time, pass as many links
// and load them as when all are simulated.
#include <gtest/gtest.h>

#include "tests/collectives/dimensional/dimensional_case.h"
#include "tests/collectives/dimensional/random.h"

namespace wafertlm {
namespace {

using test::DimensionalCase;
using test::Random;

nlohmann::json result_of(const DimensionalCase& what, CollectiveType type, std::uint64_t bytes) {
  const config::PlatformSpec spec = what.spec();
  return run_in_child([&]() -> nlohmann::json {
    const CollectiveRequest request{type,
                                    test::first_npus(spec.wafer.npu_count()),
                                    bytes,
                                    "dimensional",
                                    what.chunks,
                                    0,
                                    spec.run.data_type};
    const CollectiveResult of = run_collective(spec, request, "dp");
    return {{"ends", of.end_ps},
            {"hops", of.packet_hops},
            {"busiest", of.busiest_link_payload_bytes},
            {"simulated", of.simulated_npus}};
  });
}

DimensionalCase drawn(Random& draw, std::uint64_t& npus) {
  DimensionalCase what;
  std::string list;
  for (std::uint64_t d = 0, dimensions = draw.from_to(1, 3); d < dimensions; ++d) {
    const std::string topology = draw.of({"ring", "ring", "fully_connected", "switch", "switch"});
    const std::uint64_t size = draw.from_to(2, npus > 8 ? 4 : 9);
    const bool halves = (size & (size - 1)) == 0 && topology != "ring";
    npus *= size;
    what.dimensions +=
        fmt::format("{}{{topology: {}, size: {}, bandwidth: {} B/s, latency: {} ps}}", d == 0 ? "" : ", ",
                    topology, size, draw.from_to(1, 900'000'000'000), draw.from_to(1, 900'000));
    list += (d == 0 ? "" : ", ") +
            draw.of({"auto", "ring", "direct", "bidirectional_ring", halves ? "halving_doubling" : "auto",
                     halves ? "recursive_halving_doubling" : "auto"});
  }
  what.fabric = "transport: messages, ring_opposite: " + draw.of({"up", "up", "both_ways"}) +
                draw.of({"", "", ", time_step: 1 ns", ", switch_mode: store_and_forward"});
  what.chunks = static_cast<std::uint32_t>(draw.from_to(1, 6));
  what.by_dimension = fmt::format(
      "order: {}, within: {}, active_chunks: {}, all_reduce: [{}], all_gather: [{}], reduce_scatter: [{}], "
      "direct_window: {}",
      draw.of({"ascending", "local_bandwidth_aware", "per_dimension", "themis"}),
      draw.of({"fifo", "smallest_first"}), draw.of({"auto", "1", "2"}), list, list, list, draw.from_to(0, 2));
  what.endpoint = fmt::format("stage_cost: {} ps, receive_cost: {} ps{}", draw.from_to(0, 20'000),
                              draw.from_to(0, 20'000), draw.of({"", ", reduction_bandwidth: 1600 GB/s"}));
  return what;
}

// Of those whose parts have one length three in four have equal places; the others go half way round a ring.
TEST(OneForAll, RandomCollectivesTakeTheSameTime) {
  Random draw(53);
  int stood_for_all = 0;
  constexpr int kCases = 150;
  for (int i = 0; i < kCases; ++i) {
    std::uint64_t npus = 1;
    DimensionalCase what = drawn(draw, npus);
    const CollectiveType type =
        std::vector{CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter,
                    CollectiveType::all_to_all}[draw.from_to(0, 3)];
    const std::uint64_t bytes = 8 * npus * what.chunks * draw.from_to(1, 3000) +
                                (type != CollectiveType::all_to_all && draw.from_to(0, 9) == 0 ? 4 : 0);
    SCOPED_TRACE(fmt::format("{} | {} | {} | {} | {} chunks, {} of {} B", what.dimensions, what.fabric,
                             what.by_dimension, what.endpoint, what.chunks, to_string(type), bytes));
    nlohmann::json of_one = result_of(what, type, bytes);
    what.run = "acceleration: off";
    nlohmann::json of_all = result_of(what, type, bytes);
    EXPECT_EQ(of_all["simulated"], npus);
    stood_for_all += of_one["simulated"] == 1;
    of_one.erase("simulated");
    of_all.erase("simulated");
    EXPECT_EQ(of_one, of_all);
  }
  std::printf("%d of %d with one NPU\n", stood_for_all, kCases);
  EXPECT_GT(stood_for_all, kCases / 2);
}

}  // namespace
}  // namespace wafertlm
