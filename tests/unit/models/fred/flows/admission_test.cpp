// SPDX-License-Identifier: Apache-2.0
// Who gets the room of in-network flows, and when: nobody overtakes on a way that an earlier one waits for.
#include <gtest/gtest.h>

#include <memory>

#include "models/fred/flows/flow_buffers.h"
#include "tests/support/flow_cases.h"

namespace wafertlm::test {
namespace {

/// All-reduces on a rig of two L1 switches with four NPUs each, whose buffers have room for so many flows.
class Admissions {
 public:
  explicit Admissions(std::uint32_t flows) : rig_(params(flows), flow_classes()) {}

  ProvenCollective& enter(Group group, std::uint64_t bytes, TimePs at, ClassId traffic_class = kDp) {
    const std::uint64_t id = cases_.size() + 1;
    cases_.push_back(std::make_unique<ProvenCollective>(
        rig_, in_network(CollectiveType::all_reduce, std::move(group), bytes, rig_), id, traffic_class));
    cases_.back()->enter_all(at);
    return *cases_.back();
  }
  void run() {
    rig_.run();
    EXPECT_EQ(rig_.unrest(), "");
    for (const auto& each : cases_) {
      EXPECT_TRUE(each->done());
      EXPECT_EQ(each->wrong(), "");
    }
  }
  FlowRig& rig() { return rig_; }

