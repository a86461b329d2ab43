// SPDX-License-Identifier: Apache-2.0
// AES-256-GCM in RTL against published vectors and OpenSSL's; and bugs that are found.
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <systemc>

#include "models/memory_engine/rtl/gcm_rtl.h"
#include "models/rtl/axi4/stress/random_bursts.h"
#include "tests/rtl/axi4/faulty_model.h"

namespace wafertlm {
namespace {

using Bytes = GcmRtl::Bytes;
using Tag = GcmRtl::Tag;

const RtlDesign& gcm_design() {
  return find_rtl_design("axi_gcm", rtl_designs(), rtl_is_built(), [](RtlProtocol) { return true; });
}

/// Modules cannot be made after the start.
RtlModel& gcm_model() {
  static const std::unique_ptr<RtlModel> made = [] {
    auto model = gcm_design().make("gcm");
    if (sc_core::sc_get_status() < sc_core::SC_START_OF_SIMULATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return model;
  }();
  return *made;
}

Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (std::size_t k = 0; k + 1 < text.size(); k += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(k, 2), nullptr, 16)));
  return bytes;
}

Tag tag_of(const Bytes& bytes) {
  Tag tag{};
  std::copy_n(bytes.begin(), tag.size(), tag.begin());
  return tag;
}

struct Vector {
  std::string key, iv, also, plain, sealed, tag;
};

// Test cases 13 to 16 of McGrew, Viega: The Galois/Counter Mode of Operation (GCM), 2004, appendix B.
const std::vector<Vector>& vectors() {
  static const std::string key(64, '0'),
      key2 = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
  static const std::string plain =
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
      "b16aedf5aa0de657ba637b391aafd255";
  static const std::string sealed =
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
      "c5f61e6393ba7a0abcc9f662898015ad";
  static const std::vector<Vector> all = {
      {key, std::string(24, '0'), "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
      {key, std::string(24, '0'), "", std::string(32, '0'), "cea7403d4d606b6e074ec5d3baf39d18",
       "d0d1c8a799996bf0265b98b5d48ab919"},
      {key2, "cafebabefacedbaddecaf888", "", plain, sealed, "b094dac5d93471bdec1a502270e3cc6c"},
      {key2, "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2", plain.substr(0, 120),
       sealed.substr(0, 120), "76fc6ece0f4e1768cddf8853bb2d551b"},
  };
  return all;
}

TEST(AxiGcm, MakesThePublishedVectors) {
  GcmRtl rtl(gcm_design(), gcm_model());
  for (const Vector& each : vectors()) {
    const auto made =
        rtl.seal(from_hex(each.key), from_hex(each.iv), from_hex(each.also), from_hex(each.plain));
    EXPECT_EQ(made.bytes, from_hex(each.sealed));
    EXPECT_EQ(made.tag, tag_of(from_hex(each.tag)));
    const auto back =
        rtl.open(from_hex(each.key), from_hex(each.iv), from_hex(each.also), made.bytes, made.tag);
    EXPECT_EQ(back.bytes, from_hex(each.plain));
    EXPECT_TRUE(back.is_right);
  }
  EXPECT_FALSE(rtl.violation()) << to_text(*rtl.violation());
}

/// OpenSSL's.
std::pair<Bytes, Tag> sealed_by_openssl(const Bytes& key, const Bytes& iv, const Bytes& also,
                                        const Bytes& plain) {
  EVP_CIPHER_CTX* const c = EVP_CIPHER_CTX_new();
  int length = 0;
  Bytes sealed(plain.size() + 1);
  Tag tag;
  EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), nullptr, key.data(), iv.data());
  EVP_EncryptUpdate(c, nullptr, &length, also.data(), static_cast<int>(also.size()));
  EVP_EncryptUpdate(c, sealed.data(), &length, plain.data(), static_cast<int>(plain.size()));
  EVP_EncryptFinal_ex(c, sealed.data() + plain.size(), &length);
  EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, static_cast<int>(tag.size()), tag.data());
  EVP_CIPHER_CTX_free(c);
  sealed.pop_back();
  return {sealed, tag};
}

Bytes random_bytes(Axi4Draws& draw, std::size_t count) {
  Bytes bytes(count);
  for (std::uint8_t& each : bytes) each = static_cast<std::uint8_t>(draw(256));
  return bytes;
}

