// SPDX-License-Identifier: Apache-2.0
// Rule 4 of the link engine, and a switch with another arbiter.
#include "tlm/link/cut_through_arbiter.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

#include "tlm/link/cut_through.h"

namespace wafertlm::test {
namespace {

/// Whose head has waited longest, whatever its class; of one time the lowest channel and input.
class OldestFirst final : public cut_through::Arbiter {
 public:
  Choice choose(cut_through::RequestSet& requests, cut_through::Output& output, TimePs now,
                TimePs& next) override {
    Choice choice;
    for (std::uint32_t vc = 0; vc < 16; ++vc) {
      if ((output.requesting_vcs >> vc & 1) == 0) continue;
      requests.for_each(output, vc, 0, [&](std::size_t input, cut_through::Queue& waiting) {
        std::uint32_t out = 0;
        if (waiting.eligible_ps > now || !output.choose_vc(waiting, now, out))
          next = std::min(next, output.earliest_start(waiting));
        else if (!choice.queue || waiting.first_eligible_ps() < choice.queue->first_eligible_ps())
          choice = {&waiting, input, vc, out};
        return true;
      });
    }
    return choice;
  }
  void list_state(const cut_through::Output&, StateVisitor&) override {}
};

/// An output that packets of 1000 bytes leave each nanosecond; who left, by input and channel.
class OneOutput final : private SwitchHost, private RouteFunction {
 public:
  using Left = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  OneOutput(std::size_t inputs, const ClassTable& classes, std::unique_ptr<cut_through::Arbiter> arbiter)
      : core_(params(inputs), classes, *this, *this, std::move(arbiter)) {}
  void arrive(std::uint32_t input, std::uint32_t vc, TimePs head_ps) {
    Packet& packet = packets_.emplace_back();
    packet.wire_bytes = packet.payload_bytes = 1000;
    packet.traffic_class = ClassId{static_cast<std::uint8_t>(vc)};
    packet.vc = VcId{static_cast<std::uint8_t>(vc)};
    core_.arrive(PortId{input}, packet, head_ps);
  }
  Left run() {
    for (TimePs now = 0; now < 1'000'000; now += 500) core_.wake(PortId{0}, now);
    return left_;
  }

 private:
  static SwitchParams params(std::size_t inputs) {
    SwitchParams made;
    made.credit_delay_ps.resize(inputs);
    made.outputs.resize(1);
    made.outputs[0].bytes_per_s = 1'000'000'000'000;
    made.outputs[0].buffer_bytes = 1'000'000;
    return made;
  }
  void forward(PortId, Packet& packet, TimePs) override {
    left_.emplace_back(input_, static_cast<std::uint32_t>(packet.vc));
  }
  void return_credit(PortId input, Packet&, TimePs) override { input_ = static_cast<std::uint32_t>(input); }
  void request_wake(PortId, TimePs) override {}
  PortId output_for(const Packet&) const override { return PortId{0}; }

  CutThroughSwitch core_;
  std::deque<Packet> packets_;
  std::uint32_t input_ = 0;
  Left left_;
};

ClassTable two_classes(std::uint32_t priority_of_second) {
  return ClassTable({{"a", 0, 1, 0}, {"b", 1, 1, priority_of_second}}, 2);
}

/// Input 0 brings three packets of class a, then input 1 of class b, a nanosecond later each.
OneOutput::Left in_order(const ClassTable& classes, std::unique_ptr<cut_through::Arbiter> arbiter) {
  OneOutput one(2, classes, std::move(arbiter));
  for (TimePs k = 0; k < 3; ++k) one.arrive(0, 0, 1000 * k);
  for (TimePs k = 0; k < 3; ++k) one.arrive(1, 1, 500 + 1000 * k);
  return one.run();
}

TEST(Arbiter, ServesByPriorityThenInTurn) {
  const ClassTable equal = two_classes(0), above = two_classes(1);
  EXPECT_EQ(in_order(equal, nullptr), (OneOutput::Left{{0, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 0}, {1, 1}}));
  EXPECT_EQ(in_order(above, nullptr), (OneOutput::Left{{0, 0}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}}));
}

TEST(Arbiter, MayBeAnotherOne) {
  const ClassTable above = two_classes(1);
  OneOutput one(2, above, std::make_unique<OldestFirst>());
  one.arrive(0, 0, 0);
  one.arrive(0, 0, 500);
  one.arrive(1, 1, 1000);
  one.arrive(1, 1, 1000);
  // Both of input 0 are ready when the first has left at 1000; its head is eligible since then as the other
  // one is, and has the lower channel.
  EXPECT_EQ(one.run(), (OneOutput::Left{{0, 0}, {0, 0}, {1, 1}, {1, 1}}));
}

/// The inputs of a channel take turns, also those whose bits do not fit a word.
TEST(Arbiter, GoesRoundMoreInputsThanAWordHas) {
  const ClassTable classes = two_classes(0);
  OneOutput one(130, classes, nullptr);
  OneOutput::Left expected;
  for (int round = 0; round < 2; ++round) {
    for (const std::uint32_t input : {129U, 5U, 64U, 63U}) one.arrive(input, 0, 0);
    for (const std::uint32_t input : {5U, 63U, 64U, 129U}) expected.emplace_back(input, 0);
  }
  EXPECT_EQ(one.run(), expected);
}

}  // namespace
}  // namespace wafertlm::test
