// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace wafertlm::chakra {

/// A trace or a group file that cannot be simulated. The message starts with the file (or the name of the
/// source), then the byte or the node, and says what was expected.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A text from a file as a message may show it: control characters are escaped ("\n", "\x1b").
std::string printable(const std::string& text);

/// What `read` returns; what it throws for a file that is no input as a TraceError.
template <typename Read>
auto as_trace_error(const Read& read) {
  try {
    return read();
  } catch (const std::invalid_argument& error) {
    throw TraceError(error.what());
  }
}

}  // namespace wafertlm::chakra
