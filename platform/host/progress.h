// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <string>

namespace wafertlm {

/// ", about 12 s left", if a part (0 to 1) took so long; empty while nothing is done, and at the end.
std::string time_left(double elapsed_s, double part);

/// When progress is shown: first after the start, and then.
struct ProgressTimes {
  std::chrono::milliseconds first, between;
};
ProgressTimes progress_times(bool on_terminal, bool verbose);

/// A line on a terminal that says how far something long is, after its first second. Where the errors go
/// elsewhere a line a minute, with -v more often; with -q nothing.
class ProgressLine {
 public:
  ProgressLine();
  /// Wipes the line.
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Whether show() would show something now.
  bool is_due() const;
  /// "TEXT, 43 % done, about 12 s left". @param part from 0 to 1
  void show(const std::string& text, double part);

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_, shows_;
  ProgressTimes times_;
  Clock::time_point start_ = Clock::now(), next_;
};

}  // namespace wafertlm
