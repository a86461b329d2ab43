// SPDX-License-Identifier: Apache-2.0
// What the provider sees of the access pattern.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "models/memory_engine/access_pattern.h"
#include "tests/support/engine_bench.h"
#include "tests/support/refusal.h"

namespace wafertlm {
namespace {

RequesterEngineParams hidden(Hiding hiding, std::uint64_t pages) {
  RequesterEngineParams params;
  params.pages = pages;
  params.integrity = Integrity::mac;
  params.hiding = hiding;
  params.spare_slots = pages / 8;
  return params;
}

/// Every second access goes to a sixteenth of the pages.
IndependenceTest::Result seen(Hiding hiding, int accesses, std::uint64_t seed, std::uint32_t providers = 1) {
  constexpr std::uint64_t kPages = 1024;
  RequesterEngineParams params = hidden(hiding, kPages);
  params.seed = seed;
  params.providers = providers;
  EngineBench bench(std::uint64_t{1} << 26, {}, {}, 4096, providers);
  RequesterEngine& engine = bench.add(params);
  bench.grant_all(params.id, engine.layout());
  AccessPattern pattern(engine.layout(), kPages);
  for (std::uint32_t p = 0; p < providers; ++p) bench.providers[p]->engine.observe(pattern, p);
  std::mt19937_64 random(seed);
  for (int i = 0; i < accesses; ++i) {
    const std::uint64_t page = random() % (random() % 2 ? kPages : kPages / 16);
    pattern.begin(page);
    EXPECT_EQ(bench.access(engine, random() % 2 == 0, page * 4096, 4096), Refusal::none);
  }
  return pattern.result();
}

/// One case in a thousand fails that is independent.
constexpr double kThreshold = 3.09;

TEST(Hiding, UnderPathOramAddressesAreIndependentOfTheWorkload) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto result = seen(Hiding::path_oram, 1500, seed);
    EXPECT_LT(result.z, kThreshold) << result.chi_square << " with " << result.degrees_of_freedom;
    EXPECT_GT(result.z, -kThreshold) << "too good to be random";
    EXPECT_EQ(result.degrees_of_freedom, 15U * 7U);  // the leaves are the upper half of the slots
  }
}

/// Four providers that tell each other everything.
TEST(Hiding, AlsoFromProvidersTogether) {
  const auto hidden = seen(Hiding::path_oram, 1500, 4, 4), open = seen(Hiding::none, 1500, 4, 4);
  EXPECT_LT(std::abs(hidden.z), kThreshold) << hidden.chi_square << " with " << hidden.degrees_of_freedom;
  EXPECT_GT(open.z, 20);
}

TEST(Hiding, WithoutItTheyAreNot) {
  EXPECT_GT(seen(Hiding::none, 1500, 1).z, 20);
  EXPECT_GT(seen(Hiding::remap_on_evict, 1500, 1).z, 20) << "where a page is read again and again shows";
  EXPECT_GT(seen(Hiding::dummy, 1500, 1).z, kThreshold);
}

TEST(Hiding, AnUnlikelyTableIsFoundAndALikelyOneIsNot) {
  IndependenceTest even(2, 2), uneven(2, 2);
  for (int i = 0; i < 100; ++i) {
    even.observe(i % 2 == 0, i % 4 < 2);
    uneven.observe(i % 2 == 0, i % 2 == 0);
  }
  EXPECT_EQ(even.result().chi_square, 0);
  EXPECT_EQ(uneven.result().chi_square, 100);  // n, as rows and columns are the same
  EXPECT_EQ(uneven.result().degrees_of_freedom, 1U);
}

/// 2^23 pages of 4 KiB: 23 levels of buckets of 4, 33.5 million slots.
TEST(PathOram, MovesNinetyTwoBlocksThereAndBack) {
  RequesterEngineParams params = hidden(Hiding::path_oram, std::uint64_t{1} << 23);
  EngineBench bench(std::uint64_t{160} << 30, {}, {Validation::region, 0}, std::uint64_t{1} << 30);
  RequesterEngine& engine = bench.add(params);
  bench.provider.grant(params.id, 0, 1);
  EXPECT_EQ(engine.oram()->levels(), 23U);
  EXPECT_EQ(engine.layout().slots, 33'554'428U);
  std::mt19937_64 random(1);
  for (std::uint64_t i = 1; i <= 50; ++i) {
    EXPECT_EQ(bench.access(engine, i % 3 == 0, random() % params.pages * 4096, 4096), Refusal::none);
    EXPECT_EQ(engine.counters().slots_read, 92 * i);
    EXPECT_EQ(engine.counters().slots_written, 92 * i);
  }
  EXPECT_EQ(engine.counters().remote_bytes, 50U * 184 * (4096 + kTagBytes));
}

