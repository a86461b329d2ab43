// SPDX-License-Identifier: Apache-2.0
// In-network flows of whole messages: what a switch waits for, and what comes out of it.
#include "models/messages/message_flows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace wafertlm {
namespace {

/// Ranks 0 to 2 give to rank 1.
class OneFlow final : public StepSource {
 public:
  std::uint32_t threadblocks() const override { return 0; }
  std::uint32_t steps(std::uint32_t) const override { return 0; }
  Step step(std::uint32_t, std::uint32_t) const override { return {}; }
  FlowMembers flow(std::uint64_t) const override { return {{0, 1, 2}, {1}}; }
};

class Flows : public testing::Test {
 protected:
  static constexpr std::uint64_t kOperation = 5, kFlow = 9;
  const Group group_ = {NpuId{10}, NpuId{11}, NpuId{12}};
  const OneFlow program_{};
  MessageFlows flows_;

  NpuId enter(std::uint32_t rank, DataType type = DataType::int32) {
    return flows_.enter({kOperation, kFlow}, group_[rank], program_, group_, type);
  }
  std::optional<MessageFlows::Sum> add(std::uint32_t rank, TimePs head, TimePs tail,
                                       const std::vector<std::uint16_t>& values = {}, std::uint32_t at = 20) {
    MessageRecord message;
    message.key = {kOperation, kFlow, group_[rank]};
    MessageWay way;
    way.vertex = at;
    way.ready_ps = head;
    way.tail_ps = tail;
    way.input = static_cast<std::uint16_t>(rank);
    if (!values.empty()) {
      way.data = std::make_unique<std::vector<std::byte>>(2 * values.size());
      std::memcpy(way.data->data(), values.data(), way.data->size());
    }
    return flows_.add(message, way, head);
  }
};

TEST_F(Flows, GoOnWithTheLastHeadAndEndWithTheLastTail) {
  for (const std::uint32_t rank : {0U, 1U, 2U}) EXPECT_NE(enter(rank), group_[rank]);
  EXPECT_FALSE(add(2, 100, 900));
  EXPECT_FALSE(add(0, 200, 300));
  EXPECT_FALSE(flows_.empty());
  const auto sum = add(1, 400, 500);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->receivers, std::vector<NpuId>{NpuId{11}});
  EXPECT_EQ(sum->tail_ps, 900U);
  EXPECT_EQ(sum->input, 0U);
  EXPECT_TRUE(flows_.empty());
}

// BF16 has only even numbers from 256 on, so that the order shows: (256 + 1) + 1 is 256, (1 + 1) + 256 is
// 258.
TEST_F(Flows, AddInTheOrderOfTheirContributors) {
  const std::vector<std::uint16_t> one = {bf16_from_float(1)}, large = {bf16_from_float(256)};
  for (const bool large_first : {true, false}) {
    for (const std::uint32_t rank : {0U, 1U, 2U}) enter(rank, DataType::bf16);
    // They come the other way round.
    add(2, 100, 100, large_first ? one : large);
    add(1, 200, 200, one);
    const auto sum = add(0, 300, 300, large_first ? large : one);
    ASSERT_TRUE(sum);
    std::uint16_t bits = 0;
    std::memcpy(&bits, sum->data->data(), sizeof bits);
    EXPECT_EQ(bf16_to_float(bits), large_first ? 256 : 258);
  }
}

TEST_F(Flows, AreOfOneSwitch) {
  for (const std::uint32_t rank : {0U, 1U, 2U}) enter(rank);
  add(0, 100, 100);
  EXPECT_THROW(add(1, 100, 100, {}, 21), std::logic_error);
}

}  // namespace
}  // namespace wafertlm
