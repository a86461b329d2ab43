// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// How GTKWave shows a number.
enum class WaveFormat : std::uint8_t { bit, binary, decimal, hexadecimal };

/// A save file of GTKWave: which signals it shows, in groups, with their formats.
class GtkwaveView {
 public:
  /// `shown`: the waveform that it opens, as the user will name it.
  explicit GtkwaveView(std::string shown) : shown_(std::move(shown)) {}

  /// What follows belongs to it, up to close() or the next group. Closed groups show their names only.
  void open(const std::string& group, bool is_closed = false);
  void close();
  /// `signal`: with its scopes, without its range. `names`: a file as write_names() makes it. `alias`: what
  /// is shown in place of the signal's name.
  void add(const std::string& signal, unsigned bits, WaveFormat format, const std::string& names = "",
           const std::string& alias = "");
  /// Bits `first` to `first + count - 1` of a signal of `bits`.
  void add_part(const std::string& signal, unsigned bits, unsigned first, unsigned count, WaveFormat format,
                const std::string& alias);
  /// Where the markers stand: the primary one, and A, which stays when that is moved.
  void mark(TimePs at_ps) { marker_ps_ = at_ps; }
  /// The part of the time that is seen first.
  void zoom(TimePs from_ps, TimePs to_ps) { from_ps_ = from_ps, to_ps_ = to_ps; }
  /// SHOWN.gtkw, or FILE. @throws std::runtime_error
  std::string write(const std::string& file = "") const;

 private:
  std::string shown_, group_, text_;
  bool is_closed_ = false;
  TimePs from_ps_ = 0, to_ps_ = 1;
  std::optional<TimePs> marker_ps_;
};

/// A file in which GTKWave looks up the text of a number of `bits` bits. @throws std::runtime_error
void write_names(const std::string& path, unsigned bits, const std::vector<std::string>& names);

}  // namespace wafertlm
