// SPDX-License-Identifier: Apache-2.0
// Pages with contents: what was stored comes back, and what somebody changed is found.
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <tuple>

#include "tests/support/engine_bench.h"

namespace wafertlm {
namespace {

using Bytes = std::vector<unsigned char>;

RequesterEngineParams sealed(Integrity integrity, std::uint64_t pages = 64) {
  RequesterEngineParams params;
  params.pages = pages;
  params.integrity = integrity;
  params.functional = true;
  params.cached_levels = 1;
  return params;
}

Bytes pattern(std::uint64_t bytes, unsigned seed) {
  Bytes data(bytes);
  std::iota(data.begin(), data.end(), static_cast<unsigned char>(seed));
  return data;
}

struct Variant {
  const char* name;
  bool encrypt;
  Integrity integrity;
  std::uint32_t cached_levels;
  Hiding hiding;
  std::uint64_t page_bytes = 4096;
  std::uint32_t providers = 1;
  std::uint64_t stripe_pages = 1;
};
void PrintTo(const Variant& of, std::ostream* out) { *out << of.name; }

class Contents : public ::testing::TestWithParam<Variant> {
 protected:
  RequesterEngineParams params() const {
    const Variant& of = GetParam();
    RequesterEngineParams made = sealed(of.integrity, 37);
    made.page_bytes = of.page_bytes;
    made.cipher_mode = of.encrypt ? CipherMode::store_and_forward : CipherMode::none;
    made.cached_levels = of.cached_levels;
    made.hiding = of.hiding;
    made.spare_slots = 16;
    made.providers = of.providers;
    made.stripe_pages = of.stripe_pages;
    return made;
  }
};

/// Random loads and stores of any part, many at a time on pages that no other access touches meanwhile.
TEST_P(Contents, ComeBackAsTheyWereStored) {
  const Variant& of = GetParam();
  EngineBench bench(std::uint64_t{512} * of.page_bytes, {}, {}, of.page_bytes, of.providers);
  RequesterEngine& engine = bench.add(params());
  bench.grant_all(RequesterId{}, engine.layout());
  std::mt19937 random(5);
  Bytes expected(engine.bytes());
  struct Started {
    std::uint64_t address;
    bool write;
    Bytes data;
  };
  std::uint64_t token = 0, loaded = 0;
  for (int round = 0; round < 60; ++round) {
    std::map<std::uint64_t, Started> started;
    std::uint64_t from = random() % 3000;
    while (from + 20'000 < engine.bytes()) {
      Started one{from, random() % 2 == 0, Bytes(1 + random() % 15'000)};
      if (one.write)
        for (unsigned char& byte : one.data) byte = static_cast<unsigned char>(random());
      from += one.data.size() + random() % 60'000;
      Started& placed = started[++token] = std::move(one);
      engine.start(placed.write, placed.address, placed.data.size(), placed.data.data(), token);
    }
    bench.clock.run();
    for (const auto& [number, one] : started) {
      ASSERT_EQ(bench.ended.at(number).cause, Refusal::none);
      const auto here = expected.begin() + static_cast<std::ptrdiff_t>(one.address);
      if (one.write)
        std::copy(one.data.begin(), one.data.end(), here);
      else
        ASSERT_TRUE(std::equal(one.data.begin(), one.data.end(), here)) << "access " << number;
      loaded += one.write ? 0 : one.data.size();
    }
  }
  EXPECT_GT(loaded, 100'000U);
  EXPECT_TRUE(engine.idle());
  EXPECT_EQ(engine.counters().late_failures, 0U);
}
INSTANTIATE_TEST_SUITE_P(
    Variants, Contents,
    ::testing::Values(Variant{"plain", false, Integrity::none, 0, Hiding::none},
                      Variant{"encrypted", true, Integrity::none, 0, Hiding::none},
                      Variant{"mac", true, Integrity::mac, 0, Hiding::none},
                      Variant{"mac_16k", true, Integrity::mac, 0, Hiding::none, 16384},
                      Variant{"tree", true, Integrity::tree, 1, Hiding::none},
                      Variant{"tree_in_the_engine", true, Integrity::tree, 9, Hiding::none},
                      Variant{"remap", true, Integrity::tree, 1, Hiding::remap_on_evict},
                      Variant{"dummy", true, Integrity::tree, 1, Hiding::dummy},
                      Variant{"oram", true, Integrity::mac, 0, Hiding::path_oram},
                      Variant{"oram_tree", true, Integrity::tree, 1, Hiding::path_oram},
                      Variant{"plain_on_3", false, Integrity::none, 0, Hiding::none, 4096, 3, 2},
                      Variant{"blocked_on_4", true, Integrity::tree, 1, Hiding::none, 4096, 4, 0},
                      Variant{"remap_on_3", true, Integrity::tree, 1, Hiding::remap_on_evict, 4096, 3, 2},
                      Variant{"oram_tree_on_2", true, Integrity::tree, 1, Hiding::path_oram, 4096, 2, 4}),
    [](const auto& of) { return of.param.name; });

TEST(SealedPages, AreNotReadableOnTheProvidersSide) {
  for (const bool encrypt : {false, true}) {
    EngineBench bench(1 << 20);
    RequesterEngineParams params = sealed(Integrity::none);
    params.cipher_mode = encrypt ? CipherMode::store_and_forward : CipherMode::none;
    RequesterEngine& engine = bench.add(params);
    bench.grant_all(RequesterId{}, engine.layout());
    Bytes page = pattern(4096, 1);
    ASSERT_EQ(bench.access(engine, true, 3 * 4096, 4096, page.data()), Refusal::none);
    EXPECT_EQ(bench.memory.contents.at(3) == page, !encrypt);
    const Bytes first = bench.memory.contents.at(3);
    ASSERT_EQ(bench.access(engine, true, 3 * 4096, 4096, page.data()), Refusal::none);
    EXPECT_EQ(bench.memory.contents.at(3) == first, !encrypt) << "the same page looks different each time";
  }
}

/// Any bit of a page or of its tag, also of the integrity tree.
class FlippedBit : public ::testing::TestWithParam<Integrity> {};
TEST_P(FlippedBit, IsFound) {
  EngineBench bench(1 << 20);
  RequesterEngine& engine = bench.add(sealed(GetParam()));
  const RegionLayout& layout = engine.layout();
  bench.grant_all(RequesterId{}, layout);
  Bytes page = pattern(4096, 9), loaded(4096, 0x55);
  ASSERT_EQ(bench.access(engine, true, 5 * 4096, 4096, page.data()), Refusal::none);
  std::vector<Segment> parts = {{layout.slot_address(5), 4096}, {layout.tag(5).address, 24}};
  if (GetParam() == Integrity::tree) parts.push_back({layout.nodes(), 64});
  std::mt19937 random(3);
  std::uint64_t found = 0;
  for (const Segment& part : parts)
    for (int i = 0; i < 40; ++i) {
      unsigned char& byte = bench.memory.byte(part.address + random() % part.bytes);
      const auto bit = static_cast<unsigned char>(1U << random() % 8);
      byte ^= bit;
      EXPECT_EQ(bench.access(engine, false, 5 * 4096, 4096, loaded.data()), Refusal::tampered);
      EXPECT_EQ(bench.access(engine, true, 5 * 4096 + 7, 100, page.data()), Refusal::tampered)
          << "a part is not merged into a wrong page";
      byte ^= bit;
      found += 2;
    }
  EXPECT_EQ(loaded, Bytes(4096, 0x55)) << "nothing of it reaches the host";
  EXPECT_EQ(engine.counters().refusals[static_cast<std::size_t>(Refusal::tampered)], found);
  EXPECT_EQ(bench.access(engine, false, 5 * 4096, 4096, loaded.data()), Refusal::none);
  EXPECT_EQ(loaded, page);
}
INSTANTIATE_TEST_SUITE_P(Variants, FlippedBit, ::testing::Values(Integrity::mac, Integrity::tree));

/// The provider brings back all of its memory as it was before the last store. A MAC alone is right for it.
TEST(Replay, IsFoundByTheTreeAndMissedByAMacAlone) {
  for (const bool tree : {false, true}) {
    for (const std::uint32_t cached_levels : {1U, 9U}) {
      EngineBench bench(1 << 20);
      RequesterEngineParams params = sealed(tree ? Integrity::tree : Integrity::mac);
      params.cached_levels = cached_levels;
      RequesterEngine& engine = bench.add(params);
      bench.grant_all(RequesterId{}, engine.layout());
      Bytes old_page = pattern(4096, 1), new_page = pattern(4096, 2), loaded(4096);
      ASSERT_EQ(bench.access(engine, true, 0, 4096, old_page.data()), Refusal::none);
      const auto old_memory = bench.memory.contents;
      ASSERT_EQ(bench.access(engine, true, 0, 4096, new_page.data()), Refusal::none);
      bench.memory.contents = old_memory;
      EXPECT_EQ(bench.access(engine, false, 0, 4096, loaded.data()),
                tree ? Refusal::tampered : Refusal::none);
      EXPECT_EQ(loaded == old_page, !tree);
    }
  }
}

/// One of two providers brings back its memory: the one with the page, or the one with the node above it.
TEST(Replay, ByEitherOfTwoProvidersIsFoundByTheTree) {
  for (const std::size_t liar : {0U, 1U}) {
    EngineBench bench(1 << 20, {}, {}, 4096, 2);
    RequesterEngineParams params = sealed(Integrity::tree);
    params.providers = 2;
    RequesterEngine& engine = bench.add(params);
    bench.grant_all(RequesterId{}, engine.layout());
    ASSERT_EQ(engine.layout().provider_of(9), 1U);
    ASSERT_EQ(engine.layout().provider_of_node(engine.tree()->offset({0, 9 / 8})), 1U);
    ASSERT_EQ(engine.layout().provider_of(8), 0U);  // its node is the other's
    const std::uint64_t page = liar == 0 ? 8 : 9;
    Bytes data = pattern(4096, 1);
    ASSERT_EQ(bench.access(engine, true, page * 4096, 4096, data.data()), Refusal::none);
    for (const bool of_page : {true, false}) {
      PlainMemory& memory = bench.providers[of_page ? liar : 1]->memory;
      const auto old = memory.contents;
      ASSERT_EQ(bench.access(engine, true, page * 4096, 4096, data.data()), Refusal::none);
      const auto now = memory.contents;
      memory.contents = old;
      EXPECT_EQ(bench.access(engine, false, page * 4096, 4096, data.data()), Refusal::tampered);
      memory.contents = now;
      EXPECT_EQ(bench.access(engine, false, page * 4096, 4096, data.data()), Refusal::none);
    }
  }
}

/// A right page in another page's place.
TEST(Replay, OfAnotherPageIsFoundByAMac) {
  EngineBench bench(1 << 20);
  RequesterEngine& engine = bench.add(sealed(Integrity::mac));
  bench.grant_all(RequesterId{}, engine.layout());
  Bytes page = pattern(4096, 1);
  for (std::uint64_t slot = 0; slot < 2; ++slot)
    ASSERT_EQ(bench.access(engine, true, slot * 4096, 4096, page.data()), Refusal::none);
  bench.memory.contents[0] = bench.memory.contents[1];
  const std::uint64_t tags = engine.layout().tags();
  for (std::uint64_t i = 0; i < kTagBytes; ++i)
    bench.memory.byte(tags + i) = bench.memory.byte(tags + kTagBytes + i);
  EXPECT_EQ(bench.access(engine, false, 0, 4096, page.data()), Refusal::tampered);
}

TEST(IntegrityTree, ReadsTheNodesThatAreNotInTheEngine) {
  // 512 slots: levels of 64, 8 and 1 nodes.
  for (const std::uint32_t cached : {1U, 2U, 3U}) {
    EngineBench bench(1 << 23);
    RequesterEngineParams params = sealed(Integrity::tree, 512);
    params.cached_levels = cached;
    RequesterEngine& engine = bench.add(params);
    bench.grant_all(RequesterId{}, engine.layout());
    EXPECT_EQ(engine.tree()->levels(), 3U);
    Bytes page = pattern(4096, 1);
    ASSERT_EQ(bench.access(engine, true, 4096 * 100, 4096, page.data()), Refusal::none);
    EXPECT_EQ(engine.counters().nodes_read, 3 - cached);
    EXPECT_EQ(engine.counters().nodes_written, 3 - cached);
    EXPECT_EQ(engine.counters().remote_bytes, 4096 + kTagBytes + 2 * 64 * (3 - cached));
  }
}

// A nonce that two nodes share gives their tags away: with the same key, T(a) xor T(b) of places that differ
// in the level alone would then be the same whatever the version is.
// Behind the page are the number of the sealing, the lowest byte first, and the tag; provider (its key),
// slot, page and version are told.
TEST(SlotSealer, CountsItsSealings) {
  SlotSealer sealer(make_sealers({7, RequesterId{}}, Purpose::pages, 2), 64, true);
  std::vector<unsigned char> page(64), image(64 + kTagBytes, 1);
  std::iota(page.begin(), page.end(), static_cast<unsigned char>(1));
  EXPECT_TRUE(sealer.open({0, 5, 8, 9}, image));
  EXPECT_EQ(image, std::vector<unsigned char>(64));  // nobody has sealed anything there
  for (unsigned number = 1; number <= 300; ++number) {
    sealer.seal({0, 5, 8, 9}, page.data(), image);
    ASSERT_GE(image.size(), 64U + 8 + 16);
    EXPECT_EQ(image[64], number % 256);
    EXPECT_EQ(image[65], number / 256);
    EXPECT_EQ(image[66], 0);
  }
  const std::vector<unsigned char> sealed = image;
  sealer.seal({0, 6, 8, 9}, page.data(), image);
  using Content = SlotSealer::Content;
  for (const auto& [content, right] :
       {std::pair(Content{0, 5, 8, 9}, true), std::pair(Content{1, 5, 8, 9}, false),
        std::pair(Content{0, 6, 8, 9}, false), std::pair(Content{0, 5, 7, 9}, false),
        std::pair(Content{0, 5, 8, 8}, false)}) {
    image = sealed;
    EXPECT_EQ(sealer.open(content, image), right);
    if (right) {
      EXPECT_EQ(image, page);
    }
  }
  sealer.forget(4, 2);
  image = sealed;
  EXPECT_TRUE(sealer.open({0, 5, 8, 9}, image));
  EXPECT_EQ(image, std::vector<unsigned char>(64));
}

TEST(PageSealer, NodesOfDifferentLevelsHaveDifferentNonces) {
  const PageSealer sealer(derive_key({5, RequesterId{}}, Purpose::nodes));
  const Bytes image = pattern(64, 3);
  const auto difference = [&](std::uint64_t version) {
    PageSealer::Tag a = sealer.authenticate(std::uint64_t{1} << 56 | 9, version, image.data(), image.size());
    const PageSealer::Tag b =
        sealer.authenticate(std::uint64_t{2} << 56 | 9, version, image.data(), image.size());
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<unsigned char>(a[i] ^ b[i]);
    return a;
  };
  EXPECT_NE(difference(1), difference(2));
  EXPECT_NE(difference(2), difference(3));
}

}  // namespace
}  // namespace wafertlm
