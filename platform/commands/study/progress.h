// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace wafertlm {

/// A line on stderr that says how far a study is: on a terminal one that changes, else one now and then.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  struct State {
    std::size_t all = 0, done = 0, recalled = 0, failed = 0, running = 0;
    double part = 0;  ///< of the expected time of what was to run
  };
  bool is_due() const;
  /// `started`: when the cells of this State began.
  void show(const std::string& what, const State& state, std::chrono::steady_clock::time_point started);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace wafertlm
