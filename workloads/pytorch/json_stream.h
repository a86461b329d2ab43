// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace wafertlm::pytorch {

/// What read_json() calls, in the order of the file. Texts are valid during the call only.
class JsonVisitor {
 public:
  virtual void begin(char bracket) = 0;  ///< '{' or '['
  virtual void end(char bracket) = 0;    ///< '}' or ']'
  virtual void key(std::string_view text) = 0;
  /// A string, or as it is written a number, true, false or null.
  virtual void value(std::string_view text, bool is_string) = 0;
  /// What has come of an element of a list is damaged: JSON that is none, or it was refused by an
  /// std::invalid_argument. `line` is where. Returns the depth of the list, of which the next element is what
  /// comes then; 0: it cannot go on.
  virtual std::size_t skip(const std::string& /*what*/, const std::function<std::size_t()>& /*line*/) {
    return 0;
  }
  virtual void finish() = 0;  ///< the file has ended. @throws std::invalid_argument: what it lacks

 protected:
  ~JsonVisitor() = default;
};

/// Reads a JSON file, plain or gzip, from its start to its end; memory does not grow with the file.
/// @throws chakra::TraceError that names the file and the byte (of unpacked data): it cannot be opened, is
/// empty, damaged or truncated where the visitor cannot skip it, or a visitor's std::invalid_argument.
void read_json(const std::string& path, JsonVisitor& visitor);

}  // namespace wafertlm::pytorch
