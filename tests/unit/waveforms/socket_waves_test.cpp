// SPDX-License-Identifier: Apache-2.0
// Signals of sockets, NPUs and memories, read back from the file.
#include "waveforms/socket_waves.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/vcd_file.h"

namespace wafertlm {
namespace {

using List = std::vector<std::pair<TimePs, std::uint64_t>>;

TEST(SocketWaves, NpusAndMemoriesHaveSignalsOfTheirOwn) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  SocketWaves waves(path);
  const std::size_t first = waves.add_npu("npu0"), second = waves.add_npu("npu1");
  const std::size_t left = waves.add_memory("hbm0"), right = waves.add_memory("hbm1");
  EXPECT_EQ(waves.signals(), 6U);
  waves.npu_state(first, SocketWaves::NpuState::computes, 10);
  waves.npu_state(second, SocketWaves::NpuState::memory, 20);
  waves.moved(left, false, 64, 25, 40);
  waves.moved(right, true, 64, 30, 35);
  waves.npu_state(second, SocketWaves::NpuState::idle, 50);
  waves.npu_state(first, SocketWaves::NpuState::communicates, 60);
  waves.finish(100, path);
  test::VcdChanges changes = test::read_vcd(path);
  EXPECT_EQ(changes["npu0.state"], (List{{10, 1}, {60, 2}}));
  EXPECT_EQ(changes["npu1.state"], (List{{20, 3}, {50, 0}}));
  EXPECT_EQ(changes["hbm0.reading"], (List{{25, 1}, {40, 0}}));
  EXPECT_EQ(changes["hbm0.writing"], List{});
  EXPECT_EQ(changes["hbm1.writing"], (List{{30, 1}, {35, 0}}));
}

// Whenever END_REQ is called: what counts is when it takes effect.
TEST(SocketWaves, IsReadyWhenTheLatestPacketHasGone) {
  for (const TimePs called : {20U, 45U}) {
    const test::TempFolder folder;
    const std::string path = folder.path() + "/a.vcd";
    SocketWaves waves(path);
    const std::size_t socket = waves.add_socket("link", "fabric");
    const int first = 0, second = 0;
    SocketTransaction packet;
    const auto end_first = [&] { waves.phase(socket, &first, SocketPhase::end_req, called, 50); };
    waves.begun(socket, &first, 10, 12, packet);
    if (called < 40) end_first();
    waves.begun(socket, &second, 40, 42, packet);
    if (called > 40) end_first();
    waves.phase(socket, &second, SocketPhase::end_req, 60, 70);
    waves.finish(100, path);
    test::VcdChanges changes = test::read_vcd(path);
    EXPECT_EQ(changes["link.ready"], (List{{0, 1}, {10, 0}, {70, 1}})) << called;
    EXPECT_EQ(changes["link.queue"], (List{{10, 1}, {40, 2}, {50, 1}, {70, 0}})) << called;
  }
}

TEST(SocketWaves, PacketsOfAFabricSocket) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  SocketWaves waves(path);
  waves.name_classes({"mp", "dp"});
  const std::size_t socket = waves.add_socket("link", "fabric");
  const int first = 0, second = 0;  // their addresses tell packets apart
  SocketTransaction packet;
  packet.bytes = 100;
  packet.wire_bytes = 120;
  packet.tail_ps = 30;
  packet.traffic_class = 1;
  packet.vc = 2;
  packet.stream = 7;
  packet.sequence = 4;
  packet.source = 5;
  packet.destination = 6;
  waves.begun(socket, &first, 10, 12, packet);  // on the line until 28: the head comes at 12, the tail at 30
  packet.tail_ps = 60;
  packet.sequence = 5;
  waves.begun(socket, &second, 40, 40, packet);
  waves.phase(socket, &first, SocketPhase::end_req, 42, 45);  // its room is free at 45
  waves.phase(socket, &second, SocketPhase::end_req, 62, 70);
  waves.finish(100, path);
  test::VcdChanges changes = test::read_vcd(path);
  EXPECT_EQ(changes["link.valid"], (List{{10, 1}, {28, 0}, {40, 1}, {60, 0}}));
  EXPECT_EQ(changes["link.queue"], (List{{10, 1}, {40, 2}, {45, 1}, {70, 0}}));
  EXPECT_EQ(changes["link.used"], (List{{10, 120}, {40, 240}, {45, 120}, {70, 0}}));
  EXPECT_EQ(changes["link.ready"], (List{{0, 1}, {10, 0}, {70, 1}}));  // of the latest packet
  EXPECT_EQ(changes["link.bytes"], (List{{10, 100}}));
  EXPECT_EQ(changes["link.sequence"], (List{{10, 4}, {40, 5}}));
  EXPECT_EQ(changes["link.class"], (List{{10, 1}}));
  EXPECT_EQ(changes["link.vc"], (List{{10, 2}}));
  EXPECT_EQ(changes["link.source"], (List{{10, 5}}));
  EXPECT_EQ(changes["link.destination"], (List{{10, 6}}));
  EXPECT_EQ(test::read_text(path + ".class.txt"), "0 mp\n1 dp\n");
  EXPECT_EQ(test::vcd_signals(path),
            (std::vector<std::string>{"link.valid[1]", "link.ready[1]", "link.class[4]", "link.vc[4]",
                                      "link.stream[64]", "link.tag[64]", "link.sequence[64]",
                                      "link.source[32]", "link.destination[32]", "link.queue[32]",
                                      "link.used[32]", "link.bytes[64]"}));
}

