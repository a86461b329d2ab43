// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/packet_names.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

RtlEvent arrival(std::uint32_t port, std::uint32_t flow, std::uint64_t sequence) {
  RtlEvent event;
  event.kind = RtlEvent::Kind::arrive;
  event.port = port;
  event.flow = flow;
  event.sequence = sequence;
  return event;
}

TEST(RtlPacketNames, SayWhoseAPacketIs) {
  RtlPacketNames names;
  RtlEvent event = arrival(2, RtlEntry::of_message(4, 1), 7);
  event.origin = RtlOrigin{3, 9, 5, 2, 11};
  names.see(event);
  EXPECT_EQ(names.name(event.flow, 7), "packet 11 of NPU 3 to NPU 9, step 2 of collective 5, input 2");
  event.sequence = 8;
  event.origin = RtlOrigin{3, 9, 5, std::uint64_t{6} << 32 | 2, 0};  // of a ring in parts
  names.see(event);
  EXPECT_EQ(names.name(event.flow, 8),
            "packet 0 of NPU 3 to NPU 9, step 2 (part 6) of collective 5, input 2");
  event.sequence = 9;
  event.origin = RtlOrigin{3, 9, 0, 40, 1};
  names.see(event);
  EXPECT_EQ(names.name(event.flow, 9), "packet 1 of NPU 3 to NPU 9, tag 40, input 2");
  EXPECT_EQ(names.name(event.flow, 10), "a packet that did not come in");
}

TEST(RtlPacketNames, HaveAllSendersOfAnInNetworkFlow) {
  RtlPacketNames names;
  for (const std::uint32_t port : {6U, 1U}) {
    RtlEvent event = arrival(port, 12, 3);
    event.origin = RtlOrigin{port + 10, RtlOrigin::kNobody, 5, 0, 3};
    names.see(event);
  }
  EXPECT_EQ(names.name(12, 3), "packet 3 of NPUs 11, 16, in-network flow 0 of collective 5, inputs 1, 6");
}

TEST(RtlPacketNames, OfOlderRecordingsAreThoseOfHeaders) {
  RtlPacketNames names;
  names.see(arrival(2, RtlEntry::of_message(4, 1), 7));
  names.see(arrival(3, 12, 8));
  EXPECT_EQ(names.name(RtlEntry::of_message(4, 1), 7), "packet 7 to output 4, input 2");
  EXPECT_EQ(names.name(12, 8), "packet 8 of in-network flow 12, input 3");
}

TEST(RtlDivergence, IsToldWithNames) {
  const RtlDivergence data{RtlDivergenceKind::data, 20, 5, 6, 1, "a", "b"};
  EXPECT_EQ(to_text(data, "s", {}), "data at 20 ps, s, output 1, flow 5, sequence 6");
  const RtlNames names{[](auto, auto) { return "packet 1 of NPU 2 to NPU 3"; }, [](auto) { return "s->t"; }};
  EXPECT_EQ(to_text(data, "s", names),
            "data at 20 ps, s, output 1 (s->t): packet 1 of NPU 2 to NPU 3 (flow 5, sequence 6)");
  // A rule that no packet is known to have broken, at an input.
  EXPECT_EQ(
      to_text({RtlDivergenceKind::protocol, 20, RtlDivergence::kNoPacket, 0, 4, "a", "b", true}, "s", names),
      "protocol at 20 ps, s, input 4");
}

}  // namespace
}  // namespace wafertlm
