// SPDX-License-Identifier: Apache-2.0
#include "tlm/packets/message_matcher.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <tuple>

namespace wafertlm {
namespace {

// Origin of what is expected: a map of queues.
TEST(MessageMatcher, DoesAsAMapOfQueues) {
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;
  struct Waiting {
    Message* message;
    int waiter;
  };
  std::map<Key, std::deque<Waiting>> expected;
  MessageMatcher<int> matcher;
  std::deque<Message> messages(2000);
  std::mt19937 random(7);
  std::size_t most = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    // Few keys first, then many, then few again.
    const std::uint32_t keys = turn < 5'000 || turn > 15'000 ? 3 : 200;
    const MessageKey key{random() % 2, random() % keys, static_cast<NpuId>(random() % keys)};
    auto& same = expected[{key.operation, key.tag, static_cast<std::uint32_t>(key.source)}];
    const auto* const found = matcher.find(key);
    ASSERT_EQ(found != nullptr, !same.empty());
    if (found && random() % 2 == 0) {
      EXPECT_EQ(found->message, same.front().message);
      EXPECT_EQ(found->waiter, same.front().waiter);
      matcher.remove(*found);
      same.pop_front();
    } else {
      Message* const message = &messages[random() % messages.size()];
      matcher.add(key, message, turn);
      same.push_back({message, turn});
    }
    std::size_t entries = 0, all = 0;
    if (turn % 1000 == 0) {
      matcher.for_each([&](const auto&) { ++entries; });
      for (const auto& [each, queue] : expected) all += queue.size();
      EXPECT_EQ(entries, all);
      most = std::max(most, all);
    }
  }
  EXPECT_GT(most, 1000U) << "the table has hardly grown";
}

}  // namespace
}  // namespace wafertlm
