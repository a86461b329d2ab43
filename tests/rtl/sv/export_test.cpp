// SPDX-License-Identifier: Apache-2.0
// What `wafertlm rtl export` writes, in a simulator without us: Verilator builds the bench and runs it.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "platform/commands/rtl/stimulus_files.h"
#include "platform/machine/rtl/configurations.h"
#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

struct Ran {
  int code;
  std::string text;
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Ran shell(const std::string& command, const std::string& log) {
  const int status = std::system((command + " >" + log + " 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(log)};
}

struct RtlExportTest : testing::Test {
  const test::TempFolder folder;
  const std::string recording = folder.path() + "/recording", out = folder.path() + "/out";
  RtlDesign design;

  void make(const std::string& top, RtlProtocol protocol, std::uint32_t ports, std::uint32_t flit_bits) {
    design.name = design.top = top;
    design.protocol = protocol;
    design.ports = ports;
    design.flit_bits = flit_bits;
    design.latency = 1;
    design.parameters = {fmt::format("P={}", ports), fmt::format("W={}", flit_bits)};
  }
  RtlRecordingHead head(std::uint32_t room) const {
    return {"s",
            design.ports,
            design.channels,
            design.flit_bytes(),
            1'000'000'000,
            {},
            std::vector<std::uint32_t>(std::size_t{design.ports} * design.channels, room)};
  }
  RtlEvent packet(TimePs head_ps, std::uint32_t from, std::uint32_t to, std::uint32_t channel,
                  std::uint64_t sequence, std::uint32_t bytes) const {
    RtlEvent event;
    event.kind = RtlEvent::Kind::arrive;
    event.now_ps = event.head_ps = head_ps;
    event.port = from;
    event.channel = channel;
    event.flow = RtlEntry::of_message(to, channel);
    event.sequence = sequence;
    event.bytes = bytes;
    event.flits = (bytes + design.flit_bytes() - 1) / design.flit_bytes();
    event.tail_ps = head_ps + event.flits * TimePs{1000};
    event.origin = RtlOrigin{from, to, 1, sequence, 0};
    return event;
  }
  /// A contribution to an in-network flow.
  RtlEvent contribution(TimePs head_ps, std::uint32_t entry, std::uint32_t from, std::uint64_t sequence,
                        std::uint32_t bytes) const {
    RtlEvent event = packet(head_ps, from, 0, 1, sequence, bytes);
    event.flow = entry;
    event.origin->destination = RtlOrigin::kNobody;
    return event;
  }
  static RtlEvent opened(TimePs now, std::uint32_t entry, std::vector<std::uint32_t> inputs,
                         std::vector<std::uint32_t> outputs, std::uint64_t first, std::uint64_t packets) {
    RtlEvent event;
    event.kind = RtlEvent::Kind::open;
    event.now_ps = now;
    event.flow = event.entry.number = entry;
    event.channel = event.entry.channel = 1;
    event.entry.first = first;
    event.entry.packets = packets;
    for (std::uint32_t i = 1; i < inputs.size(); ++i) event.entry.order.push_back({0, i});
    event.entry.inputs = std::move(inputs);
    event.entry.outputs = std::move(outputs);
    return event;
  }
  void write() { export_rtl_stimulus({recording, &design, rtl_configuration(design), out}); }
  /// Builds the bench with this source of the switch, as stimulus.txt says.
  void build(const std::string& source, const std::string& protocol, const std::string& top) {
    const std::string tag = protocol == "credit_stream" ? "CREDIT_STREAM" : "AXI4_STREAM";
    const Ran made = shell(
        fmt::format("cd {0} && {1} --binary --assert -Wno-lint --output-split 0 -CFLAGS -O0 -MAKEFLAGS "
                    "VM_PARALLEL_BUILDS=0 --top-module bench +define+{2}_TOP={3} {4}_bench.sv {4}_checker.sv "
                    "{4}_bind.sv {5}",
                    out, WAFERTLM_VERILATOR, tag, top, protocol, source),
        folder.path() + "/log");
    ASSERT_EQ(made.code, 0) << made.text;
  }
  Ran run(const std::string& arguments = "") {
    return shell("cd " + out + " && obj_dir/Vbench " + arguments, folder.path() + "/log");
  }
};

// Two inputs, two channels, packets that come slower than the clock, a long pause, and credits that come
// late.
TEST_F(RtlExportTest, OfCreditStreamPassesAndFailsWhereItShould) {
  make("swapped_wires", RtlProtocol::credit_stream, 2, 32);
  design.channels = 2;
  design.depth = design.out_depth = 4;
  RtlRecorder recorder(recording);
  recorder.begin(head(6));
  std::mt19937 random(3);
  TimePs now = 20'000;
  std::uint64_t sequence[4] = {};
  for (int i = 0; i < 40; ++i) {
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    const std::uint32_t from = draw(2), channel = draw(2);
    RtlEvent event = packet(now, from, 1 - from, channel, sequence[from * 2 + channel]++, 1 + draw(16));
    event.tail_ps += TimePs{2000} * draw(3);
    recorder.write(event);
    RtlEvent credit;
    credit.kind = RtlEvent::Kind::credit;
    credit.now_ps = now;
    credit.head_ps = now + 30'000 + TimePs{1000} * draw(20);
    credit.port = 1 - from;
    credit.channel = channel;
    credit.flits = event.flits;
    recorder.write(credit);
    now += TimePs{1000} * draw(8) + (i == 20 ? 50'000'000 : 0);
  }
  recorder.close();
  write();
  const std::string text = text_of(out + "/stimulus.txt");
  EXPECT_NE(
      text.find(": packet 0 of NPU 0 to NPU 1, step 2 of collective 1, input 0; flow 36865, number 2, "),
      std::string::npos)
      << text;
  build(WAFERTLM_SOURCE_DIR "/tests/rtl/sv/swapped_wires.sv", "credit_stream", "swapped_wires");
  const Ran right = run();
  EXPECT_EQ(right.code, 0) << right.text;
  EXPECT_NE(right.text.find("PASSED: 40 packets in, 40 out, all data equal\n"), std::string::npos)
      << right.text;
  const Ran data = run("+fault=data");
  EXPECT_NE(data.code, 0);
  EXPECT_NE(data.text.find("FAILED in cycle "), std::string::npos) << data.text;
  EXPECT_NE(data.text.find(": flit "), std::string::npos) << data.text;
  EXPECT_NE(data.text.find(": expected "), std::string::npos) << data.text;
  const Ran channel = run("+fault=channel");
  EXPECT_NE(channel.code, 0);
  EXPECT_NE(channel.text.find(" in place of "), std::string::npos) << channel.text;
  EXPECT_NE(channel.text.find(": channel "), std::string::npos) << channel.text;
  const Ran lost = run("+fault=lost");
  EXPECT_NE(lost.code, 0);
  EXPECT_NE(lost.text.find("nothing moves any more, and missing is expected.hex line "), std::string::npos)
      << lost.text;
}

TEST_F(RtlExportTest, OfAxi4StreamPassesAndFailsWhereItShould) {
  make("crossbar", RtlProtocol::axi4_stream, 5, 64);
  RtlRecorder recorder(recording);
  recorder.begin(head(8));
  std::mt19937 random(5);
  TimePs now = 20'000;
  std::uint64_t sequence[5] = {};
  for (int i = 0; i < 60; ++i) {
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    const std::uint32_t to = draw(5);
    const RtlEvent event = packet(now, draw(5), to, 0, sequence[to]++, 1 + draw(64));
    recorder.write(event);
    RtlEvent credit;
    credit.kind = RtlEvent::Kind::credit;
    credit.now_ps = now;
    credit.head_ps = now + 40'000;
    credit.port = to;
    credit.flits = event.flits;
    recorder.write(credit);
    now += TimePs{1000} * draw(4);
  }
  recorder.close();
  write();
  // A crossbar with a fault that can be switched on.
  std::string source = text_of(WAFERTLM_SOURCE_DIR "/tests/rtl/crossbar/crossbar.sv");
  const std::string line = "<= s_tdata[winner*W+:W]";
  source.replace(source.find(line), line.size(), line + " ^ W'($test$plusargs(\"fault\") != 0)");
  build(folder.write("crossbar.sv", source), "axi4_stream", "crossbar");
  const Ran right = run();
  EXPECT_EQ(right.code, 0) << right.text;
  EXPECT_NE(right.text.find("PASSED: 60 packets in, 60 out, all data equal\n"), std::string::npos)
      << right.text;
  const Ran wrong = run("+fault");
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.text.find("FAILED in cycle "), std::string::npos) << wrong.text;
}

// Sums and copies, with the words that configure them; an entry is used again while its packets are inside.
TEST_F(RtlExportTest, OfAFredSwitchHasItsConfiguration) {
  make("fred_switch", RtlProtocol::credit_stream, 4, 32);
  design.channels = 2;
  design.depth = design.out_depth = 12;
  design.latency = 5;
  design.flows = 4;
  design.configuration = "fred";
  for (const char* const each : {"M=3", "VC=2", "DEPTH=12", "FLOWS=4"}) design.parameters.emplace_back(each);
  RtlRecorder recorder(recording);
  recorder.begin(head(0));
  recorder.write(opened(1000, 0, {0, 1, 3}, {2}, 0, 6));
  recorder.write(opened(1000, 1, {2}, {0, 1}, 0, 6));
  for (std::uint64_t k = 0; k < 6; ++k) {
    for (const std::uint32_t input : {0U, 1U, 3U})
      recorder.write(contribution(20'000 + k * 9000 + TimePs{2000} * input, 0, input, k, 32));
    recorder.write(contribution(20'000 + k * 9000, 1, 2, k, 20));
    recorder.write(packet(21'000 + k * 9000, static_cast<std::uint32_t>(k % 4), 3, 0, k, 24));
  }
  recorder.write(opened(75'000, 0, {1, 2}, {0, 3}, 6, 4));
  for (std::uint64_t k = 6; k < 10; ++k)
    for (const std::uint32_t input : {1U, 2U}) recorder.write(contribution(76'000, 0, input, k, 32));
  recorder.close();
  write();
  std::string sources = "-DWAFERTLM_MUTATIONS -I" WAFERTLM_SOURCE_DIR "/models/fred/rtl";
  sources += " " FRED_RTL_SOURCES;
  build(sources, "credit_stream", "fred_switch");
  const Ran right = run();
  EXPECT_EQ(right.code, 0) << right.text;
  EXPECT_NE(right.text.find("PASSED: 38 packets in, 32 out, all data equal\n"), std::string::npos)
      << right.text;
  const Ran wrong = run("+fred_mutation=7");
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.text.find("FAILED in cycle "), std::string::npos) << wrong.text;
}

TEST_F(RtlExportTest, LeavesFilesOfOthersAlone) {
  make("crossbar", RtlProtocol::axi4_stream, 5, 64);
  RtlRecorder recorder(recording);
  recorder.begin(head(0));
  recorder.close();
  const std::string file = folder.write("queues.hex", "mine");
  try {
    export_rtl_stimulus({recording, &design, {}, folder.path()});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("queues.hex is there, and is not what wafertlm wrote"),
              std::string::npos)
        << error.what();
  }
  std::string kept;
  std::getline(std::ifstream(file) >> std::ws, kept);
  EXPECT_EQ(kept, "mine");
  write();
  write();  // its own
}

}  // namespace
}  // namespace wafertlm
