// SPDX-License-Identifier: Apache-2.0
#include "platform/commands/study/progress.h"

#include <fmt/core.h>

#include <unistd.h>

#include <cstdio>

#include "platform/commands/study/sweep/time_left.h"
#include "platform/host/verbosity.h"
#include "platform/text/format.h"

namespace wafertlm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kOnTerminal{250}, kElsewhere{10'000};

}  // namespace

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0), shown_(Clock::now()) {}

Progress::~Progress() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

bool Progress::is_due() const {
  if (verbosity() == Verbosity::quiet) return false;
  return Clock::now() - shown_ >= (terminal_ ? kOnTerminal : kElsewhere);
}

void Progress::show(const std::string& what, const State& state) {
  if (!is_due()) return;
  shown_ = Clock::now();
  fmt::print(stderr, "{}{}: {} of {} done{}{}{}{}{}", terminal_ ? "\r\033[K" : "", what, state.done,
             counted(state.all, "cell"), state.recalled ? fmt::format(" ({} before)", state.recalled) : "",
             state.failed ? fmt::format(", {} failed", state.failed) : "",
             state.running ? fmt::format(", {} running", state.running) : "", in_words(state.left_s),
             terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace wafertlm
