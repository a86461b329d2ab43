// SPDX-License-Identifier: Apache-2.0
#include "waveforms/vcd_writer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/temp_folder.h"

namespace wafertlm {
namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

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
  const std::string text = text_of(path);
  EXPECT_EQ(text.substr(text.find("#0")),
            "#0\n$dumpvars\n0!\nb0 \"\n$end\n#10\n1!\n#20\nb101 \"\n#40\n0!\n#50\n");
  EXPECT_NE(text.find("$timescale 1 ps $end"), std::string::npos);
  EXPECT_NE(text.find("$var wire 8 \" number $end"), std::string::npos);
}

TEST(VcdWriter, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(VcdWriter("/nowhere/at/all.vcd"), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
