// SPDX-License-Identifier: Apache-2.0
// What stays: a place of a memory that is broken, pages that are not granted again, a memory with another's
// bytes.
#include <gtest/gtest.h>

#include <deque>

#include "tests/support/attacks/scene.h"

namespace wafertlm::test {
namespace {

constexpr CipherMode kAesGcm = CipherMode::store_and_forward;
constexpr Protection kPlain{"plain", CipherMode::none, Integrity::none, Hiding::none};
constexpr Protection kMac{"mac", kAesGcm, Integrity::mac, Hiding::none};
constexpr Protection kTree{"tree", kAesGcm, Integrity::tree, Hiding::none};
constexpr Protection kRemap{"remap", kAesGcm, Integrity::mac, Hiding::remap_on_evict};
constexpr Protection kOram{"oram", kAesGcm, Integrity::mac, Hiding::path_oram};

using Fate = PlainMemory::Fate;

// The page of a slot fails for ever, its tag does not: what the engine has of them stays together.
TEST(LastingFaults, ABrokenPlaceIsReadFromTheJournal) {
  for (const Protection& protection : {kMac, kOram}) {
    Scene scene(protection);
    const bool is_oram = protection.hiding == Hiding::path_oram;
    const std::uint64_t bad = scene.page_at(is_oram ? 0 : 5).address;  // a slot of the root is on every path
    scene.memory.fate = [bad](bool write, std::uint64_t address) {
      return write && address == bad ? Fate::failed : Fate::served;
    };
    scene.store(5, page_of(0xA7));
    ASSERT_FALSE(scene.tenant.journal().empty());
    scene.memory.fate = [bad](bool, std::uint64_t address) {
      return address == bad ? Fate::failed : Fate::served;
    };
    for (std::uint64_t page = 0; page < Scene::kPages; ++page)
      EXPECT_EQ(scene.outcome(page, page_of(static_cast<unsigned char>(page == 5 ? 0xA7 : page))),
                "no effect")
          << protection.name << " page " << page;
  }
}

// A revoked spare slot costs a store that draws it, and no page.
TEST(LastingFaults, ARevokedSpareSlotLosesNoPage) {
  Scene scene(kRemap, 1, {}, [](RequesterEngineParams& params) { params.spare_slots = 16; });
  for (std::uint64_t slot = 20; slot < 36; ++slot) scene.provider.revoke(slot, 1);  // some of them spare
  std::uint64_t refused = 0;
  for (unsigned char round = 0; round < 200; ++round) {
    refused += scene.store(7, page_of(round)) != Refusal::none;
    Bytes data;
    const Refusal loaded = scene.load(7, data);
    if (loaded == Refusal::none) {
      EXPECT_EQ(data, page_of(round)) << "what was refused may have taken effect, what was stored has";
    }
  }
  EXPECT_GT(refused, 0U);
}

// Stores that a revocation overtakes do not keep others from being written, nor slow loads down.
TEST(LastingFaults, PagesThatAreNotGrantedAgainDoNotFillTheJournal) {
  for (const Protection& protection : {kPlain, kMac, kTree}) {
    EngineBench bench(1 << 22);
    RequesterEngineParams params = Scene::params_of(protection, 1, {});
    params.pages = 200;
    RequesterEngine& engine = bench.add(params);
    bench.grant_all(params.id, engine.layout());
    Bytes data(4096, 1);
    const auto time_of_a_load = [&] {
      const TimePs start = bench.clock.now();
      EXPECT_EQ(bench.access(engine, false, 199 * 4096, 4096, data.data()), Refusal::none);
      return bench.clock.now() - start;
    };
    ASSERT_EQ(bench.access(engine, true, 199 * 4096, 4096, data.data()), Refusal::none);
    const TimePs before = time_of_a_load();
    for (std::uint64_t page = 0; page < 100; ++page) {
      engine.start(true, page * 4096, 4096, data.data(), page);
      bench.clock.run(bench.clock.now() + 200'000);
      bench.provider.revoke(page, 1);
      bench.clock.run();
      EXPECT_EQ(bench.ended.at(page).cause, Refusal::revoked);
      EXPECT_EQ(bench.access(engine, true, 199 * 4096, 4096, data.data()), Refusal::none) << protection.name;
    }
    EXPECT_EQ(time_of_a_load(), before);
  }
}

// A store of a part reads first: a page that may only be written refuses the whole request.
TEST(LastingFaults, ARequestNeedsAllRightsOfAllItsPages) {
  Scene scene(kMac);
  scene.provider.grant(Scene::kTenant, 1, 1, {false, true});
  Bytes data(8192 - 200, 0xDD);
  const auto before = scene.memory.contents;
  EXPECT_EQ(scene.access(scene.tenant, true, 100, data.size(), data.data()), Refusal::no_right);
  EXPECT_EQ(scene.memory.contents, before);
  EXPECT_EQ(scene.store(1, page_of(9)), Refusal::none) << "a whole page is only written";
}

// Whoever has a page of a region may write all of it, and its revocation waits for that.
TEST(LastingFaults, RevocationOfARegionWaitsForAllOfIt) {
  ProviderEngineParams params;
  params.validation = Validation::region;
  Scene scene(kPlain, 1, params);
  Impostor other(scene);
  scene.provider.enrol(other.node(), Scene::kOther);
  const std::uint64_t own = scene.tenant.layout().end() / 4096;
  scene.provider.grant(Scene::kOther, own, 1);
  EngineMessage message;
  message.write = true;
  message.requester = Scene::kOther;
  message.segments = {{std::uint64_t{3} * 4096, 4096}};
  message.data.assign(4096, 0xDD);
  const std::uint64_t before = scene.memory.accesses;
  other.send(message);
  while (scene.memory.accesses == before) scene.clock.run(scene.clock.now() + 1000);
  Bytes at_the_end;
  scene.provider.revoke(own, 1, [&] { at_the_end = Scene::read(scene.memory, scene.page_at(3)); });
  EXPECT_TRUE(at_the_end.empty());
  scene.clock.run();
  EXPECT_EQ(at_the_end, Bytes(4096, 0xDD));
}

// A revocation waits for what was under way then, not for what comes under the next grant.
TEST(LastingFaults, ARevocationEndsWhileTheNextGrantIsUsed) {
  Scene scene(kPlain);
  Impostor other(scene);
  scene.provider.enrol(other.node(), Scene::kTenant);
  std::deque<EngineMessage> messages;
  bool over = false;
  for (int i = 0; i < 200; ++i) {
    EngineMessage& message = messages.emplace_back();
    message.requester = Scene::kTenant;
    message.segments = {{0, 4096}};
    message.data.resize(4096);
    other.send(message);
    scene.clock.run(scene.clock.now() + 40'000);
    if (i != 100) continue;
    scene.provider.revoke(0, 1, [&] { over = true; });
    scene.provider.grant(Scene::kTenant, 0, 1);
    EXPECT_FALSE(over);
  }
  EXPECT_TRUE(over);
  scene.clock.run();
}

// A tree over a memory in which another tenant has left its bytes.
TEST(LastingFaults, WhatWasNeverStoredReadsAsZerosWhateverIsThere) {
  for (const Protection& protection : {kMac, kTree, kOram}) {
    EngineBench bench(1 << 22);
    RequesterEngine& engine = bench.add(Scene::params_of(protection, 1, {}));
    bench.grant_all(RequesterId{}, engine.layout());
    for (std::uint64_t address = 0; address < engine.layout().end(); ++address)
      bench.memory.byte(address) = 0x5A;
    Bytes data(4096, 1);
    EXPECT_EQ(bench.access(engine, false, 4096, 4096, data.data()), Refusal::none) << protection.name;
    EXPECT_EQ(data, Bytes(4096));
    data = page_of(3);
    EXPECT_EQ(bench.access(engine, true, 4096, 4096, data.data()), Refusal::none);
    data.assign(4096, 1);
    EXPECT_EQ(bench.access(engine, false, 4096, 4096, data.data()), Refusal::none);
    EXPECT_EQ(data, page_of(3));
  }
}

// A provider that fails every path ends the run before what must be read again is the whole tree.
TEST(LastingFaults, PathsThatCannotBeReadAreNotOwedForEver) {
  Scene scene(kOram);
  scene.memory.fate = [](bool write, std::uint64_t) { return write ? Fate::served : Fate::failed; };
  Bytes data;
  const auto fail_for_long = [&] {
    for (std::uint64_t i = 0; i < 100; ++i) scene.load(i % Scene::kPages, data);
  };
  EXPECT_THROW(fail_for_long(), std::runtime_error);
}

}  // namespace
}  // namespace wafertlm::test
