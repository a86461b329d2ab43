// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <fstream>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// Writes a value change dump (IEEE 1364) by change: a signal that does not change costs nothing. Changes may
/// be announced ahead of time, as a port does when it knows when its line will be free.
class VcdWriter {
 public:
  /// @throws std::invalid_argument when the file cannot be written.
  explicit VcdWriter(const std::string& path);
  ~VcdWriter();
  VcdWriter(const VcdWriter&) = delete;
  VcdWriter& operator=(const VcdWriter&) = delete;

  /// A signal of 1 to 64 bits in a scope; before the first change. It begins with 0.
  std::size_t add_signal(const std::string& scope, const std::string& name, unsigned bits);
  /// No change before `now` is announced any more.
  void advance(TimePs now);
  /// `signal` has `value` from `at` on, which is not in the past. Of several changes at one time the last
  /// announced holds. @throws std::logic_error for the past.
  void change(TimePs at, std::size_t signal, std::uint64_t value);
  /// Writes what was announced up to `end_ps`, and closes.
  /// @throws std::runtime_error if something could not be written.
  void finish(TimePs end_ps);

 private:
  struct Signal {
    std::uint64_t value = 0;    // the last one written
    std::uint64_t pending = 0;  // … of the present time
    unsigned bits;
    bool is_touched = false;
    unsigned char code_size;
    char code[6];  // with the end of its line
  };
  struct Name {
    std::string scope, name;
  };
  struct Later {
    TimePs at;
    std::uint64_t order, value;
    std::uint32_t signal;
    bool operator>(const Later& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  void touch(std::size_t signal, std::uint64_t value);
  void write_header();
  void write_present();
  void write_time(TimePs at);
  void write_value(const Signal& signal);
  /// Room for `bytes` more; what is there goes to the file first if it must.
  char* room(std::size_t bytes);
  void write_text();

  std::string path_;
  std::ofstream file_;
  std::vector<Signal> signals_;
  std::vector<Name> names_;
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
  std::vector<std::uint32_t> touched_;  // at the present time
  std::vector<char> text_;              // of which the first filled_ are to be written
  std::size_t filled_ = 0;
  TimePs now_ = 0;
  std::uint64_t order_ = 0;
  bool has_header_ = false;
};

}  // namespace wafertlm
