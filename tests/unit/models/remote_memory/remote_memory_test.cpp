// SPDX-License-Identifier: Apache-2.0
#include "models/remote_memory/remote_memory.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>

#include "tests/support/requester_module.h"
#include "tlm/memory/checker.h"

namespace wafertlm {
namespace {

/// NPUs that are nothing but requesters, with a checker on every socket.
struct Bench : MemoryRequesterHost {
  explicit Bench(const RemoteMemoryParams& params, const MemoryRequesterParams& requests = {})
      : pool("pool", params, scheduler) {
    for (std::uint32_t n = 0; n < params.timing.npus; ++n) {
      npus.push_back(std::make_unique<RequesterModule>(("npu_" + std::to_string(n)).c_str(), requests,
                                                       scratch, scheduler, *this));
      bind_checked(npus[n]->requester.socket, pool.socket(n), &checkers, "pool_" + std::to_string(n));
    }
  }
  void memory_done(std::uint64_t token, bool ok) override { ends[token] = {kernel_now_ps(), ok}; }
  void run() {
    sc_core::sc_start();
    checkers.finish();
  }
  void start(std::size_t npu, bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token,
             unsigned char* data = nullptr) {
    npus[npu]->requester.start(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND, address, bytes,
                               token, data);
  }
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;
  ScratchMemory scratch{};
  RemoteMemory pool;
  std::vector<std::unique_ptr<RequesterModule>> npus;
  struct End {
    TimePs at;
    bool ok;
  };
  std::map<std::uint64_t, End> ends;
};

RemoteMemoryParams shared() {
  RemoteMemoryParams params;
  params.timing.npus = 3;
  params.timing.bytes_per_s = 100'000'000'000;
  params.timing.latency_ps = 2'000'000;
  params.capacity_bytes = 3 << 20;
  return params;
}

/// Three megabytes of two NPUs in requests of 64 KiB, one megabyte after the other.
TEST(RemoteMemory, ServesWholeAccessesInTheirOrder) {
  RemoteMemoryParams params = shared();
  params.timing.service = PoolService::accesses;
  Bench bench(params, {65'536, 16, true});
  bench.start(1, false, 0, 1'000'000, 1);
  bench.start(0, true, 0, 1'000'000, 2);
  bench.start(1, true, 0, 1'000'000, 3);
  bench.run();
  std::map<TimePs, bool> ends;
  for (const auto& [token, end] : bench.ends) ends[end.at] = end.ok;
  EXPECT_EQ(ends, (std::map<TimePs, bool>{{12'000'000, true}, {24'000'000, true}, {36'000'000, true}}));
}

/// A megabyte in requests of 64 KiB, all under way, takes what it takes in one piece.
TEST(RemoteMemory, ALongAccessTakesLatencyAndBytesByBandwidth) {
  Bench bench(shared(), {65'536, 16});
  bench.start(1, false, 0, 1'000'000, 1);
  bench.run();
  EXPECT_EQ(bench.ends.at(1).at, 2'000'000U + 10'000'000);
  EXPECT_EQ(bench.pool.bytes_read(), 1'000'000U);
}

/// Requests of several NPUs take turns as they come: each ends after those before it.
TEST(RemoteMemory, ServesContendersInTheirOrder) {
  Bench bench(shared(), {1000, 1});
  for (std::uint64_t n = 0; n < 3; ++n) bench.start(2 - n, n == 1, 0, 1000, n);
  bench.run();
  for (std::uint64_t n = 0; n < 3; ++n) EXPECT_EQ(bench.ends.at(n).at, 2'000'000U + (n + 1) * 10'000);
}

TEST(RemoteMemory, AHierarchyTakesItsFormula) {
  RemoteMemoryParams params = shared();
  params.timing.kind = PoolKind::hierarchical;
  params.timing.npus = 4;
  params.timing.npus_per_node = 2;
  params.timing.stages = PoolStages{PoolStage{100'000'000'000, 3000, 1}, PoolStage{50'000'000'000, 1000, 1},
                                    PoolStage{200'000'000'000, 0, 4}, PoolStage{400'000'000'000, 2000, 1}};
  Bench bench(params, {4000, 64});
  bench.start(2, false, 0, 40'000, 1);
  bench.run();
  const TimePs stages = 43'000 + 81'000 + 5'000 + 12'000;
  EXPECT_EQ(bench.ends.at(1).at, 2'000'000 + stages + 9 * 81'000);
  const TimePs from = kernel_now_ps();
  bench.start(2, true, 0, 40'000, 2);
  bench.run();
  EXPECT_EQ(bench.ends.at(2).at - from, 2'000'000 + stages + 9 * 81'000);
}

TEST(RemoteMemory, KeepsTheDataOfEveryNpuApartAndItsCapacity) {
  RemoteMemoryParams params = shared();
  params.functional = true;
  Bench bench(params);
  std::vector<unsigned char> a(100'000), b(100'000, 7), loaded(100'000);
  std::iota(a.begin(), a.end(), static_cast<unsigned char>(1));
  bench.start(0, true, 5, a.size(), 1, a.data());
  bench.start(1, true, 5, b.size(), 2, b.data());
  bench.run();
  bench.start(0, false, 5, a.size(), 3, loaded.data());
  bench.start(2, false, (1 << 20) - 10, 20, 4);
  bench.run();
  EXPECT_EQ(loaded, a);
  EXPECT_TRUE(bench.ends.at(3).ok);
  EXPECT_FALSE(bench.ends.at(4).ok) << "beyond its part";
}

}  // namespace
}  // namespace wafertlm
