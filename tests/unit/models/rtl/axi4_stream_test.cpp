// SPDX-License-Identifier: Apache-2.0
// The bench on the pins of axi4_stream, with wires in C++ behind them: an input is joined to the output of
// its tdest.
#include <gtest/gtest.h>

#include <stdexcept>

#include "models/rtl/bench.h"
#include "tests/support/soft_rtl.h"
#include "tlm/kernel/say.h"

namespace wafertlm {
namespace {

using Words = std::vector<std::string>;

class Axi4StreamPins : public testing::Test, private RtlBenchHost {
 protected:
  RtlDesign design = wires();
  test::SoftRtl pins{design};
  std::unique_ptr<RtlBench> bench;
  Words told;
  std::vector<std::byte> data;

  static RtlDesign wires() {
    RtlDesign made;
    made.protocol = RtlProtocol::axi4_stream;
    made.ports = 3;
    made.flit_bits = 64;
    made.latency = 2;  // not of credits: they count when a head leaves
    return made;
  }
  void make(std::vector<std::uint32_t> rooms = {}) {
    pins.combinational = [this] { connect(); };
    bench = std::make_unique<RtlBench>(design, pins, RtlBenchParams{{}, std::move(rooms), {}},
                                       static_cast<RtlBenchHost&>(*this));
  }
  void connect() {
    for (const char* pin : {"m_tvalid", "s_tready"}) pins.clear(pin);
    for (std::uint32_t input = 0; input < design.ports; ++input) {
      if (pins.see("s_tvalid", input, 1) == 0) continue;
      const auto output = static_cast<std::uint32_t>(pins.see("s_tdest", input * 8, 8));
      pins.show("m_tvalid", output, 1, 1);
      for (const auto& [name, bits] : std::vector<std::pair<std::string, std::uint32_t>>{
               {"data", 64}, {"last", 1}, {"id", 16}, {"dest", 8}, {"user", 64}})
        pins.show("m_t" + name, output * bits, bits, pins.see("s_t" + name, input * bits, bits));
      pins.show("s_tready", input, 1, pins.see("m_tready", output, 1));
    }
  }
  static RtlEvent arrival(std::uint32_t from, std::uint32_t to, std::uint32_t flits, TimePs head_ps,
                          std::uint64_t sequence = 0) {
    RtlEvent event;
    event.kind = RtlEvent::Kind::arrive;
    event.now_ps = event.head_ps = event.tail_ps = head_ps;
    event.port = from;
    event.channel = 1;  // of the fabric; the module has one
    event.flow = RtlEntry::of_message(to, 2);
    event.sequence = sequence;
    event.flits = flits;
    event.bytes = flits * 8 - 3;
    for (std::uint32_t i = 0; i < event.bytes; ++i) event.data.push_back(static_cast<std::byte>(0x10 + i));
    return event;
  }
  void run(TimePs until = kNever - 1) {
    while (bench->next_wake_ps() <= until) bench->wake();
  }

