// SPDX-License-Identifier: Apache-2.0
// What words and numbers in a row's cells say.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace wafertlm::validate {

/// In small letters.
std::string lower(std::string text);
/// Whether `text` matches somewhere, whatever the case. `pattern`: ECMAScript.
bool says(const std::string& text, const std::string& pattern);
/// The number in front: "8", "2x8", "64 chips (v4-128)"; none: words.
std::optional<std::uint32_t> leading_count(const std::string& text);
/// "1 MiB", "32768 B", "1KiB", "8GB", "1024"; none: there is no size.
std::optional<std::uint64_t> bytes_of(const std::string& text);
/// "us", "ms", "s", "ns" as seconds; none: no time.
std::optional<double> time_unit(const std::string& unit);
/// "GB/s busbw", "TB/s", "Gb/s": bytes/s; none: no rate.
std::optional<double> rate_unit(const std::string& unit);

}  // namespace wafertlm::validate
