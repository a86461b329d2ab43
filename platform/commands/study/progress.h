// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <optional>
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
    std::optional<double> left_s;  ///< none: not known
  };
  bool is_due() const;
  void show(const std::string& what, const State& state);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace wafertlm
