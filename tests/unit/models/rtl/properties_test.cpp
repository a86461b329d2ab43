// SPDX-License-Identifier: Apache-2.0
// What decides on times in a model and in its RTL: each difference is said, and none is invented.
#include "models/rtl/properties.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

/// A router and its model that agree: flits of 32 B at 1 GHz, 56 flits of room everywhere.
struct RtlProperties : testing::Test {
  RtlModelFacts model;
  RtlDesign design;
  RtlClock clock;
  std::vector<std::uint32_t> rooms{56, 56, 0, 56};

  RtlProperties() {
    model.pipeline_ps = 3000;
    model.link_bytes_per_s = 32'000'000'000;
    model.flit_bytes = 32;
    model.payload_bytes = model.wire_bytes = 256;
    model.input_bytes = 56 * 32;
    model.queue = InputQueue::per_output;
    design.flit_bits = 256;
    design.latency = 3;
    design.input_flits = design.out_depth = 56;
    design.queue = InputQueue::per_output;
  }
  std::vector<RtlProperty> properties() const { return rtl_properties(model, design, clock, rooms); }
  /// Which differ, and what is said of the first.
  std::vector<std::string> differing() const { return names_of_differing(properties()); }
  RtlProperty first() const {
    for (const RtlProperty& each : properties())
      if (each.differs) return each;
    return {};
  }
};

using Names = std::vector<std::string>;

TEST_F(RtlProperties, EqualOnesDoNotDiffer) {
  EXPECT_EQ(differing(), Names{});
  for (const RtlProperty& each : properties()) EXPECT_EQ(each.set, "") << each.what;
}

TEST_F(RtlProperties, HeaderBytesMakeAPacketLonger) {
  model.wire_bytes = 320;
  EXPECT_EQ(differing(), (Names{"flits per packet"}));
  EXPECT_EQ(first().model, "10 (320 B with 64 B of header)");
  EXPECT_EQ(first().rtl, "8 (the header is beside them)");
}

TEST_F(RtlProperties, PipelinesOfOneAndThreeCycles) {
  model.pipeline_ps = 1000;
  EXPECT_EQ(differing(), (Names{"pipeline"}));
  EXPECT_EQ(first().set, "a pipeline of 3000 ps in the fabric, or LATENCY");
  model.pipeline_ps = 2501;  // a head waits for its edge in any case
  EXPECT_EQ(differing(), Names{});
}

TEST_F(RtlProperties, OutDepthAgainstTheRoomBehind) {
  design.out_depth = 16;
  EXPECT_EQ(differing(), (Names{"room behind an output"}));
  EXPECT_EQ(first().model, "56 flits");
  EXPECT_EQ(first().rtl, "16 flits (OUT_DEPTH)");
}

TEST_F(RtlProperties, AFifoAgainstAQueueForEachOutput) {
  design.queue = InputQueue::fifo;
  EXPECT_EQ(differing(), (Names{"queues of an input"}));
  EXPECT_EQ(first().set, "wafer.fabric.input_queue=fifo");
  design.queue = {};
  EXPECT_EQ(differing(), Names{});
}

TEST_F(RtlProperties, AFifoOf16FlitsAgainst56) {
  design.protocol = RtlProtocol::axi4_stream;
  design.input_flits = 16;
  design.out_depth = 0;
  EXPECT_EQ(differing(), (Names{"room at an input"}));
  EXPECT_EQ(first().rtl, "16 flits (DEPTH)");
}

TEST_F(RtlProperties, FlitsAndRates) {
  model.flit_bytes = 0;
  EXPECT_EQ(differing(), (Names{"flit"}));
  model.flit_bytes = 32;
  clock.hz = 1'000'500'000;  // within what fits a switch, and yet slower or faster in the long run
  EXPECT_EQ(differing(), (Names{"rate of a port"}));
}

// What nobody has declared is named as such.
TEST_F(RtlProperties, NotKnown) {
  design = RtlDesign{};
  design.flit_bits = 256;
  model.input_bytes = 0;
  EXPECT_EQ(differing(), Names{});
  std::string unknown;
  for (const RtlProperty& each : properties())
    if (each.rtl == "not known") unknown += each.what + ";";
  EXPECT_EQ(
      unknown,
      "pipeline;room at an input;room behind an output;queues of an input;credit after a tail;starts of "
      "an input;");
}

}  // namespace
}  // namespace wafertlm