TEST(PathOram, KeepsEveryPageOnItsPathOrInASmallStash) {
  PathOram oram(1 << 10, 4, derive_key({7, RequesterId{}}, Purpose::hiding));
  EXPECT_EQ(oram.levels(), 10U);
  EXPECT_EQ(oram.slots(), 4U * 1023);
  std::mt19937_64 random(2);
  std::set<std::uint64_t> used;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t page = random() % 1024, leaf = oram.leaf_of(page);
    std::uint64_t here = 0;
    for (const std::uint64_t slot : oram.paths({leaf})) here += oram.content(slot) == page;
    ASSERT_TRUE(here == 1 || !used.count(page) || oram.stash() != 0);
    used.insert(page);
    oram.take({leaf});
    oram.remap(page);
    oram.hold(page);
    oram.put_back({leaf});
    ASSERT_LT(oram.stash(), 90U);  // what Stefanov et al. size the stash for
  }
  std::uint64_t pages = oram.stash();
  for (std::uint64_t slot = 0; slot < oram.slots(); ++slot) pages += oram.content(slot) != PathOram::kDummy;
  EXPECT_EQ(pages, used.size());
}

TEST(Hiding, CountsWhatItCosts) {
  struct Cost {
    Hiding hiding;
    std::uint64_t load_reads, load_writes, store_reads, store_writes;
  };
  for (const Cost& of : {Cost{Hiding::none, 1, 0, 0, 1}, Cost{Hiding::remap_on_evict, 1, 0, 0, 1},
                         Cost{Hiding::dummy, 4, 0, 4, 4}, Cost{Hiding::path_oram, 40, 40, 40, 40}}) {
    EngineBench bench(std::uint64_t{1} << 26);
    RequesterEngineParams params = hidden(of.hiding, 1024);
    RequesterEngine& engine = bench.add(params);
    bench.grant_all(params.id, engine.layout());
    bench.access(engine, false, 0, 4096);
    EXPECT_EQ(engine.counters().slots_read, of.load_reads);
    EXPECT_EQ(engine.counters().slots_written, of.load_writes);
    bench.access(engine, true, 0, 4096);
    EXPECT_EQ(engine.counters().slots_read, of.load_reads + of.store_reads);
    EXPECT_EQ(engine.counters().slots_written, of.load_writes + of.store_writes);
  }
}