/// One packet of 1 B on a socket after the other, as (begin, head, tail, end).
struct Passing {
  TimePs begin, head, tail, end;
};
test::VcdChanges changes_of(const std::vector<Passing>& packets) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  SocketWaves waves(path);
  const std::size_t socket = waves.add_socket("link", "fabric");
  for (std::size_t i = 0; i < packets.size(); ++i) {
    SocketTransaction packet;
    packet.wire_bytes = 1;
    packet.tail_ps = packets[i].tail;
    waves.begun(socket, &packets[i], packets[i].begin, packets[i].head, packet);
    waves.phase(socket, &packets[i], SocketPhase::end_req, packets[i].begin, packets[i].end);
  }
  waves.finish(1000, path);
  return test::read_vcd(path);
}

// The line is busy as long as the packet takes from its head to its tail, at least for a picosecond.
TEST(SocketWaves, ALineIsBusyWhileAPacketPasses) {
  EXPECT_EQ(changes_of({{10, 110, 130, 200}})["link.valid"], (List{{10, 1}, {30, 0}}));
  EXPECT_EQ(changes_of({{10, 110, 110, 200}})["link.valid"], (List{{10, 1}, {11, 0}}));
  // The tail of one still passes, or ends as the next one begins: no end between them.
  EXPECT_EQ(changes_of({{10, 20, 50, 60}, {30, 40, 80, 90}})["link.valid"], (List{{10, 1}, {70, 0}}));
  EXPECT_EQ(changes_of({{10, 10, 30, 60}, {30, 30, 50, 90}})["link.valid"], (List{{10, 1}, {50, 0}}));
  EXPECT_EQ(changes_of({{10, 10, 30, 60}, {31, 31, 50, 90}})["link.valid"],
            (List{{10, 1}, {30, 0}, {31, 1}, {50, 0}}));
  EXPECT_EQ(changes_of({{10, 10, 90, 60}, {20, 20, 30, 90}})["link.valid"], (List{{10, 1}, {90, 0}}));
  // Room that comes back as another packet begins: one goes, one comes.
  EXPECT_EQ(changes_of({{10, 10, 20, 30}, {30, 30, 40, 50}})["link.queue"], (List{{10, 1}, {50, 0}}));
  EXPECT_EQ(changes_of({{10, 10, 20, 50}, {30, 30, 40, 50}})["link.queue"],
            (List{{10, 1}, {30, 2}, {50, 0}}));
}

