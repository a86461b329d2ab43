// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace wafertlm {

using TextRows = std::vector<std::vector<std::string>>;

/// Rows in columns that are as wide as their widest cell, two spaces between them and `indent` before the
/// first. A column without any text is left out. @param sides where the cells of each column stand, 'l' or
/// 'r'; the last one is that of all that follow @param least widths of the first columns
std::string aligned(const TextRows& rows, std::string_view sides, std::size_t indent = 2,
                    std::vector<std::size_t> least = {});

/// As wide as it is printed: characters, not bytes of UTF-8.
std::size_t text_width(std::string_view text);

}  // namespace wafertlm
