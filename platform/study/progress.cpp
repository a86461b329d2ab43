// SPDX-License-Identifier: Apache-2.0
#include "platform/study/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "platform/command/format.h"

namespace wafertlm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kOnTerminal{250}, kElsewhere{10'000};

std::string time_left(const Progress::State& state, Clock::time_point started) {
  const std::size_t ran = state.done - state.recalled;
  if (ran == 0 || state.done == state.all) return "";
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - started).count();
  const double left_s = elapsed_s / static_cast<double>(ran) * static_cast<double>(state.all - state.done);
  return left_s < 100 ? fmt::format(", about {:.0f} s left", left_s)
                      : fmt::format(", about {:.0f} min left", left_s / 60);
}

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0), shown_(Clock::now()) {}

Progress::~Progress() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(const std::string& what, const State& state, Clock::time_point started) {
  if (Clock::now() - shown_ < (terminal_ ? kOnTerminal : kElsewhere)) return;
  shown_ = Clock::now();
  fmt::print(stderr, "{}{}: {} of {} done{}{}, {} running{}{}", terminal_ ? "\r\033[K" : "", what, state.done,
             counted(state.all, "cell"), state.recalled ? fmt::format(" ({} before)", state.recalled) : "",
             state.failed ? fmt::format(", {} failed", state.failed) : "", state.running,
             time_left(state, started), terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace wafertlm
