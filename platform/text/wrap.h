// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

namespace wafertlm {

/// Of what is printed.
constexpr std::size_t kTextColumns = 100;

/// Text in lines of at most `width` characters, broken at spaces; a word that is longer stays whole. Lines
/// after a break start with `indent` and the one before ends in `mark`.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent = "",
                    const std::string& mark = "");

}  // namespace wafertlm
