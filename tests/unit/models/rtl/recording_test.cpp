// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/recording.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

const std::string kHead =
    "wafertlm-rtl-recording 2\nswitch s ports 4 channels 2 flit_bytes 64 clock_hz 1000000000 tolerance 500\n"
    "model pipeline_ps 7 link_bytes_per_s 64000000000 flit_bytes 64 payload_bytes 128 wire_bytes 192 "
    "input_bytes 512 queue fifo credit_delay_ps 9 start_interval_ps 3\n"
    "rooms 8 0\n";

RtlRecordingHead head(std::optional<std::uint32_t> tolerance) {
  RtlRecordingHead head;
  head.switch_name = "s";
  head.ports = 4;
  head.channels = 2;
  head.flit_bytes = 64;
  head.clock_hz = 1'000'000'000;
  head.tolerance = tolerance;
  head.rooms = {8, 0};
  head.model = {7, 64'000'000'000, 64, 128, 192, 512, InputQueue::fifo, 9, 3};
  return head;
}

std::vector<RtlEvent> events() {
  RtlEvent open, arrive, credit, leave;
  open.kind = RtlEvent::Kind::open;
  open.now_ps = 5;
  open.entry.number = 9;
  open.entry.channel = 1;
  open.entry.priority = 2;
  open.entry.data_type = DataType::bf16;
  open.entry.first = 7;
  open.entry.packets = 3;
  open.entry.from_above = true;
  open.entry.inputs = {0, 2};
  open.entry.outputs = {3};
  open.entry.order = {{0, 1}};
  open.flow = 9;
  arrive.kind = RtlEvent::Kind::arrive;
  arrive.now_ps = 10;
  arrive.port = 3;
  arrive.channel = 1;
  arrive.flow = 9;
  arrive.sequence = 7;
  arrive.bytes = 3;
  arrive.flits = 1;
  arrive.head_ps = 11;
  arrive.tail_ps = 12;
  arrive.data = {std::byte{0x00}, std::byte{0x9a}, std::byte{0xff}};
  credit.kind = RtlEvent::Kind::credit;
  credit.now_ps = 20;
  credit.port = 1;
  credit.flits = 2;
  credit.head_ps = 25;
  leave.kind = RtlEvent::Kind::leave;
  leave.now_ps = 30;
  leave.port = 3;
  leave.flow = 9;
  leave.sequence = 7;
  leave.bytes = 3;
  leave.head_ps = 31;
  leave.tail_ps = 32;
  return {open, arrive, credit, leave};
}

TEST(RtlRecording, IsTheTextOfItsHeader) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/recording";
  RtlRecorder recorder(path);
  recorder.begin(head(500));
  for (const RtlEvent& event : events()) recorder.write(event);
  recorder.close();
  EXPECT_EQ(test::read_text(path),
            kHead +
                "open 5 9 1 2 bf16 7 3 1 inputs 2 0 2 outputs 1 3 order 1 0 1\n"
                "arrive 10 3 1 9 7 3 1 11 12 009aff\ncredit 20 1 0 2 25\nleave 30 3 0 9 7 3 31 32\n");
}

TEST(RtlRecording, WhatIsReadIsWhatWasWritten) {
  const test::TempFolder folder;
  for (const std::optional<std::uint32_t> tolerance : {std::optional<std::uint32_t>(500), {}}) {
    const std::string path = folder.path() + "/recording", again = folder.path() + "/again";
    RtlRecorder recorder(path);
    recorder.begin(head(tolerance));
    for (const RtlEvent& event : events()) recorder.write(event);
    recorder.close();
    RtlRecordingReader reader(path);
    EXPECT_EQ(reader.head().ports, 4U);
    EXPECT_EQ(reader.head().tolerance, tolerance);
    RtlRecorder copy(again);
    copy.begin(reader.head());
    RtlEvent event;
    std::size_t count = 0;
    while (reader.next(event)) {
      EXPECT_EQ(event.data, events()[count].data);
      EXPECT_EQ(event.flow, events()[count].flow);
      copy.write(event);
      ++count;
    }
    copy.close();
    EXPECT_EQ(count, 4U);
    EXPECT_EQ(test::read_text(again), test::read_text(path));
  }
}

