// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wafertlm::config {

/// A text that is not the quantity asked for; what() says which units fit. Carries no place: the reader adds
/// it.
class QuantityError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// One unit: value in base units = number * factor / divisor * 10^exponent.
struct Unit {
  std::string_view name;
  std::uint64_t factor = 1;
  std::uint64_t divisor = 1;
  int exponent = 0;
  bool canonical = false;  ///< used when quantities are written out
};

/// A physical dimension and how it is written: a decimal number, optional spaces, a unit ("1.5 TB/s").
struct Dimension {
  std::string_view name;     ///< "bandwidth"
  std::string_view base;     ///< what the number in the program counts: "bytes/s"
  std::string_view example;  ///< "750 GB/s"
  std::vector<Unit> units;   ///< ascending

  /// "a bandwidth"
  std::string with_article() const;
  std::vector<std::string> unit_names() const;
  /// The regular expression of every accepted text (ECMA-262, anchored).
  std::string pattern() const;
};

const Dimension& bandwidth_dimension();       ///< bytes/s; b/s are bits
const Dimension& time_dimension();            ///< ps
const Dimension& size_dimension();            ///< bytes; kB 10^3, KiB 2^10
const Dimension& compute_rate_dimension();    ///< operations/s
const Dimension& frequency_dimension();       ///< Hz
const Dimension& energy_per_bit_dimension();  ///< J/bit
const Dimension& power_dimension();           ///< W

/// Exact whole number of base units. @throws QuantityError: not a number and a unit, negative, a unit of
/// another dimension, not a whole number of base units, above 2^64-1.
std::uint64_t parse_whole(const Dimension& dimension, std::string_view text);
/// Correctly rounded number of base units. @throws QuantityError as above.
double parse_real(const Dimension& dimension, std::string_view text);

/// The shortest exact text in canonical units; parsing it gives `value` again.
std::string format_whole(const Dimension& dimension, std::uint64_t value);
std::string format_real(const Dimension& dimension, double value);

inline std::uint64_t parse_bandwidth(std::string_view text) {
  return parse_whole(bandwidth_dimension(), text);
}
inline std::uint64_t parse_time(std::string_view text) { return parse_whole(time_dimension(), text); }
inline std::uint64_t parse_size(std::string_view text) { return parse_whole(size_dimension(), text); }
inline double parse_compute_rate(std::string_view text) { return parse_real(compute_rate_dimension(), text); }
inline double parse_energy_per_bit(std::string_view text) {
  return parse_real(energy_per_bit_dimension(), text);
}
inline double parse_power(std::string_view text) { return parse_real(power_dimension(), text); }

}  // namespace wafertlm::config
