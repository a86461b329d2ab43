// SPDX-License-Identifier: Apache-2.0
// No byte without a grant.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/engine_bench.h"

namespace wafertlm {
namespace {

constexpr RequesterId kAnn{1}, kBob{2};
std::uint64_t count(const RefusalCounts& counts, Refusal of) { return counts[static_cast<std::size_t>(of)]; }

RequesterEngineParams plain(RequesterId id, bool functional = true) {
  RequesterEngineParams params;
  params.id = id;
  params.pages = 64;
  params.functional = functional;
  return params;
}

TEST(Grants, WithoutOneNothingMovesAndItIsCountedByCause) {
  for (const bool encrypt : {false, true}) {
    EngineBench bench(1 << 20);
    RequesterEngineParams params = plain(kAnn);
    params.encrypt = encrypt;
    params.integrity = encrypt ? Integrity::mac : Integrity::none;
    RequesterEngine& ann = bench.add(params);
    params.id = kBob;
    RequesterEngine& bob = bench.add(params);
    std::vector<unsigned char> data(4096, 7);
    const auto both_fail = [&](RequesterEngine& engine, Refusal why, std::uint64_t address = 4096) {
      for (const bool write : {true, false}) {
        const auto before = bench.memory.accesses;
        const auto refused = count(bench.provider.refusals(), why);
        EXPECT_EQ(bench.access(engine, write, address, 4096, data.data()), why);
        EXPECT_EQ(bench.memory.accesses, before);
        EXPECT_EQ(count(bench.provider.refusals(), why), refused + (why == Refusal::outside_region ? 0 : 1));
      }
      EXPECT_EQ(count(engine.counters().refusals, why), 2U);
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
  }
}

TEST(Grants, OfReadingDoNotAllowWriting) {
  EngineBench bench(1 << 20);
  RequesterEngine& ann = bench.add(plain(kAnn));
  bench.grant_all(kAnn, ann.layout(), {true, false});
  std::vector<unsigned char> data(100);
  EXPECT_EQ(bench.access(ann, false, 50, 100, data.data()), Refusal::none);
  EXPECT_EQ(bench.access(ann, true, 50, 100, data.data()), Refusal::no_right);
}

/// RDMA registers a region: whoever has a page of it reaches all pages.
TEST(Grants, OfAPageOpenTheWholeRegionUnderRdma) {
  for (const Validation validation : {Validation::region, Validation::page}) {
    EngineBench bench(1 << 20, {}, {validation, 0});
    RequesterEngine& ann = bench.add(plain(kAnn));
    std::vector<unsigned char> data(100);
    EXPECT_EQ(bench.access(ann, false, 5000, 100, data.data()), Refusal::not_granted);
    bench.provider.grant(kAnn, 0, 1);
    EXPECT_EQ(bench.access(ann, false, 5000, 100, data.data()),
              validation == Validation::region ? Refusal::none : Refusal::not_granted);
  }
}

TEST(Grants, AMemoryErrorIsNamed) {
  EngineBench bench(1 << 20);
  RequesterEngine& ann = bench.add(plain(kAnn));
  bench.grant_all(kAnn, ann.layout());
  bench.memory.fail_from = 8192;
  std::vector<unsigned char> data(4096);
  EXPECT_EQ(bench.access(ann, false, 8190, 4, data.data()), Refusal::memory_error);
  EXPECT_EQ(count(bench.provider.refusals(), Refusal::memory_error), 1U);
}

/// A page that is revoked while it is being read does not leave, and it is not granted to somebody else
/// before the accesses under the old grant are over.
TEST(Grants, RevokedMeanwhile) {
  EngineBench bench(1 << 20);
  RequesterEngine& ann = bench.add(plain(kAnn));
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

/// Requesters on the same 48 pages; grants come and go all the time. Every page carries its owner's mark.
/// A store or load that begins and ends within one grant must work, and one without any grant between its
/// begin and its end must not; what lies across a change may do either, but no foreign mark may be seen.
class RandomGrants : public EngineBench {
 public:
  static constexpr std::uint64_t kPages = 48, kRequesters = 4;
  RandomGrants() : EngineBench(kPages * 4096), random_(11), pages_(kPages) {
    RequesterEngineParams params = plain(RequesterId{0});
    params.pages = kPages;
    for (std::uint64_t r = 0; r < kRequesters; ++r) {
      params.id = static_cast<RequesterId>(r);
      add(params);
    }
  }
  void run(std::uint64_t accesses) {
    for (std::uint64_t done = 0; done < accesses;) {
      for (int i = 0; i < 2; ++i) change_a_grant();
      for (std::uint64_t i = 0; i < 12; ++i, ++done) start_one();
      clock.run(clock.now() + random_() % 4'000'000);
    }
    clock.run();
  }
  std::uint64_t worked = 0, refused = 0, across = 0, foreign = 0, wrong_failures = 0, wrong_successes = 0;

 private:
  struct Page {
    std::uint64_t owner = kRequesters, changes = 0;  // kRequesters: nobody
  };
  struct Started {
    std::uint64_t requester, page, changes;
    bool write, had_grant;
    std::vector<unsigned char> data;
  };
  void change_a_grant() {
    const std::uint64_t number = random_() % kPages;
    Page& page = pages_[number];
    provider.revoke(number, 1);
    const std::uint64_t owner = random_() % (kRequesters + 1);
    ++page.changes;
    page.owner = kRequesters;
    if (owner == kRequesters || !provider.grant(static_cast<RequesterId>(owner), number, 1)) return;
    page.owner = owner;
    // The provider clears a page that changes hands: nobody finds another's bytes in it.
    for (std::uint64_t i = 0; i < 4096; i += 64) memory.byte(number * 4096 + i) = 0;
    requesters[owner]->forget(number, 1);
  }
  void start_one() {
    Started one;
    one.requester = random_() % kRequesters;
    one.page = random_() % kPages;
    one.changes = pages_[one.page].changes;
    one.had_grant = pages_[one.page].owner == one.requester;
    one.write = random_() % 2 == 0;
    const std::uint64_t bytes = 64, offset = random_() % 64 * 64;
    one.data.assign(bytes, 0);
    if (one.write) one.data[0] = static_cast<unsigned char>(one.requester + 1);
    const std::uint64_t token = ++next_;
    Started& placed = started_[token] = std::move(one);
    requesters[placed.requester]->start(placed.write, placed.page * 4096 + offset, bytes, placed.data.data(),
                                        token);
  }
  void access_done(std::uint64_t token, Refusal cause) override {
    const Started one = std::move(started_.at(token));
    started_.erase(token);
    const Page& page = pages_[one.page];
    const bool ok = cause == Refusal::none;
    ++(ok ? worked : refused);
    if (!one.write && one.data[0] != 0 && (!ok || one.data[0] != one.requester + 1)) ++foreign;
    if (page.changes != one.changes)
      ++across;
    else if (one.had_grant)
      wrong_failures += !ok;
    else
      wrong_successes += ok;
  }
  std::mt19937_64 random_;
  std::vector<Page> pages_;
  std::unordered_map<std::uint64_t, Started> started_;
  std::uint64_t next_ = 0;
};

TEST(Grants, HoldForAHundredThousandRandomAccesses) {
  RandomGrants bench;
  bench.run(100'000);
  EXPECT_GE(bench.worked + bench.refused, 100'000U);
  EXPECT_EQ(bench.foreign, 0U);
  EXPECT_EQ(bench.wrong_failures, 0U);
  EXPECT_EQ(bench.wrong_successes, 0U);
  EXPECT_GT(bench.worked, 10'000U);
  EXPECT_LT(bench.across, 60'000U);
  // Every refusal is counted by cause, at the engine that refused and at the one that asked.
  std::uint64_t asked = 0;
  for (const auto& requester : bench.requesters)
    asked += std::accumulate(requester->counters().refusals.begin(), requester->counters().refusals.end(),
                             std::uint64_t{0});
  const RefusalCounts& counts = bench.provider.refusals();
  EXPECT_EQ(asked, bench.refused);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), bench.refused);
  EXPECT_GT(count(counts, Refusal::revoked), 0U);
  EXPECT_GT(count(counts, Refusal::of_another), 0U);
}

}  // namespace
}  // namespace wafertlm
