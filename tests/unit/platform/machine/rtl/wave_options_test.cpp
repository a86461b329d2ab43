// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/rtl/wave_options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

namespace wafertlm {
namespace {

std::string problem_of(const std::string& window) {
  try {
    RtlWaveOptions{"", window}.cycles({});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(RtlWaveOptions, AWindowIsOfWholeCycles) {
  const RtlClock clock{75'000'000'000};
  EXPECT_FALSE(RtlWaveOptions{}.cycles(clock));
  const auto window = RtlWaveOptions{"", "3:5"}.cycles(clock);
  EXPECT_EQ(window->from_ps, 40U);
  EXPECT_EQ(window->to_ps, 79U);  // the last picosecond of cycle 5
  EXPECT_EQ(window->period_ps, 14U);
  EXPECT_EQ((RtlWaveOptions{"", "3:"}.cycles(clock)->to_ps), kNever);
  const std::string form = ": write cycles like 100:250, or 100: to the end";
  for (const std::string wrong : {"3", ":5", "a:5", "3:b", "3:5:7", "-1:5"})
    EXPECT_EQ(problem_of(wrong), "--waves-window " + wrong + form);
  EXPECT_EQ(problem_of("5:3"), "--waves-window 5:3: the first cycle is behind the last; write 3:5");
}

TEST(RtlWaveOptions, AFileHasItsEnding) {
  EXPECT_EQ((RtlWaveOptions{"", ""}.file("usual")), "usual.vcd");
  EXPECT_EQ((RtlWaveOptions{"a.vcd", ""}.file("usual")), "a.vcd");
  EXPECT_EQ((RtlWaveOptions{"a.b", ""}.file("usual")), "a.b.vcd");
}

TEST(RtlWaveOptions, AnFstFileNeedsGtkWave) {
  ASSERT_EQ(::setenv("PATH", "", 1), 0);
  try {
    (void)RtlWaveOptions{"a.fst", ""}.file("usual");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "a.fst: an FST file needs vcd2fst, which is not installed; install gtkwave, or write a .vcd file");
  }
}

}  // namespace
}  // namespace wafertlm