 private:
  void head_out(std::uint32_t output, std::uint32_t, std::uint64_t sequence, TimePs at_ps) override {
    told.push_back(say(at_ps, " head at ", output, " #", sequence));
  }
  void packet_out(const RtlTransaction& packet, TimePs tail_ps) override {
    told.push_back(say(tail_ps, " all at ", packet.output, " #", packet.sequence));
    data = packet.data;
  }
  void broken_rule(const RtlDivergence& broken) override {
    told.push_back(say(broken.at_ps, " ", broken.output, ": ", broken.expected, "; seen: ", broken.got));
  }
};

// Through wires within the cycle; the clock stops after 8 cycles without a move.
TEST_F(Axi4StreamPins, AFlitInEachCycle) {
  make();
  bench->arrive(arrival(1, 2, 2, 5000, 7));
  run();
  EXPECT_EQ(pins.seen(), (Words{"5000 in 1: id a002 to 2 a002 #7 13 B, 13121110 17161514",
                                "6000 in 1: tail id a002 to 2 a002 #7 13 B, 1b1a1918 1c"}));
  EXPECT_EQ(told, (Words{"5000 head at 2 #7", "7000 all at 2 #7"}));
  EXPECT_EQ(data, arrival(1, 2, 2, 5000).data);
  EXPECT_EQ(bench->cycles(), 2U + 8);
  EXPECT_EQ(bench->inside(), 0U);
}

// The room behind output 2 is 3 flits: a second packet of two waits for a credit, one to output 0 does not.
TEST_F(Axi4StreamPins, AHeadLeavesWhenThereIsRoomForAllOfIt) {
  make({0, 0, 3});
  bench->arrive(arrival(1, 2, 2, 5000, 0));
  bench->arrive(arrival(1, 2, 2, 5000, 1));
  bench->arrive(arrival(0, 2, 1, 100'000, 2));
  bench->arrive(arrival(2, 0, 1, 7000, 3));
  bench->credit(2, 1, 1, 20'200, 5000);
  run(90'000);
  EXPECT_EQ(told, (Words{"5000 head at 2 #0", "7000 all at 2 #0", "7000 head at 0 #3", "8000 all at 0 #3",
                         "21000 head at 2 #1", "23000 all at 2 #1"}));
  run(150'000);
  EXPECT_EQ(bench->inside(), 1U);
  bench->credit(2, 0, 1, 160'000, 150'000);
  run();
  EXPECT_EQ(Words(told.begin() + 6, told.end()), (Words{"160000 head at 2 #2", "161000 all at 2 #2"}));
}

TEST_F(Axi4StreamPins, WhatIsShownStaysUntilItIsTaken) {
  make({0, 0, 1});
  bench->arrive(arrival(1, 2, 2, 5000));
  bench->wake();
  EXPECT_EQ(told, Words());
  const std::string change =
      "what goes with valid stays until ready; seen: tdata, tuser, tlast, tid or tdest changed "
      "without m_tready";
  // A bit of the values, of the payload's length, the end of the packet: each changes in one cycle only.
  TimePs now = 6000;
  for (const auto& [pin, bit] : std::vector<std::pair<std::string, std::uint32_t>>{
           {"m_tdata", 128}, {"m_tuser", 170}, {"m_tlast", 2}, {"m_tid", 33}, {"m_tdest", 18}}) {
    pins.combinational = [this, name = pin, at = bit] {
      connect();
      pins.show(name, at, 1, 1 - pins.see(name, at, 1));
    };
    told.clear();
    bench->wake();
    EXPECT_EQ(told, Words{say(now, " 2: ", change)});
    pins.combinational = [this] { connect(); };
    bench->wake();
    now += 2000;
  }
  told.clear();
  pins.combinational = [this] { pins.clear("m_tvalid"); };
  bench->wake();
  bench->wake();  // said once
  EXPECT_EQ(told, Words{say(now, " 2: valid stays until ready; seen: m_tvalid fell without m_tready")});
}

// With a packet inside the clock runs for 256 cycles after the flit has appeared at the output.
TEST_F(Axi4StreamPins, TheClockStopsWhileAHeadWaits) {
  make({0, 0, 1});
  bench->arrive(arrival(1, 2, 2, 5000));
  run();
  EXPECT_EQ(bench->cycles(), 1U + 256);
  EXPECT_EQ(bench->inside(), 1U);
}

TEST_F(Axi4StreamPins, TdestIsTheOutput) {
  make();
  pins.combinational = [this] {
    connect();
    pins.show("m_tdest", 16, 8, 9);
  };
  bench->arrive(arrival(1, 2, 1, 5000));
  run();
  EXPECT_EQ(told, (Words{"5000 2: a packet leaves where its flow goes; seen: a flit with tdest 9",
                         "5000 head at 2 #0", "6000 all at 2 #0"}));
}

TEST_F(Axi4StreamPins, TidIsTheFlowOfTheHeader) {
  make();
  pins.combinational = [this] {
    connect();
    if (pins.see("m_tlast", 2, 1) != 0) pins.show("m_tid", 32, 16, 9);
  };
  bench->arrive(arrival(1, 2, 2, 5000));
  run();
  EXPECT_EQ(
      told,
      (Words{"5000 head at 2 #0",
             "6000 2: the flits of a packet have the flow of its header as tid; seen: a flit with tid 9",
             "7000 all at 2 #0"}));
}

TEST_F(Axi4StreamPins, ARestartBeginsWithFreePins) {
  make({0, 0, 1});
  bench->arrive(arrival(1, 2, 2, 5000));
  run(8000);
  bench->restart();
  EXPECT_EQ(pins.see("s_tvalid", 0, 3), 0U);
  bench->arrive(arrival(1, 0, 1, 2000));
  run();
  EXPECT_EQ(told, (Words{"2000 head at 0 #0", "3000 all at 0 #0"}));
}

}  // namespace
}  // namespace wafertlm
