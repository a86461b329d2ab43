// SPDX-License-Identifier: Apache-2.0
#include "platform/host/progress.h"

#include <fmt/core.h>

#include <unistd.h>

#include <cstdio>

#include "platform/host/verbosity.h"

namespace wafertlm {

using std::chrono::milliseconds;

ProgressTimes progress_times(bool on_terminal, bool verbose) {
  if (on_terminal) return {milliseconds(1000), milliseconds(500)};
  if (verbose) return {milliseconds(1000), milliseconds(5000)};
  return {milliseconds(60000), milliseconds(60000)};
}

std::string time_left(double elapsed_s, double part) {
  if (part <= 0 || part >= 1) return "";
  const double left_s = elapsed_s / part * (1 - part);
  return left_s < 100 ? fmt::format(", about {:.0f} s left", left_s)
                      : fmt::format(", about {:.0f} min left", left_s / 60);
}

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) != 0 && verbosity() != Verbosity::quiet),
      shows_(verbosity() != Verbosity::quiet),
      times_(progress_times(terminal_, verbosity() == Verbosity::verbose)),
      next_(start_ + times_.first) {}

ProgressLine::~ProgressLine() {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

bool ProgressLine::is_due() const { return shows_ && Clock::now() >= next_; }

void ProgressLine::show(const std::string& text, double part) {
  if (!is_due()) return;
  next_ = Clock::now() + times_.between;
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - start_).count();
  fmt::print(stderr, "{}{}, {:.0f} % done{}{}", terminal_ ? "\r\033[K" : "", text, 100 * part,
             time_left(elapsed_s, part), terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace wafertlm
