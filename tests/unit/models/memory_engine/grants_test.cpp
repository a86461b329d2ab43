// SPDX-License-Identifier: Apache-2.0
// No byte without a grant.
#include <gtest/gtest.h>

#include "tests/support/engine_bench.h"

namespace wafertlm {
namespace {

constexpr RequesterId kAnn{1}, kBob{2};
std::uint64_t count_of(const RefusalCounts& counts, Refusal of) {
  return counts[static_cast<std::size_t>(of)];
}

RequesterEngineParams plain_engine(RequesterId id, bool functional = true) {
  RequesterEngineParams params;
  params.id = id;
  params.pages = 64;
  params.functional = functional;
  params.cipher_mode = CipherMode::none;
  params.integrity = Integrity::none;
  return params;
}

TEST(Grants, WithoutOneNothingMovesAndItIsCountedByCause) {
  for (const bool encrypt : {false, true}) {
    EngineBench bench(1 << 20);
    RequesterEngineParams params = plain_engine(kAnn);
    params.cipher_mode = encrypt ? CipherMode::store_and_forward : CipherMode::none;
    params.integrity = encrypt ? Integrity::mac : Integrity::none;
    RequesterEngine& ann = bench.add(params);
    params.id = kBob;
    RequesterEngine& bob = bench.add(params);
    std::vector<unsigned char> data(4096, 7);
    const auto both_fail = [&](RequesterEngine& engine, Refusal why, std::uint64_t address = 4096) {
      for (const bool write : {true, false}) {
        const auto before = bench.memory.accesses;
        EXPECT_EQ(bench.access(engine, write, address, 4096, data.data()), why);
        EXPECT_EQ(bench.memory.accesses, before);
      }
      EXPECT_EQ(count_of(engine.counters().refusals, why), 2U);
      EXPECT_EQ(data, std::vector<unsigned char>(4096, 7));
    };
    both_fail(ann, Refusal::not_granted);
    both_fail(ann, Refusal::outside_region, 64 * 4096 - 1);
    bench.grant_all(kAnn, ann.layout());
    EXPECT_EQ(bench.access(ann, true, 4096, 4096, data.data()), Refusal::none);
    both_fail(bob, Refusal::of_another);
    bench.provider.revoke(1, 1);
    both_fail(ann, Refusal::revoked);
    EXPECT_EQ(ann.counters().bytes_written, 4096U);
    EXPECT_EQ(bob.counters().remote_bytes, 0U);
    EXPECT_EQ(bench.network.messages(), 2U) << "the engine knows its grants: what it refuses is not sent";
  }
}

TEST(Grants, OfReadingDoNotAllowWriting) {
  EngineBench bench(1 << 20);
  RequesterEngine& ann = bench.add(plain_engine(kAnn));
  bench.grant_all(kAnn, ann.layout(), {true, false});
  std::vector<unsigned char> data(100);
  EXPECT_EQ(bench.access(ann, false, 50, 100, data.data()), Refusal::none);
  EXPECT_EQ(bench.access(ann, true, 50, 100, data.data()), Refusal::no_right);
}

/// RDMA registers a region: whoever has a page of it reaches all pages.
TEST(Grants, OfAPageOpenTheWholeRegionUnderRdma) {
  for (const Validation validation : {Validation::region, Validation::page}) {
    EngineBench bench(1 << 20, {}, {validation, 0});
    RequesterEngine& ann = bench.add(plain_engine(kAnn));
    std::vector<unsigned char> data(100);
    EXPECT_EQ(bench.access(ann, false, 5000, 100, data.data()), Refusal::not_granted);
    bench.provider.grant(kAnn, 0, 1);
    EXPECT_EQ(bench.access(ann, false, 5000, 100, data.data()),
              validation == Validation::region ? Refusal::none : Refusal::not_granted);
  }
}

/// Pages of one access with two providers: if one refuses, the host gets nothing.
TEST(Grants, OfOneProviderAreNotTheOthers) {
  EngineBench bench(1 << 20, {}, {}, 4096, 2);
  RequesterEngineParams params = plain_engine(kAnn);
  params.providers = 2;
  RequesterEngine& ann = bench.add(params);
  bench.grant_all(kAnn, ann.layout());
  std::vector<unsigned char> data(8192, 7);
  EXPECT_EQ(bench.access(ann, true, 0, 8192, data.data()), Refusal::none);
  bench.providers[1]->engine.revoke(0, 1);  // page 1; page 0 is the other's page 0
  data.assign(8192, 9);
  EXPECT_EQ(bench.access(ann, false, 0, 8192, data.data()), Refusal::revoked);
  EXPECT_EQ(data, std::vector<unsigned char>(8192, 9));
  EXPECT_EQ(bench.access(ann, false, 0, 4096, data.data()), Refusal::none);
  EXPECT_EQ(bench.access(ann, false, 2 * 4096, 4096, data.data()), Refusal::none);
  EXPECT_EQ(bench.access(ann, false, 4096, 1, data.data()), Refusal::revoked);
  EXPECT_EQ(count_of(ann.counters().refusals, Refusal::revoked), 2U);
}

TEST(Grants, AMemoryErrorIsNamed) {
  EngineBench bench(1 << 20);
  RequesterEngine& ann = bench.add(plain_engine(kAnn));
  bench.grant_all(kAnn, ann.layout());
  bench.memory.fail_from = 8192;
  std::vector<unsigned char> data(4096);
  EXPECT_EQ(bench.access(ann, false, 8190, 4, data.data()), Refusal::memory_error);
  EXPECT_EQ(count_of(bench.provider.refusals(), Refusal::memory_error), 1U);
}

/// A page that is revoked while it is being read does not leave, and it is not granted to somebody else
/// before the accesses under the old grant are over.
TEST(Grants, RevokedMeanwhile) {
  EngineBench bench(1 << 20);
  RequesterEngine& ann = bench.add(plain_engine(kAnn));
  bench.grant_all(kAnn, ann.layout());
  std::vector<unsigned char> data(4096, 7);
  for (const bool write : {false, true}) {
    const std::uint64_t before = bench.memory.accesses;
    ann.start(write, 0, 4096, data.data(), write);
    while (bench.memory.accesses == before) bench.clock.run(bench.clock.now() + 1000);
    bench.provider.revoke(0, 1);
    EXPECT_FALSE(bench.provider.grant(kBob, 0, 1));
    bench.clock.run();
    EXPECT_EQ(bench.ended.at(write).cause, write ? Refusal::none : Refusal::revoked);
    EXPECT_TRUE(bench.provider.grant(kBob, 0, 1));
    bench.provider.revoke(0, 1);
    EXPECT_TRUE(bench.provider.grant(kAnn, 0, 1));
  }
  EXPECT_EQ(data, std::vector<unsigned char>(4096, 7));
}

}  // namespace
}  // namespace wafertlm
