// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "platform/commands/validate/validation_row.h"

namespace wafertlm::validate {

/// A regular expression (ECMAScript, case ignored) in the text.
bool says(const std::string& text, const char* pattern);
/// What its first group is; empty: the text does not have it.
std::string said(const std::string& text, const char* pattern);

/// With "x" for "×" and "·", "^3" for "³", "u" for "µ".
std::string in_ascii(std::string text);

/// 1 for "1", "one", "1 GPU"; 0: not a number.
unsigned ranks_of(const ValidationRow& row);
/// A wafer, or a part of one.
bool is_wafer(const ValidationRow& row);

}  // namespace wafertlm::validate
