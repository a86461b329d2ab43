// SPDX-License-Identifier: Apache-2.0
#include "platform/report/packed.h"

#include <zlib.h>

#include <stdexcept>
#include <vector>

namespace wafertlm {
namespace {

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = unsigned{bytes[i]} << 16;
    if (i + 1 < bytes.size()) group |= unsigned{bytes[i + 1]} << 8;
    if (i + 2 < bytes.size()) group |= unsigned{bytes[i + 2]};
    for (const unsigned shift : {18U, 12U, 6U, 0U}) text += kDigits[group >> shift & 63];
  }
  for (std::size_t i = 0; i < (3 - bytes.size() % 3) % 3; ++i) text[text.size() - 1 - i] = '=';
  return text;
}

}  // namespace

std::string deflated_base64(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::vector<unsigned char> bytes(size);
  const auto* const from = reinterpret_cast<const unsigned char*>(text.data());
  if (compress2(bytes.data(), &size, from, text.size(), Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::runtime_error("the data of the page cannot be compressed");
  bytes.resize(size);
  return base64(bytes);
}

}  // namespace wafertlm