/// The number of the first of `pages` random pages that is not OpenSSL's; -1: none.
int first_wrong(GcmRtl& rtl, int pages, std::uint64_t seed) {
  Axi4Draws draw(seed);
  constexpr std::array<std::size_t, 6> kMost = {16, 40, 100, 1000, 4096, 20'000};
  for (int n = 0; n < pages; ++n) {
    const std::size_t bytes = draw(kMost[static_cast<std::size_t>(n) % kMost.size()] + 1);
    const Bytes key = random_bytes(draw, 32), iv = random_bytes(draw, 12),
                also = random_bytes(draw, draw(GcmRtl::kMostData + 1)), plain = random_bytes(draw, bytes);
    const auto [sealed, tag] = sealed_by_openssl(key, iv, also, plain);
    const auto made = rtl.seal(key, iv, also, plain);
    if (made.bytes != sealed || made.tag != tag) return n;
    const auto back = rtl.open(key, iv, also, sealed, tag);
    if (back.bytes != plain || !back.is_right) return n;
    // A bit of the page, the tag, what is bound to it or the IV is another one.
    Bytes other = sealed, other_also = also, other_iv = iv;
    Tag other_tag = tag;
    Bytes* const changed = draw(2) == 0 && !other.empty()  ? &other
                           : draw(2) == 0 && !also.empty() ? &other_also
                                                           : &other_iv;
    if (draw(4) == 0)
      other_tag[draw(16)] ^= static_cast<std::uint8_t>(1U << draw(8));
    else
      (*changed)[draw(changed->size())] ^= static_cast<std::uint8_t>(1U << draw(8));
    if (rtl.open(key, other_iv, other_also, other, other_tag).is_right) return n;
  }
  return -1;
}

TEST(AxiGcm, EqualsOpensslForRandomPagesAndFindsTampering) {
  GcmRtl rtl(gcm_design(), gcm_model());
  EXPECT_EQ(first_wrong(rtl, 300, 1), -1);
  EXPECT_FALSE(rtl.violation()) << to_text(*rtl.violation());
}

TEST(AxiGcm, TakesSeventeenCyclesForABlock) {
  GcmRtl rtl(gcm_design(), gcm_model());
  Axi4Draws draw(1);
  const Bytes key = random_bytes(draw, 32), iv = random_bytes(draw, 12);
  const auto cycles = [&](std::size_t bytes) { return rtl.seal(key, iv, {}, Bytes(bytes)).cycles; };
  const std::uint64_t one = cycles(2048), two = cycles(4096);
  // And one to write it and three to read it.
  EXPECT_EQ(two - one, 128U * (17 + 1 + 3));
}

TEST(AxiGcm, EveryPlantedBugIsFound) {
  struct Bug {
    const char* name;
    std::function<void(FaultyModel&)> plant;
    bool breaks_rule = false;
  };
  const auto flip = [](RtlPin& pin, std::uint32_t bit) { pin.set(bit, 1, pin.get(bit, 1) ^ 1); };
  const std::vector<Bug> bugs = {
      {"a bit of the key is lost",
       [](FaultyModel& m) {
         m.plant("s_axi_wdata", [&m](RtlPin& pin) {
           if (m.at("s_axi_awaddr", 13) == 0) pin.set(3, 1, 0);
         });
       }},
      {"the last byte is not written",
       [](FaultyModel& m) {
         m.plant("s_axi_wstrb", [&m](RtlPin& pin) {
           if (m.at("s_axi_wlast") != 0)
             pin.set(0, 16, pin.get(0, 16) & ~(pin.get(0, 16) ^ pin.get(0, 16) >> 1));
         });
       }},
      {"bytes in the wrong order",
       [](FaultyModel& m) {
         m.plant("s_axi_rdata", [](RtlPin& pin) {
           const std::uint64_t low = pin.get(0, 8);
           pin.set(0, 8, pin.get(8, 8));
           pin.set(8, 8, low);
         });
       }},
      {"the IV's last byte is 0",
       [](FaultyModel& m) {
         m.plant("s_axi_wdata", [&m](RtlPin& pin) {
           if (m.at("s_axi_awaddr", 13) == 0x20) pin.set(88, 8, 0);
         });
       }},
      {"the length of the additional data is a byte short",
       [](FaultyModel& m) {
         m.plant("s_axi_wdata", [&m](RtlPin& pin) {
           if (m.at("s_axi_awaddr", 13) == 0x30 && pin.get(32, 8) != 0) pin.set(32, 8, pin.get(32, 8) - 1);
         });
       }},
      {"every tag is right",
       [](FaultyModel& m) {
         m.plant("s_axi_rdata", [&m](RtlPin& pin) {
           if (m.at("s_axi_araddr", 13) == 0x40) pin.set(0, 32, 1);
         });
       }},
      {"the tag has a wrong bit",
       [flip](FaultyModel& m) {
         m.plant("s_axi_rdata", [&m, flip](RtlPin& pin) {
           if (m.at("s_axi_araddr", 13) == 0x50) flip(pin, 77);
         });
       }},
      {"RLAST with each beat",
       [](FaultyModel& m) { m.plant("s_axi_rlast", [](RtlPin& pin) { pin.set(0, 1, 1); }); }, true},
  };
  for (const Bug& bug : bugs) {
    FaultyModel faulty(gcm_model());
    bug.plant(faulty);
    GcmRtl rtl(gcm_design(), faulty);
    const int wrong = first_wrong(rtl, 30, 2);
    EXPECT_TRUE(bug.breaks_rule ? rtl.violation().has_value() : wrong >= 0) << bug.name;
    if (rtl.violation()) {
      EXPECT_STREQ(rtl.violation()->rule->name, "RLAST_EARLY") << bug.name;
    }
  }
}

}  // namespace
}  // namespace wafertlm