// Each number at both sides of its limit.
TEST(Hiding, RefusesWhatMakesNoSense) {
  const auto refusal = [](auto change) {
    RequesterEngineParams params = hidden(Hiding::none, 64);
    change(params);
    const std::string text = test::refusal_of([&] { require_sound(params); });
    EXPECT_EQ(text.substr(0, 15), text.empty() ? "" : "memory engine: ");
    return text.substr(std::min<std::size_t>(15, text.size()));
  };
  using P = RequesterEngineParams;
  const auto pages = [](std::uint64_t bytes) {
    return "pages of " + std::to_string(bytes) + " B; must be a power of two from 4 KiB to 1 GiB";
  };
  EXPECT_EQ(refusal([](P&) {}), "");
  EXPECT_EQ(refusal([](P& p) { p.page_bytes = 2048; }), pages(2048));
  EXPECT_EQ(refusal([](P& p) { p.page_bytes = 12288; }), pages(12288));
  EXPECT_EQ(refusal([](P& p) { p.page_bytes = 1U << 31; }), pages(1U << 31));
  EXPECT_EQ(refusal([](P& p) { p.page_bytes = 1U << 30; }), "");
  EXPECT_EQ(refusal([](P& p) { p.pages = 0; }), "0 pages; must be at least 1, and at most 4 PiB together");
  EXPECT_EQ(refusal([](P& p) { p.pages = 1; }), "");
  // 4 PiB are 2^52 B: 2^39 pages of 8 KiB.
  EXPECT_EQ(refusal([](P& p) { p.page_bytes = 8192, p.pages = std::uint64_t{1} << 39; }), "");
  EXPECT_EQ(refusal([](P& p) { p.page_bytes = 8192, p.pages = (std::uint64_t{1} << 39) + 1; }),
            "549755813889 pages; must be at least 1, and at most 4 PiB together");
  EXPECT_EQ(refusal([](P& p) { p.base_address = 4096 + 64; }), "the region must begin with a page");
  EXPECT_EQ(refusal([](P& p) { p.base_address = 8192; }), "");
  EXPECT_EQ(refusal([](P& p) { p.providers = 0; }), "pages need at least one provider");
  EXPECT_EQ(refusal([](P& p) { p.outstanding = 0; }), "at least one page access must be under way");
  EXPECT_EQ(refusal([](P& p) { p.outstanding = 1; }), "");
  EXPECT_EQ(refusal([](P& p) { p.dma.bytes_per_s = 0; }), "the host's DMA needs a bandwidth");
  for (PipelineParams P::*pipeline : {&P::cipher, &P::mac}) {
    EXPECT_EQ(refusal([&](P& p) { (p.*pipeline).clock_hz = 0; }),
              "a pipeline needs bytes per cycle and a clock");
    EXPECT_EQ(refusal([&](P& p) { (p.*pipeline).bytes_per_cycle = 0; }),
              "a pipeline needs bytes per cycle and a clock");
    EXPECT_EQ(refusal([&](P& p) { p.*pipeline = {1, 1, 0}; }), "");
  }
  for (const std::uint32_t arity : {1U, 2U, 64U, 65U})
    EXPECT_EQ(refusal([&](P& p) { p.tree_arity = arity; }),
              arity == 1 || arity == 65 ? "a tree's nodes have 2 to 64 children" : "");
  for (const std::uint32_t blocks : {0U, 1U, 64U, 65U})
    EXPECT_EQ(refusal([&](P& p) { p.bucket_blocks = blocks; }),
              blocks == 0 || blocks == 65 ? "a bucket has 1 to 64 blocks" : "");
  EXPECT_EQ(refusal([](P& p) { p.stash_pages = 0; }), "a Path-ORAM needs room for a page in the engine");
  EXPECT_EQ(refusal([](P& p) { p.journal_pages = 0; }), "the journal needs room for a page");
  EXPECT_EQ(refusal([](P& p) { p.hiding = Hiding::remap_on_evict, p.spare_slots = p.outstanding - 1; }),
            "remap_on_evict needs a spare slot for each outstanding page access");
  EXPECT_EQ(refusal([](P& p) { p.hiding = Hiding::remap_on_evict, p.spare_slots = p.outstanding; }), "");
  EXPECT_EQ(refusal([](P& p) { p.hiding = Hiding::path_oram, p.spare_slots = 0; }), "");
  EXPECT_EQ(refusal([](P& p) { p.hiding = Hiding::dummy, p.dummies = 0; }),
            "dummy needs at least one dummy access");
  EXPECT_EQ(refusal([](P& p) { p.hiding = Hiding::dummy, p.dummies = 64; }),
            "there must be more pages than dummies");
  EXPECT_EQ(refusal([](P& p) { p.hiding = Hiding::dummy, p.dummies = 63; }), "");
  // 2^40 pages in 4 times as many slots, two a node.
  EXPECT_EQ(refusal([](P& p) {
              p.pages = std::uint64_t{1} << 40, p.hiding = Hiding::path_oram, p.integrity = Integrity::tree,
              p.tree_arity = 2;
            }),
            "an integrity tree has at most 2^40 nodes of a level");
  EXPECT_EQ(refusal([](P& p) { p.dummies = 0; }), "");
  EXPECT_EQ(refusal([](P& p) { p.dummies = 64; }), "");
  for (const Integrity integrity : {Integrity::none, Integrity::mac, Integrity::tree})
    EXPECT_EQ(refusal([&](P& p) { p.cipher_mode = CipherMode::none, p.integrity = integrity; }),
              integrity == Integrity::none
                  ? ""
                  : "a MAC or a tree needs encrypted pages: AES-GCM makes ciphertext and tag together");
  EXPECT_EQ(refusal([](P& p) {
              p.cipher_mode = CipherMode::none, p.integrity = Integrity::none, p.hiding = Hiding::path_oram;
            }),
            "hiding where a page is makes no sense while it can be read: encrypt it");
}

// A write that failed is in the journal and has moved the page: one slot is free again, or soon there would
// be none.
TEST(Hiding, AFailedWriteGivesItsFreshSlotBack) {
  RequesterEngineParams params = hidden(Hiding::remap_on_evict, 16);
  params.spare_slots = params.outstanding;
  EngineBench bench(std::uint64_t{1} << 22);
  RequesterEngine& engine = bench.add(params);
  bench.grant_all(params.id, engine.layout());
  for (int round = 0; round < 3; ++round) {
    bench.memory.fail_from = 0;
    for (std::uint64_t k = 0; k < 2 * params.outstanding; ++k)
      EXPECT_NE(bench.access(engine, true, k % 16 * 4096, 4096), Refusal::none);
    bench.memory.fail_from = ~std::uint64_t{0};
    for (std::uint64_t page = 0; page < 16; ++page) {
      EXPECT_EQ(bench.access(engine, true, page * 4096, 4096), Refusal::none);
      EXPECT_EQ(bench.access(engine, false, page * 4096, 4096), Refusal::none);
    }
  }
}

}  // namespace
}  // namespace wafertlm
