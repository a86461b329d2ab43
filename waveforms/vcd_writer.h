// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <fstream>
#include <queue>
#include <string>
#include <vector>

#include "tlm/units.h"

namespace wafertlm {

/// Writes a value change dump (IEEE 1364) by change: a signal that does not change costs nothing. Changes may
/// be announced ahead of time, as a port does when it knows when its line will be free; they are put in order
/// here.
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
    std::uint64_t value = 0;
  };
  struct Change {
    TimePs at;
    std::uint64_t order;
    std::size_t signal;
    std::uint64_t value;
    bool operator>(const Change& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  void write_header();
  void write_until(TimePs at);
  void write_value(const Signal& signal);

  std::string path_;
  std::ofstream file_;
  std::vector<Signal> signals_;
  std::priority_queue<Change, std::vector<Change>, std::greater<>> open_;
  std::uint64_t order_ = 0;
  TimePs written_ps_ = kNever;
  bool has_header_ = false, finished_ = false;
};

}  // namespace wafertlm
