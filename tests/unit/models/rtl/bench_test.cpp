// SPDX-License-Identifier: Apache-2.0
// The bench on the pins of credit_stream, with a module in C++ behind them: what is on which pin in which
// cycle.
#include "models/rtl/bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/support/refusal.h"
#include "tests/support/soft_rtl.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

using Lines = std::vector<std::string>;

/// Four ports, flits of 8 B, three channels, 4 credits at the inputs and 3 at the outputs, 3 cycles, 1 GHz.
RtlDesign small_design() {
  RtlDesign design;
  design.name = "small";
  design.protocol = RtlProtocol::credit_stream;
  design.ports = 4;
  design.flit_bits = 64;
  design.channels = 3;
  design.depth = 4;
  design.out_depth = 3;
  design.latency = 3;
  return design;
}

class RtlBenchPins : public testing::Test, private RtlBenchHost {
 protected:
  RtlDesign design = small_design();
  test::SoftRtl pins{design};
  test::DelayLine module{design, pins};
  std::unique_ptr<RtlBench> bench;
  Lines told;  // by the bench
  std::vector<RtlTransaction> out;

  void make(std::vector<std::uint32_t> rooms = {}, RtlConfiguration configuration = {}) {
    bench = std::make_unique<RtlBench>(design, pins,
                                       RtlBenchParams{{}, std::move(rooms), std::move(configuration)},
                                       static_cast<RtlBenchHost&>(*this));
  }
  /// Of a message; at the speed of the clock, its values are 1, 2, 3, …
  static RtlEvent arrival(std::uint32_t from, std::uint32_t to, std::uint32_t channel, std::uint32_t flits,
                          TimePs head_ps, std::uint64_t sequence = 0) {
    RtlEvent event;
    event.kind = RtlEvent::Kind::arrive;
    event.now_ps = event.head_ps = head_ps;
    event.tail_ps = head_ps + TimePs{flits} * 1000;
    event.port = from;
    event.channel = channel;
    event.flow = RtlEntry::of_message(to, 0);
    event.sequence = sequence;
    event.flits = flits;
    event.bytes = flits * 8 - 4;
    for (std::uint32_t i = 0; i < event.bytes; ++i) event.data.push_back(static_cast<std::byte>(i + 1));
    return event;
  }
  static RtlEvent arrival_of(const RtlEntry& entry, std::uint32_t from, TimePs head_ps,
                             std::uint64_t sequence = 0) {
    RtlEvent event = arrival(from, 0, entry.channel, 1, head_ps, sequence);
    event.flow = entry.number;
    return event;
  }
  void run(TimePs until = kNever - 1) {
    while (bench->next_wake_ps() <= until) bench->wake();
  }
  /// What was seen at the inputs, each without values.
  Lines seen(std::ptrdiff_t but_first = 0) const {
    Lines lines;
    for (const std::string& line : pins.seen()) lines.push_back(line.substr(0, line.find(',')));
    return {lines.begin() + std::min(but_first, static_cast<std::ptrdiff_t>(lines.size())), lines.end()};
  }
  Lines seen_with(const std::string& part) const {
    Lines lines;
    for (const std::string& line : seen())
      if (line.find(part) != std::string::npos) lines.push_back(line);
    return lines;
  }
  Lines pending() const {
    Lines lines;
    for (const RtlDivergence& each : bench->pending()) lines.push_back(each.got);
    return lines;
  }
  /// The module sends this flit at the next edge.
  void send(std::uint32_t output, std::uint32_t channel, bool head, bool tail, std::uint32_t flow,
            std::uint32_t sequence = 0, std::uint32_t bytes = 12) {
    pins.at_edge = [=] {
      pins.clear("out_valid");
      pins.show("out_valid", output, 1, 1);
      pins.show("out_head", output, 1, head);
      pins.show("out_tail", output, 1, tail);
      pins.show("out_vc", output * 2, 2, channel);
      pins.show("out_header", output * 64, 64, RtlHeader{flow, sequence, bytes}.bits());
    };
    bench->wake();
  }

