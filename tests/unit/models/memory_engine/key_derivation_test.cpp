// SPDX-License-Identifier: Apache-2.0
#include "models/memory_engine/key_derivation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace wafertlm {
namespace {

std::string from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

std::string hkdf(const std::string& secret, const std::string& salt, const std::string& info,
                 std::size_t bytes) {
  std::string out(bytes, '\0');
  hkdf_sha256(secret, salt, info, reinterpret_cast<unsigned char*>(out.data()), bytes);
  return out;
}

// Appendices A.1 and A.2 of RFC 5869.
TEST(KeyDerivation, IsHkdfOfTheStandard) {
  EXPECT_EQ(hkdf(std::string(22, '\x0b'), from_hex("000102030405060708090a0b0c"),
                 from_hex("f0f1f2f3f4f5f6f7f8f9"), 42),
            from_hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"));
  std::string secret, salt, info;
  for (int i = 0; i < 80; ++i) {
    secret += static_cast<char>(i);
    salt += static_cast<char>(0x60 + i);
    info += static_cast<char>(0xb0 + i);
  }
  EXPECT_EQ(
      hkdf(secret, salt, info, 82),
      from_hex("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e59"
               "0e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"));
}

TEST(KeyDerivation, DiffersInEverything) {
  std::set<Key> keys;
  for (const std::uint64_t seed : {0U, 1U, 2U})
    for (std::uint16_t tenant = 0; tenant < 4; ++tenant)
      for (const Purpose purpose : {Purpose::pages, Purpose::nodes, Purpose::hiding})
        for (std::uint32_t provider = 0; provider < 3; ++provider)
          for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
            keys.insert(derive_key({seed, RequesterId{tenant}, epoch}, purpose, provider));
  EXPECT_EQ(keys.size(), 3U * 4 * 3 * 3 * 3);
}

// The first test vector of appendix A.1 of RFC 8439: key, nonce and counter are 0.
TEST(KeyDerivation, RandomNumbersAreTheKeyStreamOfChaCha20) {
  KeyedRandom random(Key{});
  std::string stream;
  for (int word = 0; word < 8; ++word)
    for (std::uint64_t value = random(), i = 0; i < 8; ++i)
      stream += static_cast<char>(value >> 8 * i & 0xFF);
  EXPECT_EQ(stream, from_hex("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                             "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"));
}

// Chi-square with 15 degrees of freedom: beyond 37.7 one in a thousand.
TEST(KeyDerivation, RandomNumbersAreEquallyLikely) {
  KeyedRandom random(derive_key({1, RequesterId{2}}, Purpose::hiding));
  std::map<std::uint64_t, int> counts;
  for (int i = 0; i < 160'000; ++i) ++counts[random.below(16)];
  double chi_square = 0;
  for (std::uint64_t value = 0; value < 16; ++value)
    chi_square += (counts[value] - 10'000.0) * (counts[value] - 10'000.0) / 10'000.0;
  EXPECT_LT(chi_square, 37.7);
  EXPECT_EQ(counts.size(), 16U);
}

}  // namespace
}  // namespace wafertlm