// Groups of signals with their format: a bit, a number, or a name from a file.
TEST(SocketWaves, TheViewForGtkWave) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  SocketWaves waves(path);
  waves.name_classes({"mp", "dp"});
  waves.add_socket("port", "memory");
  waves.add_socket("operations", "operation");
  waves.add_npu("npu3");
  waves.add_memory("hbm_3");
  const std::string shown = folder.path() + "/shown.fst";
  waves.finish(2'200'000, shown);
  std::string markers;
  for (int marker = 0; marker < 28; ++marker) markers += " -1";
  // A frame, of which 2.2 fit, shows a million picoseconds: 2^19.93.
  EXPECT_EQ(test::read_text(shown + ".gtkw"),
            "[*] WaferTLM\n[dumpfile] \"" + shown +
                "\"\n[timestart] 0\n[sst_width] 200\n[signals_width] 260\n"
                "*-19.9316" +
                markers +
                "\n"
                "@800200\n-port\n@24\nport.open[31:0]\n@2022\n^1 " +
                shown +
                ".memory.txt\nport.kind[3:0]\n@24\nport.bytes[63:0]\n@1000200\n-port\n"
                "@800200\n-operations\n@24\noperations.open[31:0]\n@2022\n^1 " +
                shown +
                ".operation.txt\noperations.kind[3:0]\n@24\noperations.bytes[63:0]\n@1000200\n-operations\n"
                "@800200\n-npu3\n@2022\n^1 " +
                shown +
                ".state.txt\nnpu3.state[1:0]\n@1000200\n-npu3\n"
                "@800200\n-hbm_3\n@28\nhbm_3.reading\n@28\nhbm_3.writing\n@1000200\n-hbm_3\n");
  EXPECT_EQ(test::read_text(shown + ".memory.txt"), "0 read\n1 write\n");
  EXPECT_EQ(test::read_text(shown + ".state.txt"), "0 idle\n1 computes\n2 communicates\n3 memory\n");
  EXPECT_EQ(test::read_text(shown + ".operation.txt"),
            "0 compute\n1 collective\n2 send\n3 receive\n4 memory_load\n5 memory_store\n");
  EXPECT_EQ(test::read_text(shown + ".class.txt"), "0 mp\n1 dp\n");
}

// The thread gets them in chunks.
TEST(SocketWaves, ManyEventsKeepTheirOrder) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  SocketWaves waves(path);
  const std::size_t npu = waves.add_npu("npu0");
  List expected;
  for (TimePs at = 1; at <= 10'000; ++at) {
    waves.npu_state(npu, at % 2 == 0 ? SocketWaves::NpuState::idle : SocketWaves::NpuState::memory, at);
    expected.emplace_back(at, at % 2 == 0 ? 0 : 3);
  }
  waves.finish(20'000, path);
  EXPECT_EQ(test::read_vcd(path)["npu0.state"], expected);
}

TEST(SocketWaves, TransactionsOfAMemorySocket) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  SocketWaves waves(path);
  const std::size_t socket = waves.add_socket("port", "memory");
  const int first = 0, second = 0;
  SocketTransaction access;
  access.bytes = 64;
  access.kind = 1;
  waves.begun(socket, &first, 10, 10, access);
  access.bytes = 32;
  waves.begun(socket, &second, 20, 20, access);
  waves.phase(socket, &second, SocketPhase::end_req, 25, 25);  // no end here
  waves.phase(socket, &second, SocketPhase::end_resp, 30, 30);
  waves.phase(socket, &first, SocketPhase::end_resp, 40, 40);
  waves.phase(socket, &first, SocketPhase::end_resp, 45, 45);  // it has ended
  waves.finish(100, path);
  test::VcdChanges changes = test::read_vcd(path);
  EXPECT_EQ(changes["port.open"], (List{{10, 1}, {20, 2}, {30, 1}, {40, 0}}));
  EXPECT_EQ(changes["port.bytes"], (List{{10, 64}, {20, 32}}));
  EXPECT_EQ(changes["port.kind"], (List{{10, 1}}));
}

}  // namespace
}  // namespace wafertlm
