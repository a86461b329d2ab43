// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace wafertlm {

/// SHA-256 as 64 hexadecimal digits.
std::string sha256(std::string_view text);
/// Of a file's bytes; of one that cannot be read that of no bytes. A file of the same size and time of change
/// is read once.
std::string sha256_of_file(const std::filesystem::path& file);
/// The same, read now: two versions can have the same time.
std::string sha256_of_file_now(const std::filesystem::path& file);

}  // namespace wafertlm
