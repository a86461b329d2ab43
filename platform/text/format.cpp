// SPDX-License-Identifier: Apache-2.0
#include "platform/text/format.h"

#include <fmt/core.h>

#include <array>

namespace wafertlm {
namespace {

std::string four_digits(double value, const char* unit) {
  const int digits = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, digits, unit);
}

std::string scaled(double value, const std::array<const char*, 5>& units) {
  std::size_t unit = 0;
  while (unit + 1 < units.size() && value >= 999.95) {
    value /= 1000;
    ++unit;
  }
  return four_digits(value, units[unit]);
}

}  // namespace

std::string counted(std::uint64_t count, const std::string& noun, const std::string& plural) {
  return fmt::format("{} {}", count, count == 1 ? noun : plural.empty() ? noun + "s" : plural);
}

double seconds(TimePs time) { return static_cast<double>(time) * 1e-12; }

std::string format_time(TimePs time) {
  if (time < 1000) return fmt::format("{} ps", time);
  return scaled(static_cast<double>(time) * 1e-3, {"ns", "us", "ms", "s", "ks"});
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kBinary{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  std::uint64_t value = bytes;
  while (unit + 1 < kBinary.size() && value >= 1024 && value % 1024 == 0) {
    value /= 1024;
    ++unit;
  }
  if ((unit > 0 && value < 100'000) || bytes < 1000) return fmt::format("{} {}", value, kBinary[unit]);
  return scaled(static_cast<double>(bytes) / 1000, {"kB", "MB", "GB", "TB", "PB"});
}

std::string format_count(std::uint64_t count) {
  if (count < 1000) return std::to_string(count);
  return scaled(static_cast<double>(count) / 1000, {"k", "M", "G", "T", "P"});
}

std::string format_bandwidth(double bytes_per_s) {
  return scaled(bytes_per_s / 1000, {"kB/s", "MB/s", "GB/s", "TB/s", "PB/s"});
}

}  // namespace wafertlm
