// SPDX-License-Identifier: Apache-2.0
// Two memories that are lines with a latency: what a transfer between them takes, against sums made here.
#include "models/npu/remote_transfers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tlm/kernel/units.h"

namespace wafertlm {
namespace {

struct Line {
  TimePs latency_ps, ps_per_byte, free_ps = 0;
  TimePs serve(TimePs at, std::uint64_t bytes) {
    free_ps = std::max(at, free_ps) + bytes * ps_per_byte;
    return free_ps + latency_ps;
  }
};

/// Loads and stores have lines of their own at both memories.
struct TransferBench : RemoteTransferHost {
  TransferBench(const RemoteTransferParams& params, Line remote, Line local)
      : transfers(params, *this), lines{{remote, remote}, {local, local}} {}
  void access(bool remote, bool write, std::uint64_t address, std::uint64_t bytes,
              std::uint64_t token) override {
    if (remote) addresses[address] += bytes;
    ++in_flight[remote];
    most = std::max(most, ++open);
    const bool store = remote == write;
    events.emplace(lines[remote ? 0 : 1][store].serve(now, bytes), std::make_tuple(remote, address, token));
  }
  void transfer_done(std::uint64_t token, bool ok) override { ended[token] = {now, ok}; }
  void run() {
    while (!events.empty()) {
      const auto [remote, address, token] = events.begin()->second;
      now = events.begin()->first;
      events.erase(events.begin());
      --open;
      transfers.access_done(token, address < fails_from);
    }
  }
  struct End {
    TimePs at;
    bool ok;
  };
  TimePs now = 0;
  std::uint64_t fails_from = ~std::uint64_t{0};
  RemoteTransfers transfers;
  Line lines[2][2];
  std::multimap<TimePs, std::tuple<bool, std::uint64_t, std::uint64_t>> events;
  std::map<std::uint64_t, std::uint64_t> addresses;  // bytes at the remote memory
  std::map<std::uint64_t, End> ended;
  std::uint32_t in_flight[2] = {0, 0}, open = 0, most = 0;
};

/// latency + latency + max(bytes / remote + chunk / local, chunk / remote + bytes / local)
TEST(RemoteTransfers, TakeTheSlowerMemoryAndAChunkOfTheOther) {
  for (const auto& [remote, local] : {std::pair<TimePs, TimePs>{10, 2}, {2, 10}, {5, 5}})
    for (const bool store : {false, true}) {
      TransferBench bench({1000, 64}, {20'000, remote}, {3000, local});
      bench.transfers.start(store, 0, 100'000, 7);
      bench.run();
      EXPECT_EQ(bench.ended.at(7).at,
                23'000 + std::max(100'000 * remote + 1000 * local, 1000 * remote + 100'000 * local));
      EXPECT_TRUE(bench.ended.at(7).ok);
    }
}

TEST(RemoteTransfers, OfAnySizeEndWhenTheLastChunkHasLanded) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t chunk = 1 + random() % 700, bytes = 1 + random() % 20'000;
    const Line remote{random() % 50'000, 1 + random() % 9}, local{random() % 50'000, 1 + random() % 9};
    const bool store = random() % 2 == 0;
    TransferBench bench({static_cast<std::uint32_t>(chunk), 1U << 30}, remote, local);
    bench.transfers.start(store, 0, bytes, 1);
    bench.run();
    const Line &first = store ? local : remote, &second = store ? remote : local;
    TimePs end = 0;
    for (std::uint64_t at = 0; at < bytes; at += chunk) {
      const std::uint64_t to = std::min(at + chunk, bytes);
      end = std::max(end, to * first.ps_per_byte + first.latency_ps) + (to - at) * second.ps_per_byte;
    }
    ASSERT_EQ(bench.ended.at(1).at, end + second.latency_ps);
  }
}

TEST(RemoteTransfers, TakeTurnsAndKeepTheirWindow) {
  TransferBench bench({1000, 4}, {20'000, 10}, {3000, 10});
  bench.transfers.start(false, 0, 50'000, 1);
  bench.transfers.start(false, 50'000, 10'000, 2);
  bench.run();
  EXPECT_EQ(bench.most, 4U);
  EXPECT_LT(bench.ended.at(2).at, bench.ended.at(1).at / 2);
  std::uint64_t bytes = 0;
  for (const auto& [address, of] : bench.addresses) {
    EXPECT_EQ(address, bytes) << "each part once";
    bytes += of;
  }
  EXPECT_EQ(bytes, 60'000U);
}

TEST(RemoteTransfers, ThatFailBeginNoMoreChunks) {
  for (const bool store : {false, true}) {
    TransferBench bench({1000, 4}, {20'000, 10}, {3000, 10});
    bench.fails_from = 9000;
    bench.transfers.start(store, 0, 50'000, 1);
    bench.transfers.start(store, 0, 5000, 2);
    bench.run();
    EXPECT_FALSE(bench.ended.at(1).ok);
    EXPECT_TRUE(bench.ended.at(2).ok);
    EXPECT_LE(bench.addresses.size(), 14U);
    bench.transfers.start(store, 0, 5000, 3);
    bench.run();
    EXPECT_TRUE(bench.ended.at(3).ok);
  }
}

}  // namespace
}  // namespace wafertlm
