// SPDX-License-Identifier: Apache-2.0
#include "waveforms/vcd_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <stdexcept>

#include "tests/support/temp_folder.h"
#include "tests/support/tool.h"
#include "tests/support/vcd_file.h"

namespace wafertlm {
namespace {

TEST(VcdWriter, PutsAnnouncedChangesInOrderAndWritesOnlyChanges) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  VcdWriter vcd(path);
  const std::size_t busy = vcd.add_signal("link", "busy", 1), number = vcd.add_signal("link", "number", 8);
  vcd.advance(10);
  vcd.change(10, busy, 1);
  vcd.change(30, busy, 0);  // announced ahead
  vcd.advance(20);
  vcd.change(20, number, 5);
  vcd.advance(30);
  vcd.change(30, busy, 1);  // at once busy again: no change to be seen
  vcd.change(40, busy, 0);
  vcd.advance(35);
  vcd.change(35, number, 5);  // the same value
  EXPECT_THROW(vcd.change(34, number, 6), std::logic_error);
  vcd.finish(50);
  const std::string text = test::read_text(path);
  EXPECT_EQ(text.substr(text.find("#0")),
            "#0\n$dumpvars\n0!\nb0 \"\n$end\n#10\n1!\n#20\nb101 \"\n#40\n0!\n#50\n");
  EXPECT_NE(text.find("$timescale 1 ps $end"), std::string::npos);
  EXPECT_NE(text.find("$var wire 8 \" number $end"), std::string::npos);
}

TEST(VcdWriter, SignalsStandInTheirScopes) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  VcdWriter vcd(path);
  vcd.add_signal("b", "one", 1);
  vcd.add_signal("a", "two", 64);
  vcd.add_signal("b", "three", 4);
  vcd.finish(7);
  EXPECT_EQ(test::read_text(path),
            "$timescale 1 ps $end\n"
            "$scope module a $end\n$var wire 64 \" two $end\n$upscope $end\n"
            "$scope module b $end\n$var wire 1 ! one $end\n$var wire 4 # three $end\n$upscope $end\n"
            "$enddefinitions $end\n#0\n$dumpvars\n0!\nb0 \"\nb0 #\n$end\n#7\n");
}

// Values of any size, some announced ahead, of more signals than one letter can tell apart, and more text
// than is written at a time; against a table by time.
TEST(VcdWriter, IsWhatWasAnnounced) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  constexpr TimePs kEnd = 2000;
  constexpr std::size_t kSignals = 9000;  // 94 with a letter, 94 * 94 with two at most
  std::mt19937_64 random(3);
  std::map<std::size_t, std::map<TimePs, std::uint64_t>> announced;
  {
    VcdWriter vcd(path);
    for (std::size_t i = 0; i < kSignals; ++i)
      ASSERT_EQ(vcd.add_signal("s", "n" + std::to_string(i), i % 3 == 0 ? 1 : 64), i);
    for (TimePs now = 0; now < kEnd; now += 1 + random() % 3) {
      vcd.advance(now);
      for (int k = 0; k < 12; ++k) {
        const std::size_t signal = random() % kSignals;
        const TimePs at = now + (random() % 2 == 0 ? 0 : random() % 50);
        if (announced[signal].count(at) != 0) continue;
        const std::uint64_t value = signal % 3 == 0 ? random() % 2 : random() >> random() % 64;
        announced[signal][at] = value;
        vcd.change(at, signal, value);
      }
    }
    vcd.finish(kEnd + 20);
  }
  EXPECT_GT(std::filesystem::file_size(path), 400'000U);
  test::VcdChanges changes = test::read_vcd(path);
  ASSERT_EQ(changes.size(), kSignals);
  for (std::size_t signal = 0; signal < kSignals; ++signal) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
    std::uint64_t value = 0;
    for (const auto& [at, its] : announced[signal]) {
      if (its != value && at <= kEnd + 20) expected.emplace_back(at, its);
      value = its;
    }
    ASSERT_EQ(changes["s.n" + std::to_string(signal)], expected) << signal;
  }
}

TEST(VcdWriter, LeavesNoFileBehindForARunThatNeverBegan) {
  const test::TempFolder folder;
  const std::string path = folder.path() + "/a.vcd";
  {
    VcdWriter vcd(path);
    vcd.add_signal("link", "busy", 1);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(VcdWriter, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(VcdWriter("/nowhere/at/all.vcd"), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
