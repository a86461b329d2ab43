// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/packet_waves.h"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/vcd_file.h"

namespace wafertlm {
namespace {

using List = std::vector<std::pair<TimePs, std::uint64_t>>;

RtlEvent arrival(std::uint64_t sequence, TimePs head_ps) {
  RtlEvent event;
  event.kind = RtlEvent::Kind::arrive;
  event.port = 1;
  event.flow = RtlEntry::of_message(0, 0);
  event.sequence = sequence;
  event.bytes = 64;
  event.flits = 4;
  event.head_ps = head_ps;
  event.tail_ps = head_ps + 4000;
  event.origin = RtlOrigin{7, 8, 3, 2, sequence + 100};
  return event;
}

// Three packets, the first two one behind the other; the window begins in the second.
TEST(PacketWaves, ShowWhatPassesInTheWindow) {
  const test::TempFolder folder;
  PacketWaves waves("s", 2, {}, {1000, 6000, 30'000});
  const std::vector<RtlEvent> events = {arrival(0, 1000), arrival(1, 5000), arrival(2, 20'000)};
  for (const RtlEvent& event : events) {
    waves.model_saw(event);
    waves.head_in(event, event.head_ps + 500);
    waves.head_out(0, {event.flow, static_cast<std::uint32_t>(event.sequence), event.bytes},
                   event.head_ps + 3000);
  }
  waves.end();
  for (const RtlEvent& event : events) waves.name(event);
  const std::string path = folder.path() + "/packets.vcd";
  waves.write(path);
  auto changes = test::read_vcd(path);
  EXPECT_EQ(changes["s_tlm_in1.valid"], (List{{6000, 1}, {9000, 0}, {20'000, 1}, {24'000, 0}}));
  EXPECT_EQ(changes["s_tlm_in1.number"], (List{{6000, 101}, {20'000, 102}}));
  // At the pins stays the one that passed last.
  EXPECT_EQ(changes["s_pins_in1.number"], (List{{6000, 101}, {20'500, 102}}));
  EXPECT_EQ(changes["s_pins_out0.number"], (List{{6000, 100}, {8000, 101}, {23'000, 102}}));
  EXPECT_EQ(changes["s_pins_out0.source"], (List{{6000, 7}}));
  EXPECT_EQ(changes["s_pins_out0.packet"], (List{{6000, 1}, {8000, 2}, {23'000, 3}}));

  GtkwaveView view("shown.vcd");
  waves.show(view, folder.path() + "/w.vcd", "shown.vcd", [&](bool is_output, std::uint32_t port) {
    if (is_output) return;
    EXPECT_EQ(port, 1U);
    view.add_part("rtl.in_valid", 2, port, 1, WaveFormat::bit, "in_valid");
    view.add_part("rtl.in_vc", 6, 2, 2, WaveFormat::hexadecimal, "in_vc");
  });
  view.mark(8000);
  view.write(folder.path() + "/view");
  const std::string text = test::read_text(folder.path() + "/view");
  EXPECT_NE(text.find("@800200\n-input 1\n@28\n+{TLM valid} s_tlm_in1.valid\n@2022\n^1 "
                      "shown.vcd.packets.txt\n+{TLM packet} s_tlm_in1.packet[31:0]\n@2022\n^1 "
                      "shown.vcd.packets.txt\n+{RTL packet} s_pins_in1.packet[31:0]\n@28\n#{in_valid} "
                      "(0)rtl.in_valid[1:0]\n@22\n#{in_vc} (2)rtl.in_vc[5:0] (3)rtl.in_vc[5:0]\n@1000200\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("@c00200\n-RTL: packets, in numbers\n@24\n+{input 1 flow} s_pins_in1.flow[15:0]\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" 8000 8000 -1 -1"), std::string::npos) << text;
  EXPECT_EQ(test::read_text(folder.path() + "/w.vcd.packets.txt"),
            "00000000 -\n"
            "00000001 7 -> 8, collective 3 step 2, packet 100\n"
            "00000002 7 -> 8, collective 3 step 2, packet 101\n"
            "00000003 7 -> 8, collective 3 step 2, packet 102\n");
}

}  // namespace
}  // namespace wafertlm
