// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <stdexcept>

namespace wafertlm {

inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// One simulation per process: runs `work` in a child and returns what it wrote.
template <typename T, typename Work>
T in_child(Work work, long* peak_kib = nullptr) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork();
  if (child == 0) {
    const T result = work();
    const ssize_t written = write(ends[1], &result, sizeof result);
    _exit(written == static_cast<ssize_t>(sizeof result) ? 0 : 1);
  }
  T result{};
  if (read(ends[0], &result, sizeof result) != static_cast<ssize_t>(sizeof result))
    throw std::runtime_error("a benchmark died");
  struct rusage usage {};
  int status = 0;
  wait4(child, &status, 0, &usage);
  if (peak_kib) *peak_kib = usage.ru_maxrss;
  close(ends[0]);
  close(ends[1]);
  return result;
}

constexpr std::size_t kRepetitions = 11;
inline double median(std::array<double, kRepetitions> values) {
  std::sort(values.begin(), values.end());
  return values[kRepetitions / 2];
}

}  // namespace wafertlm
