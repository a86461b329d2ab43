// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tlm/units.h"

namespace wafertlm {

/// Writes a value change dump (IEEE 1364) by change: a signal that does not change costs nothing. Changes may
/// be announced ahead of time, as a port does when it knows when its line will be free; they are put in order
/// and made text by a thread of the writer's own. When that falls behind, the caller waits.
class VcdWriter {
 public:
  /// @throws std::invalid_argument when the file cannot be written.
  explicit VcdWriter(const std::string& path);
  ~VcdWriter();
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  /// A signal of 1 to 64 bits in a scope; before the first change.
  std::size_t add_signal(const std::string& scope, const std::string& name, unsigned bits);
  /// `signal` has `value` from `at` on; `now` is the present, after which everything announced so far is
  /// still open.
  void change(TimePs now, TimePs at, std::size_t signal, std::uint64_t value);
  /// Writes what was announced up to `end_ps`, and closes.
  /// @throws std::runtime_error if something could not be written.
  void finish(TimePs end_ps);

 private:
  struct Signal {
    std::string scope, name, code;
    unsigned bits;
    std::uint64_t value = 0;    // of the writing thread: the last one written
    std::uint64_t pending = 0;  // … the last one of the time that is being written
    bool is_touched = false;
  };
  /// The last change that was announced.
  struct Latest {
    TimePs at = 0;
    std::uint64_t value = 0;
  };
  struct Change {
    TimePs at;
    std::uint64_t value;
    std::uint32_t signal;
  };
  struct Chunk {
    std::vector<Change> changes;
    TimePs now = 0;  // nothing before it comes any more
  };
  void start();
  void hand_over();
  void write();
  void write_header();
  void write_until(TimePs at);
  void write_value(const Signal& signal);
  void write_text(std::size_t least);

  std::string path_;
  std::ofstream file_;
  std::vector<Signal> signals_;
  std::vector<Latest> latest_;
  Chunk chunk_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Chunk> full_;
  bool done_ = false;
  // Of the writing thread.
  std::vector<Change> open_;  // in the order of time
  std::vector<std::uint32_t> touched_;
  std::string text_;
  TimePs written_ps_ = kNever;
  bool finished_ = false;
};

}  // namespace wafertlm
