// SPDX-License-Identifier: Apache-2.0
// Chakra records put together byte by byte, independently of protobuf and of our schema file.
#pragma once
#include <cstdint>
#include <string>

namespace wafertlm::chakra::test {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes.push_back(static_cast<char>((value & 127) | 128));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

inline std::string number(unsigned field, std::uint64_t value) { return varint(field << 3U) + varint(value); }
inline std::string bytes(unsigned field, const std::string& value) {
  return varint((field << 3U) | 2U) + varint(value.size()) + value;
}
inline std::string fixed(unsigned field, std::uint64_t value, unsigned width) {
  std::string text = varint((field << 3U) | (width == 8 ? 1U : 5U));
  for (unsigned byte = 0; byte < width; ++byte) text.push_back(static_cast<char>(value >> (8 * byte)));
  return text;
}
inline std::string record(const std::string& message) { return varint(message.size()) + message; }

/// An attribute of a node from its name and its encoded value field.
inline std::string attribute(const std::string& name, const std::string& value) {
  return bytes(10, bytes(1, name) + value);
}
inline std::string node(std::uint64_t id, const std::string& name, unsigned type,
                        const std::string& rest = "") {
  return number(1, id) + bytes(2, name) + number(3, type) + rest;
}
inline std::string metadata(const std::string& version = "0.0.4") { return record(bytes(1, version)); }

}  // namespace wafertlm::chakra::test
