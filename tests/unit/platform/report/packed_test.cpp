// SPDX-License-Identifier: Apache-2.0
#include "platform/report/packed.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <vector>

namespace wafertlm {
namespace {

/// RFC 4648, letter by letter.
std::vector<unsigned char> bytes_of(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  unsigned bits = 0, group = 0;
  for (const char letter : base64) {
    if (letter == '=') break;
    group = group << 6 | static_cast<unsigned>(digits.find(letter));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<unsigned char>(group >> bits & 255));
  }
  return bytes;
}

TEST(Packed, ComesBackWhatWasPut) {
  std::mt19937 random(3);
  for (std::size_t length = 0; length < 300; length += length < 9 ? 1 : 37) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(random());
    const std::string packed = deflated_base64(text);
    EXPECT_EQ(packed.size() % 4, 0U);
    const auto bytes = bytes_of(packed);
    std::string back(length + 1, ' ');
    uLongf size = back.size();
    ASSERT_EQ(uncompress(reinterpret_cast<unsigned char*>(back.data()), &size, bytes.data(), bytes.size()),
              Z_OK);
    EXPECT_EQ(back.substr(0, size), text);
  }
  EXPECT_LT(deflated_base64(std::string(100'000, 'x')).size(), 1000U);
}

}  // namespace
}  // namespace wafertlm
