// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <string>

namespace wafertlm {

/// The readers of what a user gives. Only regular files: nothing waits for a FIFO or reads a device for ever.

/// Bytes that a file which is kept whole in memory may have: kInputLimitVariable of the environment (a plain
/// number of bytes, which `--input-limit` sets), else 16 MiB.
std::uint64_t input_limit();
constexpr const char* kInputLimitVariable = "WAFERTLM_INPUT_LIMIT";

/// What a file is known by while it is read.
struct FileVersion {
  std::uint64_t bytes = 0;
  std::int64_t written_ns = 0;
};

/// Why this is no file that can be read: "cannot be read: it is a FIFO, not a regular file"; empty: it can,
/// and is this `version`.
std::string why_unreadable(const std::string& path, FileVersion* version = nullptr);

/// All of a file. @throws std::invalid_argument: "PATH: " and why_unreadable, or that it is longer than
/// `most_bytes`.
std::string read_input(const std::string& path, std::uint64_t most_bytes = input_limit());

/// To be read piece by piece, however long it is. @throws std::invalid_argument: "PATH: " and why_unreadable.
std::ifstream open_input(const std::string& path);

/// The next line without its end; false: there is none. @throws std::invalid_argument: it is longer than
/// `most_bytes`.
bool next_line(std::istream& in, std::string& line, std::uint64_t most_bytes = input_limit());

/// Where a JSON parser stopped and why, for people: `byte` of `text`, from 1, becomes a line and a column,
/// and `what` loses the parser's own name in brackets.
struct JsonProblem {
  int line = 1, column = 1;
  std::string why;  ///< "JSON syntax: …"
};
JsonProblem json_problem(const std::string& text, std::size_t byte, const std::string& what);

}  // namespace wafertlm