 private:
  void head_out(std::uint32_t output, std::uint32_t flow, std::uint64_t sequence, TimePs at_ps) override {
    told.push_back(say(at_ps, " head at ", output, " of ", flow, " #", sequence));
  }
  void packet_out(const RtlTransaction& packet, TimePs tail_ps) override {
    told.push_back(say(tail_ps, " all at ", packet.output, " of ", packet.flow, " #", packet.sequence));
    out.push_back(packet);
  }
  void broken_rule(const RtlDivergence& broken) override {
    told.push_back(say(
        broken.at_ps, broken.at_input ? " in " : " out ", broken.output, ": ", broken.expected,
        "; seen: ", broken.got,
        broken.flow == RtlDivergence::kNoPacket ? "" : say(" (", broken.flow, " #", broken.sequence, ")")));
  }
};

// The head is out 3 cycles after it was given, the tail two cycles later; each credit goes back a cycle after
// its flit. The header has 24 bits for the sequence. The clock stops 8 cycles after the last credit.
TEST_F(RtlBenchPins, AMessageGoesThroughFlitByFlit) {
  make();
  EXPECT_EQ(bench->next_wake_ps(), kNever);
  bench->arrive(arrival(1, 2, 1, 3, 5000, 0x100'0007));
  EXPECT_EQ(bench->next_wake_ps(), 5001U);
  EXPECT_EQ(bench->inside(), 1U);
  run();
  EXPECT_EQ(pins.resets(), 4U);
  EXPECT_EQ(pins.seen(), (Lines{"5000 in 1: head vc 1 8002 #7 20 B, 4030201 8070605",
                                "6000 in 1: vc 1 8002 #7 20 B, c0b0a09 100f0e0d",
                                "7000 in 1: tail vc 1 8002 #7 20 B, 14131211 0", "9000 credit 2 vc 1",
                                "10000 credit 2 vc 1", "11000 credit 2 vc 1"}));
  EXPECT_EQ(told, (Lines{"8000 head at 2 of 32770 #16777223", "11000 all at 2 of 32770 #16777223"}));
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].arrival_ps, 5000U);
  EXPECT_EQ(out[0].head_ps, 8000U);
  EXPECT_EQ(out[0].bytes, 20U);
  EXPECT_EQ(out[0].data, arrival(1, 2, 1, 3, 5000).data);
  EXPECT_EQ(bench->inside(), 0U);
  EXPECT_EQ(bench->cycles(), 15U);
}

// 7000 ps for three flits from 5001 ps on: they are there at 5001, 8001 and 11001 ps.
TEST_F(RtlBenchPins, FlitsOfASlowPacketComeOneByOne) {
  make();
  RtlEvent slow = arrival(3, 0, 2, 3, 5001);
  slow.tail_ps = 12'001;
  slow.data.clear();
  bench->arrive(slow);
  run();
  EXPECT_EQ(seen(),
            (Lines{"6000 in 3: head vc 2 8000 #0 20 B", "9000 in 3: vc 2 8000 #0 20 B", "10000 credit 0 vc 2",
                   "12000 in 3: tail vc 2 8000 #0 20 B", "13000 credit 0 vc 2", "16000 credit 0 vc 2"}));
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].arrival_ps, 5001U);
  EXPECT_EQ(out[0].data, made_up_data(DataType::int32, RtlEntry::of_message(0, 0), 0, 3, 20));
}

// The earliest head, then the lowest channel; packets do not mix.
TEST_F(RtlBenchPins, AnInputTakesThePacketsOfItsChannelsAsTheyCame) {
  make();
  bench->arrive(arrival(0, 3, 0, 2, 9000));
  bench->arrive(arrival(0, 2, 2, 2, 6000));
  bench->arrive(arrival(0, 1, 1, 2, 6000));
  EXPECT_EQ(bench->next_wake_ps(), 6001U);
  run();
  EXPECT_EQ(seen_with("in"),
            (Lines{"6000 in 0: head vc 1 8001 #0 12 B", "7000 in 0: tail vc 1 8001 #0 12 B",
                   "8000 in 0: head vc 2 8002 #0 12 B", "9000 in 0: tail vc 2 8002 #0 12 B",
                   "10000 in 0: head vc 0 8003 #0 12 B", "11000 in 0: tail vc 0 8003 #0 12 B"}));
  EXPECT_EQ(out.size(), 3U);
}