// What comes meanwhile waits for the tail of a packet whose flits come one by one.
TEST(RtlRecording, ATailThatIsNotKnownYetKeepsTheOrder) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/recording";
  RtlRecorder recorder(path);
  recorder.begin(head(500));
  RtlEvent arrive = events()[1];
  arrive.data.clear();
  arrive.flit_times = std::make_shared<RtlFlitTimes>();
  recorder.write(arrive);
  recorder.write(events()[2]);
  *arrive.flit_times = {{11, 14}, 15};
  recorder.write(events()[3]);
  RtlEvent cut_off = arrive;
  cut_off.flit_times = std::make_shared<RtlFlitTimes>();
  cut_off.flit_times->at_ps = {21};
  recorder.write(cut_off);
  recorder.close();
  EXPECT_EQ(test::read_text(path), kHead +
                                       "arrive 10 3 1 9 7 3 1 11 15 flits 2 11 14\ncredit 20 1 0 2 25\n"
                                       "leave 30 3 0 9 7 3 31 32\n"
                                       "arrive 10 3 1 9 7 3 1 11 18446744073709551615 flits 1 21\n");
}

TEST(RtlRecording, TheOriginOfAPacketIsKept) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/recording";
  RtlRecorder recorder(path);
  recorder.begin(head({}));
  RtlEvent event = events()[1];
  event.origin = RtlOrigin{3, 5, 7, 8, 9};
  recorder.write(event);
  event.origin->destination = RtlOrigin::kNobody;
  event.data.clear();
  recorder.write(event);
  recorder.close();
  const std::string text = test::read_text(path);
  EXPECT_NE(text.find(" from 3 5 7 8 9 009aff\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" from 3 - 7 8 9\n"), std::string::npos) << text;
  RtlRecordingReader reader(path);
  ASSERT_TRUE(reader.next(event));
  EXPECT_EQ(event.origin->destination, 5U);
  EXPECT_EQ(event.origin->packet, 9U);
  EXPECT_EQ(event.data.size(), 3U);
  ASSERT_TRUE(reader.next(event));
  EXPECT_EQ(event.origin->source, 3U);
  EXPECT_EQ(event.origin->destination, RtlOrigin::kNobody);
  EXPECT_EQ(event.origin->collective, 7U);
  EXPECT_EQ(event.origin->step, 8U);
}

/// The message about a recording of this text; empty: it can be read.
std::string problem_of(const std::string& text) {
  const test::TempFolder folder;
  try {
    RtlRecordingReader reader(folder.write("r", text));
    RtlEvent event;
    while (reader.next(event)) {
    }
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    return message.substr(std::min(message.size(), folder.path().size() + 3));
  }
  return "";
}

TEST(RtlRecording, WrongLinesAreNamed) {
  const auto line = [](const std::string& text) { return problem_of(kHead + text + "\n"); };
  EXPECT_EQ(line("credit 1 3 1 2 4"), "");
  EXPECT_EQ(line("arrive 10 3 1 9 7 3 1 11 12 from 1 - 0 0 4"), "");
  EXPECT_EQ(line("arrive 10 3 1 9 7 3 1 11 12 from 1 2 3"),
            "5: expected 'from SOURCE DESTINATION COLLECTIVE STEP PACKET'");
  EXPECT_EQ(line("credit 1 4 1 2 4"), "5: a port or channel that the switch has not");
  EXPECT_EQ(line("credit 1 3 2 2 4"), "5: a port or channel that the switch has not");
  EXPECT_EQ(line("credit 1 3 1 2"), "5: expected 'credit NOW OUTPUT CHANNEL FLITS AT'");
  EXPECT_EQ(line("leave 1 3 1 9 7 3 31 32 0"), "5: an odd number of hex digits");
  EXPECT_EQ(line("leave 1 3 1 9 7 3 31 - 0g"), "5: data must be hex digits");
  EXPECT_EQ(line("leave 1 3 1 9 7 3"),
            "5: expected 'leave NOW OUTPUT CHANNEL ENTRY SEQUENCE BYTES HEAD TAIL'");
  EXPECT_EQ(line("arrive 1 3 1 9 7 3 1 11 12"), "");
  EXPECT_EQ(line("arrive 1 3 1 9 7 3 0 11 12"),
            "5: expected 'arrive NOW INPUT CHANNEL ENTRY SEQUENCE BYTES FLITS HEAD TAIL'");
  const std::string arrive = "arrive 1 3 1 9 7 128 2 11 13 ";
  EXPECT_EQ(line(arrive + "flits 2 11 12 from 1 - 0 0 4 00"), "");
  EXPECT_EQ(line(arrive + "flits 3 11 12 13"), "5: more times of flits than flits");
  EXPECT_EQ(line(arrive + "flits 2 11"), "5: expected 'flits N AT …'");
  EXPECT_EQ(line("leave 1 3 1 9 7 3 31 x"),
            "5: expected 'leave NOW OUTPUT CHANNEL ENTRY SEQUENCE BYTES HEAD TAIL'");
  EXPECT_EQ(line("go 1"), "5: unknown event 'go'; known: open, arrive, credit, leave");
  const std::string open = "open 5 9 1 2 int32 7 3 0 ";
  EXPECT_EQ(line(open + "inputs 4 0 1 2 3 outputs 1 3 order 3 0 1 0 2 0 3"), "");
  EXPECT_EQ(line(open + "inputs 5 0 1 2 3 0 outputs 1 3 order 0"), "5: a list of ports is wrong");
  EXPECT_EQ(line(open + "inputs 2 0 1 outputs 1 3 order 1 0 2"), "5: an addition of no input");
  EXPECT_EQ(line(open + "inputs 2 0 1 outputs 1 3 order 1 2 0"), "5: an addition of no input");
  for (const std::string order : {"order 0", "order 2 0 1 0 1", "order 5", "order"})
    EXPECT_EQ(line(open + "inputs 2 0 1 outputs 1 3 " + order), "5: the order of additions is wrong");
  EXPECT_EQ(line(open + "inputs 1 0 outputs 4 0 1 2 3 order 0"), "");
  EXPECT_EQ(line(open + "inputs 0 outputs 1 3 order 0"), "5: the order of additions is wrong");
  EXPECT_EQ(line("open 5 9 1 2 float 7 3 0 inputs 0 outputs 0 order 0"), "5: unknown data type float");
  EXPECT_EQ(line("credit 1 3 1 2 4\ncredit 1"), "6: expected 'credit NOW OUTPUT CHANNEL FLITS AT'");

  EXPECT_EQ(problem_of("something\n"),
            "1: expected 'wafertlm-rtl-recording 2'; this is no recording of a switch");
  EXPECT_EQ(problem_of("wafertlm-rtl-recording 2\n"), "2: the file ends");
  for (const std::string key : {"ports 4", "channels 2", "flit_bytes 64", "clock_hz 1000000000"}) {
    std::string text = kHead;
    text.replace(text.find(key), key.size(), key.substr(0, key.find(' ')) + " 0");
    EXPECT_EQ(problem_of(text).substr(0, 18), "2: expected 'switc") << key;
  }
  for (const std::string tolerance : {"many", "5x", "99999999999999999999"}) {
    std::string text = kHead;
    text.replace(text.find("500"), 3, tolerance);
    EXPECT_EQ(problem_of(text).substr(0, 18), "2: expected 'switc") << tolerance;
  }
  std::string other = kHead;
  other.replace(other.find("fifo"), 4, "lifo");
  EXPECT_EQ(problem_of(other), "3: expected 'model pipeline_ps … queue fifo|per_output …'");
  std::string text = kHead;
  text.replace(text.find("rooms"), 5, "space");
  EXPECT_EQ(problem_of(text), "4: expected 'rooms'");
  EXPECT_THROW(RtlRecordingReader("/nowhere/at/all"), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
