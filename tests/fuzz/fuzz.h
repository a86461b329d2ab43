// SPDX-License-Identifier: Apache-2.0
// What all fuzz targets share. A target does with its input what a command does; it is a finding unless the
// input is accepted, or refused as bad input (exit code 2).
#pragma once
#include <optional>
#include <stdexcept>
#include <string>

namespace wafertlm::fuzz {

/// Ends the process with these words unless `holds`.
void require(bool holds, const std::string& what);

/// The folder in which all files of the target are.
const std::string& folder();
/// Writes one of them. @return its path
std::string write(const std::string& name, const std::string& text);
std::string read(const std::string& path);

/// A refusal must say that the input is bad, and name the file.
void require_refusal(const std::exception& error);

/// What `read` returns, or nothing if it refuses the input.
template <class Read>
auto accepted(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const std::exception& error) {
    require_refusal(error);
  }
  return {};
}

/// What `read` returns; it reads what was written from accepted input, and must accept it too.
template <class Read>
auto again(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const std::exception& error) {
    require(false, std::string("what was written is refused: ") + error.what());
    throw;
  }
}

}  // namespace wafertlm::fuzz
