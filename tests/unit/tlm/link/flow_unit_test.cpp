// SPDX-License-Identifier: Apache-2.0
// What a flow unit lists for steady states while flows are admitted.
#include "tlm/link/flow_unit.h"

#include <gtest/gtest.h>

#include "tlm/acceleration/state_record.h"

namespace wafertlm::test {
namespace {

struct NoHost final : FlowUnitHost {
  void send_copy(PortId, std::uint32_t, Packet&, TimePs) override {}
  void return_flow_credit(PortId, Packet&, TimePs) override {}
  void branch_done(const Flow&, TimePs) override {}
  void request_flow_wake(TimePs) override {}
};

/// Two inputs are added up and go to output 0.
class OneBranch : public ::testing::Test {
 protected:
  OneBranch() {
    flow_.packets = 10;
    flow_.open = true;
    unit_.open(flow_, {{PortId{0}, PortId{1}}, {PortId{0}}, {{0, 1}}, {}}, {8192});
  }
  static FlowUnitParams params() {
    FlowUnitParams params;
    params.outputs = 2;
    params.credit_delay_ps = {0, 0};
    return params;
  }
  StateRecord listed(TimePs now) {
    StateRecord record;
    RecordState state(now, record);
    unit_.list_state(PortId{0}, state);
    return record;
  }
  NoHost host_;
  PacketPool packets_;
  Flow flow_;
  FlowUnit unit_{params(), packets_, host_};
};

// A component of plain messages that is ahead when a flow is admitted lists, when it is put back, what it
// listed before.
TEST_F(OneBranch, ListsNothingBeforeAPacketComes) {
  const StateRecord record = listed(1000);
  EXPECT_TRUE(record.values.empty());
  EXPECT_TRUE(record.counts.empty());
}

TEST_F(OneBranch, IsListedFromTheFirstPacketOn) {
  Packet& packet = packets_.acquire();
  packet.flow = &flow_;
  packet.wire_bytes = packet.payload_bytes = 4096;
  packet.tail_ps = 2000;
  unit_.arrive(PortId{1}, packet, 1000, 1000);
  const StateRecord record = listed(1000);
  EXPECT_FALSE(record.values.empty());
  // The output's copies and credits, combined and gone; of each input how many came; of the packet offset,
  // number, place.
  EXPECT_EQ(record.counts.size(), 2U + 2U + 2U + 3U);
  EXPECT_TRUE(listed(1000).values == record.values);
}

}  // namespace
}  // namespace wafertlm::test
