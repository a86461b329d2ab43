// SPDX-License-Identifier: Apache-2.0
#include "models/endpoint/memory_traffic.h"

#include <gtest/gtest.h>

#include <tuple>

namespace wafertlm {
namespace {

/// Notes the accesses; the test says when they are done.
struct Host : MemoryTrafficHost {
  struct Access {
    bool write;
    std::uint64_t address, bytes, token;
  };
  void access_memory(bool write, std::uint64_t address, std::uint64_t bytes, std::uint64_t token) override {
    accesses.push_back({write, address, bytes, token});
  }
  void data_available() override { ++available; }
  void message_stored(Message& message) override { stored.push_back(&message); }

  /// Finishes all accesses that are running, in their order; returns their (write, address, bytes).
  std::vector<std::tuple<bool, std::uint64_t, std::uint64_t>> finish(MemoryTraffic& traffic) {
    std::vector<std::tuple<bool, std::uint64_t, std::uint64_t>> done;
    const std::vector<Access> running = std::move(accesses);
    accesses.clear();
    for (const Access& access : running) {
      done.emplace_back(access.write, access.address, access.bytes);
      traffic.access_done(access.token);
    }
    return done;
  }

  std::vector<Access> accesses;
  std::vector<Message*> stored;
  int available = 0;
};

using Done = std::vector<std::tuple<bool, std::uint64_t, std::uint64_t>>;
constexpr MemoryTrafficParams kParams{100, 300};

Message message_with(std::uint64_t bytes) {
  Message message;
  message.bytes = bytes;
  return message;
}

TEST(MemoryTraffic, ReadsAheadOfWhatHasLeftAndNoFurther) {
  Host host;
  MemoryTraffic traffic(kParams, host);
  Message message = message_with(450);
  message.address = 1000;
  traffic.read(message);
  EXPECT_EQ(message.available_bytes, 0U);
  EXPECT_EQ(host.finish(traffic), (Done{{false, 1000, 100}, {false, 1100, 100}, {false, 1200, 100}}));
  EXPECT_EQ(message.available_bytes, 300U);
  EXPECT_EQ(host.available, 3);
  message.injected_bytes = 99;
  traffic.packet_left(message);
  EXPECT_TRUE(host.accesses.empty());
  message.injected_bytes = 100;
  traffic.packet_left(message);
  EXPECT_EQ(host.finish(traffic), (Done{{false, 1300, 100}}));
  message.injected_bytes = 300;
  traffic.packet_left(message);
  EXPECT_EQ(host.finish(traffic), (Done{{false, 1400, 50}}));
  EXPECT_EQ(message.available_bytes, 450U);
  EXPECT_TRUE(traffic.idle());
}

TEST(MemoryTraffic, ACopyWritesEachChunkWhenItIsThere) {
  Host host;
  MemoryTraffic traffic(kParams, host);
  Message message = message_with(250);
  EXPECT_FALSE(traffic.fills_chunk(message, 0, 99));
  EXPECT_TRUE(traffic.fills_chunk(message, 0, 100));
  EXPECT_TRUE(traffic.fills_chunk(message, 199, 1));
  EXPECT_TRUE(traffic.fills_chunk(message, 249, 1));
  traffic.arrived(message, 120);
  EXPECT_TRUE(host.accesses.empty());  // not posted
  traffic.post(message, 5000, false);
  EXPECT_EQ(host.finish(traffic), (Done{{true, 5000, 100}}));
  traffic.arrived(message, 250);
  EXPECT_EQ(host.finish(traffic), (Done{{true, 5100, 100}, {true, 5200, 50}}));
  EXPECT_EQ(host.stored, std::vector<Message*>{&message});
  EXPECT_TRUE(traffic.idle());
}

TEST(MemoryTraffic, AReductionReadsTwiceAndThenWrites) {
  Host host;
  MemoryTraffic traffic(kParams, host);
  Message message = message_with(100);
  traffic.arrived(message, 100);
  traffic.post(message, 0, true);
  EXPECT_EQ(host.finish(traffic), (Done{{false, 0, 100}, {false, 0, 100}}));
  EXPECT_TRUE(host.stored.empty());
  EXPECT_EQ(host.finish(traffic), (Done{{true, 0, 100}}));
  EXPECT_EQ(host.stored.size(), 1U);
}

TEST(MemoryTraffic, AMessageWithoutBytesNeedsNoAccess) {
  Host host;
  MemoryTraffic traffic(kParams, host);
  Message message = message_with(0);
  traffic.read(message);
  EXPECT_TRUE(traffic.fills_chunk(message, 0, 0));
  traffic.arrived(message, 0);
  EXPECT_TRUE(host.stored.empty());
  traffic.post(message, 0, false);
  EXPECT_EQ(host.stored.size(), 1U);
  EXPECT_TRUE(host.accesses.empty());
  EXPECT_TRUE(traffic.idle());
}

}  // namespace
}  // namespace wafertlm
