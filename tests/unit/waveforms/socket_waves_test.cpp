// SPDX-License-Identifier: Apache-2.0
// Signals of sockets, NPUs and memories, read back from the file.
#include "waveforms/socket_waves.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"

namespace wafertlm {
namespace {

/// By "scope.name": the changes after the first value, as (time, value).
using Changes = std::map<std::string, std::vector<std::pair<TimePs, std::uint64_t>>>;

Changes read(const std::string& path) {
  std::ifstream file(path);
  std::map<std::string, std::string> name_of;
  Changes changes;
  std::vector<std::string> scopes;
  bool initial = false;
  TimePs now = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string word, kind, bits, code, name;
    in >> word;
    if (word == "$scope") {
      in >> kind >> name;
      scopes.push_back(name);
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      in >> kind >> bits >> code >> name;
      std::string full;
      for (const std::string& scope : scopes) full += scope + ".";
      name_of[code] = full + name;
    } else if (word == "$dumpvars") {
      initial = true;
    } else if (word == "$end") {
      initial = false;
    } else if (word[0] == '#') {
      now = std::stoull(word.substr(1));
    } else if (word[0] == '0' || word[0] == '1' || word[0] == 'b') {
      const bool is_vector = word[0] == 'b';
      if (is_vector) in >> code;
      const std::string& signal = name_of.at(is_vector ? code : word.substr(1));
      const std::uint64_t value = std::stoull(is_vector ? word.substr(1) : word.substr(0, 1), nullptr, 2);
      if (!initial) changes[signal].emplace_back(now, value);
    }
  }
  return changes;
}

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
  Changes changes = read(path);
  EXPECT_EQ(changes["npu0.state"], (List{{10, 1}, {60, 2}}));
  EXPECT_EQ(changes["npu1.state"], (List{{20, 3}, {50, 0}}));
  EXPECT_EQ(changes["hbm0.reading"], (List{{25, 1}, {40, 0}}));
  EXPECT_EQ(changes["hbm0.writing"], List{});
  EXPECT_EQ(changes["hbm1.writing"], (List{{30, 1}, {35, 0}}));
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
  Changes changes = read(path);
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
  const std::string view = test::read_text(path + ".gtkw");
  EXPECT_NE(view.find("link.valid\n"), std::string::npos) << view;
  EXPECT_NE(view.find("link.bytes[63:0]\n"), std::string::npos);
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
  Changes changes = read(path);
  EXPECT_EQ(changes["port.open"], (List{{10, 1}, {20, 2}, {30, 1}, {40, 0}}));
  EXPECT_EQ(changes["port.bytes"], (List{{10, 64}, {20, 32}}));
  EXPECT_EQ(changes["port.kind"], (List{{10, 1}}));
}

}  // namespace
}  // namespace wafertlm