 private:
  static FlowRigParams params(std::uint32_t flows) {
    FlowRigParams params;
    params.l1 = 2;
    params.npus_per_l1 = 4;
    params.flows = flows;
    return params;
  }
  FlowRig rig_;
  std::vector<std::unique_ptr<ProvenCollective>> cases_;
};

constexpr std::uint64_t kLong = 1 << 20, kShort = 1 << 16;

// The second one needs NPU 0, whose room the first one has; until then it keeps the way of NPU 4 free, which
// the third one would take. The fourth needs nothing of that.
TEST(FlowAdmission, NobodyOvertakesOnTheWayOfOneThatWaits) {
  Admissions with_one(1);
  const auto& first = with_one.enter(npus({0, 1}), kLong, 0);
  const auto& second = with_one.enter(npus({0, 4}), kShort, 1000);
  const auto& third = with_one.enter(npus({4, 5}), kShort, 2000);
  const auto& fourth = with_one.enter(npus({6, 7}), kShort, 3000);
  with_one.run();
  EXPECT_GT(second.end_ps(), first.end_ps());
  EXPECT_GT(third.end_ps(), second.end_ps());
  EXPECT_LT(fourth.end_ps(), first.end_ps() / 2);
  EXPECT_EQ(with_one.rig().admission().most_active(), 2U);

  Admissions with_two(2);  // there is room for all
  const auto& long_one = with_two.enter(npus({0, 1}), kLong, 0);
  const auto& across = with_two.enter(npus({0, 4}), kShort, 1000);
  const auto& last = with_two.enter(npus({4, 5}), kShort, 2000);
  with_two.run();
  EXPECT_LT(across.end_ps(), long_one.end_ps());
  EXPECT_LT(last.end_ps(), long_one.end_ps());
  EXPECT_EQ(with_two.rig().admission().waited_ps(), 0U);
}

// A stream of later ones on its way does not keep one from its room for ever.
TEST(FlowAdmission, OneThatWaitsDoesNotStarve) {
  Admissions with_one(1);
  const auto& first = with_one.enter(npus({0, 1}), kLong, 0);
  const auto& across = with_one.enter(npus({0, 4}), kShort, 1000);
  std::vector<const ProvenCollective*> stream;
  for (TimePs k = 0; k < 20; ++k) stream.push_back(&with_one.enter(npus({4, 5}), kShort, 2000 + k));
  with_one.run();
  EXPECT_LT(across.end_ps(), first.end_ps() + first.end_ps() / 2);
  for (const ProvenCollective* later : stream) EXPECT_GT(later->end_ps(), across.end_ps());
}

// Served by priority of the class, then by the first NPU of the group, whoever came first.
TEST(FlowAdmission, OrderOfThoseThatWait) {
  Admissions rig(1);
  const auto& busy = rig.enter(npus({0, 1, 2, 3}), kLong, 0);
  const auto& by_npu = rig.enter(npus({2, 3}), kShort, 1000);
  const auto& lower = rig.enter(npus({1, 3}), kShort, 2000);
  rig.run();
  EXPECT_GT(lower.end_ps(), busy.end_ps());
  EXPECT_GT(by_npu.end_ps(), lower.end_ps());
  // What each waits: from its entry to its grant.
  EXPECT_GE(rig.rig().admission().waited_ps(), busy.end_ps() - 1000);
}

// Other classes have other channels with room of their own.
TEST(FlowAdmission, ClassesDoNotWaitForEachOther) {
  Admissions rig(1);
  const auto& low = rig.enter(npus({0, 1}), kLong, 0);
  const auto& high = rig.enter(npus({0, 1}), kShort, 1000, kMp);
  rig.run();
  EXPECT_LT(high.end_ps(), low.end_ps());
  EXPECT_EQ(rig.rig().admission().waited_ps(), 0U);
  EXPECT_EQ(rig.rig().admission().most_active(), 2U);
}

// A flow of a fraction of the rate keeps two packets on the way in and two on the way out, beside that
// fraction of what is under way at line rate; never more than a flow at line rate.
TEST(FlowBuffers, RoomOfASlowFlow) {
  WireFormat format;
  format.packet_bytes = 1000;
  const std::uint64_t packet = format.full_wire_bytes();
  const std::uint64_t line = 2 * packet + 40 * packet;  // 40 packets under way
  EXPECT_EQ(slow_flow_credits(line, 1000, 1000, format), line);
  EXPECT_EQ(slow_flow_credits(line, 1000, 2000, format), line);
  EXPECT_EQ(slow_flow_credits(line, 1000, 500, format), 4 * packet + 20 * packet);
  EXPECT_EQ(slow_flow_credits(line, 1000, 25, format), 4 * packet + packet);
  EXPECT_EQ(slow_flow_credits(line, 1000, 1, format), 4 * packet + (40 * packet + 999) / 1000);
  EXPECT_EQ(slow_flow_credits(line, 1000, 990, format), line);
  EXPECT_EQ(slow_flow_credits(2 * packet, 1000, 1, format), 2 * packet);
  EXPECT_EQ(slow_flow_credits(3 * packet, 1000, 1, format), 3 * packet);
}

TEST(FlowBuffers, ReserveUntilTheyAreGivenBack) {
  OutputParams link;
  link.bytes_per_s = 1000;
  link.flow_credit_bytes = 10'000;
  link.flow_buffer_bytes = 25'000;
  FlowBuffers buffers({{link, link}, {link}}, {link, link}, 2, {});
  EXPECT_EQ(buffers.behind(0, PortId{1}), 1U);
  EXPECT_EQ(buffers.behind(1, PortId{0}), 2U);
  EXPECT_EQ(buffers.behind(NpuId{1}), 4U);
  FlowBuffers::Reserved flow;
  buffers.use(1, 1000, flow);
  buffers.use(1, 1000, flow);  // a second branch shares what the first has
  buffers.use(3, 1000, flow);
  EXPECT_EQ(flow.at(1).bytes, 10'000U);
  EXPECT_EQ(FlowBuffers::of_a_branch(flow, 1), 5000U);
  EXPECT_EQ(FlowBuffers::of_a_branch(flow, 3), 10'000U);
  for (int flows = 0; flows < 2; ++flows) {
    ASSERT_TRUE(buffers.fits(flow, 0));
    buffers.reserve(flow, 0);
  }
  EXPECT_FALSE(buffers.fits(flow, 0));
  EXPECT_TRUE(buffers.fits(flow, 1));  // another channel
  buffers.give_back(flow, 0);
  EXPECT_TRUE(buffers.fits(flow, 0));
  link.flow_buffer_bytes = 20'000;  // exactly two
  FlowBuffers exact({{link}}, {}, 1, {});
  FlowBuffers::Reserved one;
  exact.use(0, 1000, one);
  exact.reserve(one, 0);
  EXPECT_TRUE(exact.fits(one, 0));
  exact.reserve(one, 0);
  EXPECT_FALSE(exact.fits(one, 0));
  link.flow_buffer_bytes = 9999;
  FlowBuffers small({{link}}, {}, 1, {});
  EXPECT_THROW(small.use(0, 1000, one = {}), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm::test