// DEPTH flits of a channel go in; another channel passes. With packets inside the clock runs for 256 cycles
// without a move.
TEST_F(RtlBenchPins, WithoutCreditsNothingGoesIn) {
  make();
  module.is_held = [](std::uint32_t) { return true; };
  bench->arrive(arrival(1, 2, 1, 6, 5000, 9));
  bench->arrive(arrival(0, 1, 1, 1, 7000, 10));
  bench->arrive(arrival(0, 3, 1, 4, 7000, 11));  // there are credits for three
  bench->arrive(arrival(0, 3, 0, 1, 8000, 12));
  run();
  EXPECT_EQ(seen(), (Lines{"5000 in 1: head vc 1 8002 #9 44 B", "6000 in 1: vc 1 8002 #9 44 B",
                           "7000 in 0: head tail vc 1 8001 #10 4 B", "7000 in 1: vc 1 8002 #9 44 B",
                           "8000 in 0: head tail vc 0 8003 #12 4 B", "8000 in 1: vc 1 8002 #9 44 B"}));
  EXPECT_EQ(bench->cycles(), 4U + 256);
  EXPECT_EQ(bench->next_wake_ps(), kNever);
  EXPECT_EQ(pending(), (Lines{"entry 32770, sequence 9: has not left output 2",
                              "entry 32769, sequence 10: has not left output 1",
                              "entry 32771, sequence 12: has not left output 3",
                              "entry 32771, sequence 11: has not left output 3"}));
  module.is_held = [](std::uint32_t) { return false; };
  bench->arrive(arrival(2, 1, 0, 1, 400'000));
  run();
  EXPECT_EQ(out.size(), 5U);
  EXPECT_EQ(pending(), Lines());
}

std::vector<std::uint32_t> rooms_at(std::size_t output, std::uint32_t room) {
  std::vector<std::uint32_t> rooms(12);
  for (std::size_t channel = 0; channel < 3; ++channel) rooms[output * 3 + channel] = room;
  return rooms;
}

// Room for 4: beside OUT_DEPTH one flit is free. The next credits are needed when a head leaves, and given 3
// cycles before that, also when the clock stood then.
TEST_F(RtlBenchPins, CreditsFollowTheRoomBehindAnOutput) {
  make(rooms_at(2, 4));
  bench->arrive(arrival(1, 2, 1, 3, 5000));
  run();
  EXPECT_EQ(seen(3), (Lines{"9000 credit 2 vc 1"}));
  const std::uint64_t before = bench->cycles();
  EXPECT_EQ(before, 14U);  // 5000 to 10000, where the last flit leaves, and 8 more
  bench->credit(2, 1, 1, 50'200, 30'000);
  bench->credit(2, 1, 1, 41'000, 30'000);
  bench->credit(3, 1, 1, 41'000, 30'000);  // no limit there
  EXPECT_EQ(bench->next_wake_ps(), kNever);
  bench->arrive(arrival(1, 2, 1, 1, 60'000, 1));
  EXPECT_EQ(bench->next_wake_ps(), 60'001U);
  run();
  EXPECT_EQ(seen(4),
            (Lines{"38000 credit 2 vc 1", "48000 credit 2 vc 1", "60000 in 1: head tail vc 1 8002 #1 4 B"}));
  EXPECT_EQ(bench->cycles(), before + 2 + 12);  // 60000 to 63000, and 8 more
}

// The clock goes on by itself for a credit that is announced to packets inside.
TEST_F(RtlBenchPins, ACreditWakesTheClockForWhatIsInside) {
  make(rooms_at(2, 3));
  bool is_held = true;
  module.is_held = [&](std::uint32_t) { return is_held; };
  bench->arrive(arrival(1, 2, 0, 1, 5000));
  run(270'000);
  EXPECT_EQ(bench->next_wake_ps(), kNever);
  is_held = false;
  bench->credit(2, 0, 2, 903'500, 280'000);
  run();
  EXPECT_EQ(told, (Lines{"901000 head at 2 of 32770 #0", "902000 all at 2 of 32770 #0"}));
  EXPECT_EQ(bench->cycles(), 1U + 256 + 2 + 8);
  // With all credits at the module there is none to give before the flit has left.
  EXPECT_EQ(seen(1), (Lines{"902000 credit 2 vc 0"}));
}

// Two flits of each channel have left without room: the channels get their credits in turns.
TEST_F(RtlBenchPins, CreditsOfAnOutputGoRound) {
  make(rooms_at(3, 3));
  for (std::uint32_t channel = 0; channel < 3; ++channel)
    bench->arrive(arrival(0, 3, channel, 2, 5000 + channel));
  bench->arrive(arrival(2, 1, 0, 1, 30'000));
  for (std::uint32_t channel = 0; channel < 3; ++channel) bench->credit(3, channel, 2, 43'000, 5000);
  run(42'000);
  bench->arrive(arrival(2, 1, 0, 1, 50'000, 1));
  run();
  EXPECT_EQ(seen_with("credit 3"),
            (Lines{"40000 credit 3 vc 0", "41000 credit 3 vc 1", "42000 credit 3 vc 2", "43000 credit 3 vc 0",
                   "44000 credit 3 vc 1", "45000 credit 3 vc 2"}));
}

TEST_F(RtlBenchPins, OutDepthMustFitTheRoomBehind) {
  make(rooms_at(1, 3));
  std::vector<std::uint32_t> rooms(12);
  rooms[7] = 2;
  EXPECT_EQ(
      test::refusal_of([&] { make(rooms); }),
      "the RTL design 'small' starts with OUT_DEPTH=3 credits, and behind its output 2 there is room for 2 "
      "flits: make the input buffers of the fabric larger, or OUT_DEPTH smaller");
}

RtlEntry entry_of(std::uint32_t number, std::uint32_t output, std::uint64_t first = 0) {
  RtlEntry entry;
  entry.number = number;
  entry.channel = 2;
  entry.first = first;
  entry.packets = 4;
  entry.inputs = {0, 1};
  entry.outputs = {output};
  entry.order = {{0, 1}};
  return entry;
}

// In the order in which the first packet of a number came, at all inputs.
TEST_F(RtlBenchPins, PacketsOfFlowsGoInInOneOrder) {
  make();
  module.outputs_of = [](const RtlHeader& header, std::uint32_t input) {
    return input == 1 ? std::vector<std::uint32_t>{header.flow == 3 ? 2U : 3U} : std::vector<std::uint32_t>{};
  };
  const RtlEntry three = entry_of(3, 2), five = entry_of(5, 3);
  for (const RtlEntry& entry : {three, five}) bench->open(entry, 1000);
  EXPECT_EQ(bench->next_wake_ps(), kNever);
  bench->arrive(arrival_of(five, 0, 5000));
  bench->arrive(arrival_of(three, 0, 6000));
  bench->arrive(arrival_of(three, 1, 7000));
  EXPECT_EQ(pending(),
            (Lines{"entry 3, sequence 0: has not left output 2", "entry 5, sequence 0: waits for 1 inputs"}));
  run(8000);
  bench->arrive(arrival_of(five, 1, 9000));
  run();
  EXPECT_EQ(seen_with("in"),
            (Lines{"5000 in 0: head tail vc 2 5 #0 4 B", "6000 in 0: head tail vc 2 3 #0 4 B",
                   "9000 in 1: head tail vc 2 5 #0 4 B", "10000 in 1: head tail vc 2 3 #0 4 B"}));
  EXPECT_EQ(told, (Lines{"12000 head at 3 of 5 #0", "13000 all at 3 of 5 #0", "13000 head at 2 of 3 #0",
                         "14000 all at 2 of 3 #0"}));
  EXPECT_EQ(out.at(0).arrival_ps, 9000U);  // of the last input
  EXPECT_EQ(bench->inside(), 0U);
  EXPECT_THROW(bench->arrive(arrival_of(entry_of(4, 2), 0, 20'000)), std::logic_error);
}

// A word in each cycle, before the first packet; those of the next user of an entry when the last one is
// gone.
TEST_F(RtlBenchPins, EntriesAreConfiguredBeforeTheirPackets) {
  make({}, [](const RtlEntry& entry) {
    return std::vector<std::pair<std::uint32_t, std::uint32_t>>{
        {4, static_cast<std::uint32_t>(entry.packets)}, {2, static_cast<std::uint32_t>(entry.first)}, {1, 9}};
  });
  module.outputs_of = [](const RtlHeader&, std::uint32_t input) {
    return input == 1 ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{};
  };
  const RtlEntry first = entry_of(3, 2), second = entry_of(3, 2, 1);
  bench->open(first, 4000);
  EXPECT_EQ(bench->next_wake_ps(), 4001U);
  for (const std::uint32_t input : {0U, 1U}) bench->arrive(arrival_of(first, input, 5000));
  run(6500);
  bench->open(second, 6500);
  for (const std::uint32_t input : {0U, 1U}) bench->arrive(arrival_of(second, input, 7000, 1));
  run();
  // Out at 9000 ps: from the next edge on the entry is free.
  EXPECT_EQ(seen(),
            (Lines{"4000 cfg 3 [4] = 4", "5000 cfg 3 [2] = 0", "6000 in 0: head tail vc 2 3 #0 4 B",
                   "6000 in 1: head tail vc 2 3 #0 4 B", "6000 cfg 3 [1] = 9", "10000 credit 2 vc 2",
                   "10000 cfg 3 [4] = 4", "11000 cfg 3 [2] = 1", "12000 in 0: head tail vc 2 3 #1 4 B",
                   "12000 in 1: head tail vc 2 3 #1 4 B", "12000 cfg 3 [1] = 9", "16000 credit 2 vc 2"}));
  EXPECT_EQ(out.size(), 2U);
}

TEST_F(RtlBenchPins, ARestartForgetsEverything) {
  make(rooms_at(2, 3));
  module.is_held = [](std::uint32_t) { return true; };
  bench->open(entry_of(3, 2), 1000);
  bench->arrive(arrival(1, 2, 1, 6, 5000));
  run(6500);
  bench->restart();
  EXPECT_EQ(bench->inside(), 0U);
  EXPECT_EQ(bench->next_wake_ps(), kNever);
  EXPECT_THROW(bench->arrive(arrival_of(entry_of(3, 2), 0, 2000)), std::logic_error);
  bench->arrive(arrival(1, 3, 1, 6, 2000));
  run(10'000);
  EXPECT_EQ(seen(2), (Lines{"2000 in 1: head vc 1 8003 #0 44 B", "3000 in 1: vc 1 8003 #0 44 B",
                            "4000 in 1: vc 1 8003 #0 44 B", "5000 in 1: vc 1 8003 #0 44 B"}));
}

TEST_F(RtlBenchPins, ALackOfCreditsAndFramesIsSaid) {
  make(rooms_at(2, 3));
  bench->arrive(arrival(1, 2, 1, 2, 5000));
  bench->wake();
  send(2, 1, false, true, 0x8002);  // at 6000 ps, while the packet goes in
  send(2, 1, true, false, 0x8002);
  send(2, 1, true, false, 0x8002);
  send(2, 1, false, true, 0x8002);
  const std::string framing = "the packets of a channel have a head and a tail, and do not mix; seen: ";
  EXPECT_EQ(
      told,
      (Lines{
          "6000 out 2: " + framing + "a flit that follows no head", "7000 head at 2 of 32770 #0",
          "8000 out 2: " + framing + "a head within a packet (32770 #0)", "8000 head at 2 of 32770 #0",
          "9000 out 2: a flit leaves only with a credit; seen: out_valid on channel 1 with none (32770 #0)",
          "10000 all at 2 of 32770 #0"}));
}

TEST_F(RtlBenchPins, PacketsThatAreNotDueAreSaid) {
  make();
  bench->arrive(arrival(1, 2, 1, 2, 5000));
  bench->wake();
  send(2, 1, true, true, 0x8002, 4);
  send(3, 0, true, true, 0x8002);
  send(2, 1, true, true, 0x8002);
  send(2, 1, true, true, 0x8002);
  EXPECT_EQ(
      told,
      (Lines{"6000 out 2: the header is of a packet that came in and has not left; seen: header c0000048002 "
             "(32770 #4)",
             "7000 out 3: a packet leaves where its flow goes; seen: a packet to output 2 (32770 #0)",
             "8000 head at 2 of 32770 #0",
             "8000 out 2: a packet leaves with as many flits as it came; seen: a tail with flit 1 of 2 "
             "(32770 #0)",
             "9000 all at 2 of 32770 #0",
             "9000 out 2: the header is of a packet that came in and has not left; seen: header c0000008002 "
             "(32770 #0)"}));
  ASSERT_EQ(out.size(), 1U);
  EXPECT_TRUE(out[0].data.empty());  // a flit is missing: there is nothing to compare
}

TEST_F(RtlBenchPins, ATailThatIsMissingIsSaid) {
  make();
  bench->arrive(arrival(1, 2, 1, 2, 5000));
  bench->wake();
  send(2, 1, true, false, 0x8002);
  send(2, 1, false, false, 0x8002);
  EXPECT_EQ(
      told.back(),
      "7000 out 2: a packet leaves with as many flits as it came; seen: no tail with flit 2 of 2 (32770 #0)");
}

TEST_F(RtlBenchPins, ChannelAndHeaderLeaveAsTheyCame) {
  for (const std::uint32_t class_channels : {1U, 2U}) {
    design.parameters = {say("CLASS_VC=", class_channels)};
    make();
    told.clear();
    pins.at_edge = [this] { pins.clear("out_valid"); };
    bench->arrive(arrival(1, 2, 1, 2, 5000));
    bench->wake();
    send(2, 0, true, false, 0x8002, 0, 8);
    Lines expected;
    if (class_channels == 1)  // else both are of one class
      expected.push_back(
          "6000 out 2: a packet leaves on a channel of the class it came on; seen: channel 0 in place of 1 "
          "(32770 #0)");
    expected.push_back(
        "6000 out 2: a packet leaves with the header with which it came; seen: 8 payload bytes in place of "
        "12 (32770 #0)");
    expected.push_back("6000 head at 2 of 32770 #0");
    EXPECT_EQ(told, expected);
  }
}

// Of one input, channel and output; a packet of another input has an order of its own.
TEST_F(RtlBenchPins, PacketsKeepTheirOrder) {
  make();
  module.is_held = [](std::uint32_t) { return true; };
  bench->arrive(arrival(1, 2, 1, 1, 5000, 7));
  bench->arrive(arrival(1, 2, 1, 1, 6000, 8));
  bench->arrive(arrival(3, 2, 1, 1, 7000, 9));
  run(8000);
  for (const std::uint32_t sequence : {9U, 8U, 7U}) send(2, 1, true, true, 0x8002, sequence, 4);
  Lines broken;
  for (const std::string& line : told)
    if (line.find("; seen: ") != std::string::npos) broken.push_back(line.substr(line.find("out")));
  EXPECT_EQ(
      broken,
      (Lines{"out 2: packets leave an output in the order in which they entered; seen: after sequence 8, "
             "which entered behind it (32770 #7)"}));
}

TEST_F(RtlBenchPins, WrongCreditsAndChannelsAreSaid) {
  make();
  bench->arrive(arrival(1, 2, 1, 1, 5000));
  bench->wake();
  const auto credit = [this](std::uint32_t channel) {
    pins.at_edge = [this, channel] {
      pins.show("in_credit", 1, 1, 1);
      pins.show("in_credit_vc", 2, 2, channel);
    };
    bench->wake();
    pins.clear("in_credit");
  };
  credit(1);
  credit(1);
  credit(3);
  send(0, 3, true, true, 0x8002);
  EXPECT_EQ(
      told,
      (Lines{"7000 in 1: an input gives no more credits back than flits came; seen: in_credit on channel 1 "
             "with all 4 credits at the sender",
             "8000 in 1: the channel is one of the module's; seen: in_credit_vc is 3",
             "9000 out 0: the channel is one of the module's; seen: out_vc is 3"}));
}

TEST_F(RtlBenchPins, WhatIsValidInAResetIsSaid) {
  make();
  pins.is_wild_in_reset = true;
  pins.show("out_valid", 2, 1, 1);
  pins.show("in_credit", 0, 1, 1);
  bench->restart();
  EXPECT_EQ(
      told,
      (Lines{
          "0 out 2: nothing is valid while the reset is held; seen: out_valid is 1 after 4 cycles of reset",
          "0 in 0: nothing is valid while the reset is held; seen: in_credit is 1 after 4 cycles of reset"}));
}

// A module that does not wait for all inputs.
TEST_F(RtlBenchPins, WhatLeftTooEarlyStaysPending) {
  make();
  module.outputs_of = [](const RtlHeader&, std::uint32_t input) {
    return input == 0 ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{};
  };
  const RtlEntry entry = entry_of(3, 2);
  bench->open(entry, 1000);
  bench->arrive(arrival_of(entry, 0, 5000));
  run(20'000);
  EXPECT_EQ(out.size(), 1U);
  EXPECT_EQ(pending(), Lines{"entry 3, sequence 0: waits for 1 inputs"});
  bench->arrive(arrival_of(entry, 1, 30'000));
  run();
  EXPECT_EQ(pending(), Lines{"entry 3, sequence 0: has left before all its inputs came"});
}

}  // namespace
}  // namespace wafertlm
