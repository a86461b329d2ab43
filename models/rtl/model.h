// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tlm/kernel/units.h"

namespace wafertlm {

/// A pin of an RTL module as words of 32 bits, whatever type it has there.
class RtlPin {
 public:
  RtlPin(std::string pin_name, std::uint32_t pin_bits)
      : name(std::move(pin_name)), bits(pin_bits), words((pin_bits + 31) / 32) {}
  virtual ~RtlPin() = default;
  /// From `words` to the module.
  virtual void push() = 0;
  /// From the module to `words`.
  virtual void pull() = 0;

  /// `width` <= 64 bits from bit `first` on.
  std::uint64_t get(std::uint32_t first, std::uint32_t width) const;
  void set(std::uint32_t first, std::uint32_t width, std::uint64_t value);

  const std::string name;
  const std::uint32_t bits;  ///< of the type, maybe more than the module uses
  std::vector<std::uint32_t> words;
};

/// What a waveform shows of an RTL module, whose clock has this period.
struct RtlWaveWindow {
  TimePs period_ps = 1000;
  TimePs from_ps = 0, to_ps = kNever;
};

/// Which times of that a waveform gets: each once, in order.
class RtlWaveTimes {
 public:
  RtlWaveTimes() = default;
  explicit RtlWaveTimes(const RtlWaveWindow& window) : window_(window), next_ps_(window.from_ps) {}
  /// When the pins of this half of the cycle are shown; none: not at all.
  std::optional<TimePs> at(TimePs edge_ps, bool high) {
    const TimePs at_ps = high ? edge_ps : edge_ps + window_.period_ps / 2;
    if (at_ps < next_ps_ || at_ps > window_.to_ps) return {};
    next_ps_ = at_ps + 1;
    return at_ps;
  }

 private:
  RtlWaveWindow window_;
  TimePs next_ps_ = 0;
};

/// An RTL module behind its pins. evaluate() settles it; nothing happens to it between two calls.
class RtlModel {
 public:
  virtual ~RtlModel() = default;
  /// @throws std::invalid_argument: the module has no such pin.
  virtual RtlPin& pin(const std::string& name) = 0;
  virtual void evaluate() = 0;
  /// NAME=VALUE for $value$plusargs, before the first evaluate().
  virtual void set_plusargs(const std::vector<std::string>& /*arguments*/) {}

  /// Whether it was built with Verilator's --coverage.
  virtual bool counts_coverage() const { return false; }
  /// Coverage of everything so far, for verilator_coverage.
  virtual void write_coverage(const std::string& /*path*/) {}

  /// A VCD file of all signals from now on, as far as they are in the window.
  virtual void open_waves(const std::string& path, const RtlWaveWindow& window) = 0;
  /// Adds the pins of the cycle that began at `edge_ps`: while the clock is high, or, half a period later,
  /// low.
  virtual void dump_waves(TimePs edge_ps, bool high) = 0;
  virtual void close_waves() = 0;
};

}  // namespace wafertlm
