// SPDX-License-Identifier: Apache-2.0
// What words and numbers in a row's cells say.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "platform/commands/validate/validation_row.h"

namespace wafertlm::validate {

/// In small letters.
std::string lower(std::string text);
// Regular expressions (ECMAScript, whatever the case) within the first 500 characters of a text.

bool says(const std::string& text, const std::string& pattern);
/// The last group that takes part; the whole if there is none.
std::optional<std::string> match(const std::string& text, const std::string& pattern);
/// The same; empty: the text does not have it.
std::string said(const std::string& text, const std::string& pattern);
/// The same as a number; "2,048" and "128k" (times 1024) are some.
std::optional<double> number(const std::string& text, const std::string& pattern);

/// With "x" for "×" and "·", "^3" for "³", "u" for "µ".
std::string in_ascii(std::string text);
/// The number in front: "8", "2x8", "64 chips (v4-128)"; none: words.
std::optional<std::uint32_t> leading_count(const std::string& text);
/// 1 for "1", "one", "1 GPU"; 0: not a number.
std::uint32_t ranks_of(const ValidationRow& row);
/// A wafer, or a part of one.
bool is_wafer(const ValidationRow& row);
/// "1 MiB", "32768 B", "1KiB", "8GB", "1024"; none: there is no size.
std::optional<std::uint64_t> bytes_of(const std::string& text);
/// "us", "ms", "s", "ns" as seconds; none: no time.
std::optional<double> time_unit(const std::string& unit);
/// "GB/s busbw", "TB/s", "Gb/s": bytes/s; none: no rate.
std::optional<double> rate_unit(const std::string& unit);
/// "%", "ratio", "x", "-".
bool is_part(const std::string& unit);

}  // namespace wafertlm::validate
