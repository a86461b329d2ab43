// SPDX-License-Identifier: Apache-2.0
// Tiles that take `load_ps` each, one after the other, against the recurrence
// end(i) = max(end(i-1), loaded(i)) + time of a tile, worked out by hand.
#include "models/npu/operand_stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace wafertlm {
namespace {

struct StreamBench : OperandHost {
  StreamBench(TimePs tile_load_ps, const OperandParams& params)
      : load_ps(tile_load_ps), stream(params, *this) {}
  void load_operands(std::uint64_t address, std::uint64_t bytes) override {
    addresses.push_back(address);
    loaded_bytes += bytes;
    memory_free = std::max(memory_free, now) + load_ps;
    loads.push_back(memory_free);
  }
  void wake_for_tile(TimePs at) override { tile_end = at; }
  void computed(std::uint64_t token, TimePs start, TimePs end, bool) override {
    done.push_back({token, start, end});
  }
  void run() {
    std::size_t next = 0;
    while (next < loads.size() || tile_end != kNever) {
      if (next < loads.size() && loads[next] <= tile_end) {
        now = loads[next++];
        stream.loaded(true, now);
      } else {
        now = tile_end;
        tile_end = kNever;
        stream.tile_computed(now);
      }
    }
  }
  struct Done {
    std::uint64_t token;
    TimePs start, end;
  };
  TimePs load_ps, now = 0, memory_free = 0, tile_end = kNever;
  std::uint64_t loaded_bytes = 0;
  std::vector<std::uint64_t> addresses;
  std::vector<TimePs> loads;
  std::vector<Done> done;
  OperandStream stream;
};

TEST(OperandStream, ASlowMemorySetsThePace) {
  StreamBench bench(100, {1000, 1 << 20});
  bench.stream.add(1, 40, 4000, 0);  // four tiles of 10
  bench.run();
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_EQ(bench.done[0].end, 410U);  // the last tile is there at 400
  EXPECT_EQ(bench.stream.waited_ps(), 370U);
  EXPECT_EQ(bench.addresses, (std::vector<std::uint64_t>{0, 1000, 2000, 3000}));
}

TEST(OperandStream, AFastMemoryCostsTheFirstTile) {
  StreamBench bench(1, {1000, 2000});
  bench.stream.add(1, 400, 3500, 0);  // the last tile is half as large and takes as long
  bench.stream.add(2, 7, 0, 0);       // no operands
  bench.run();
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_EQ(bench.done[0].end, 401U);
  EXPECT_EQ(bench.done[1].start, 401U);
  EXPECT_EQ(bench.done[1].end, 408U);
  EXPECT_EQ(bench.loaded_bytes, 3500U);
  EXPECT_EQ(bench.addresses, (std::vector<std::uint64_t>{0, 1000, 0, 1000}));  // within the memory
}

TEST(OperandStream, AsksForTwoTilesAhead) {
  StreamBench bench(1, {1000, 1 << 20});
  bench.stream.add(1, 1000, 10'000, 0);
  EXPECT_EQ(bench.loads.size(), 3U);
}

TEST(OperandStream, OperandsBeginOnAPage) {
  StreamBench bench(1, {65'536, 200'000});
  for (const std::uint64_t bytes : std::initializer_list<std::uint64_t>{70'000, 1, 5000})
    bench.stream.add(bytes, 10, bytes, 0);
  bench.run();
  // The fourth page is not whole.
  EXPECT_EQ(bench.addresses, (std::vector<std::uint64_t>{0, 65'536, 131'072, 0}));
}

}  // namespace
}  // namespace wafertlm
