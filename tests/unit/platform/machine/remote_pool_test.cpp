// SPDX-License-Identifier: Apache-2.0
// A platform's engines: requesters at many NPUs, providers in each way of placing pages, grants that come and
// go.
#include "platform/machine/remote_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/requester_module.h"

namespace wafertlm {
namespace {

constexpr std::uint32_t kNpus = 8;
constexpr std::uint64_t kPages = 24, kPageBytes = 4096;

struct Variant {
  PoolKind kind;
  std::uint32_t providers;  // of a group
  config::Placement placement;
};

config::RemoteMemorySpec spec_of(const Variant& way) {
  config::RemoteMemorySpec spec;
  spec.kind = way.kind;
  if (way.kind == PoolKind::per_node) spec.npus_per_node = 4;
  spec.capacity_bytes = kNpus * kPages * kPageBytes;
  spec.bytes_per_s = 100'000'000'000;
  spec.engine.emplace();
  spec.engine->providers = way.providers;
  spec.engine->placement = way.placement;
  return spec;
}

/// NPUs that access their pages at random, while pages are revoked and granted again.
class Bench : public MemoryRequesterHost {
 public:
  explicit Bench(const Variant& way)
      : pool_(spec_of(way), kNpus, 1, scratch_, scheduler_, &checkers_), pages_(kNpus * kPages) {
    for (std::uint32_t n = 0; n < kNpus; ++n) {
      npus_.push_back(std::make_unique<RequesterModule>(
          ("npu_" + std::to_string(n)).c_str(), MemoryRequesterParams{}, scratch_, scheduler_, *this));
      pool_.attach(npus_[n]->requester, n);
    }
  }
  void run(std::uint64_t accesses) {
    while (started_.size() < accesses) {
      change_a_grant();
      for (int i = 0; i < 10; ++i) start_one();
      scheduler_.run(random_() % 3'000'000);
    }
    if (!scheduler_.idle()) scheduler_.run();
    checkers_.finish();
  }
  const RemotePool& pool() const { return pool_; }
  std::uint64_t worked = 0, refused = 0, across = 0, wrong = 0;

 private:
  struct Page {
    bool granted = true;
    std::uint64_t changes = 0;
  };
  struct Started {
    std::uint64_t page, changes;
    bool granted;
  };
  void change_a_grant() {
    const std::uint64_t number = random_() % pages_.size();
    const auto npu = static_cast<std::uint32_t>(number / kPages);
    const RemotePool::PagePlace place = pool_.place_of(npu, number % kPages);
    Page& page = pages_[number];
    ++page.changes;
    page.granted = !page.granted;
    if (page.granted)
      EXPECT_TRUE(pool_.provider(place.provider).grant(static_cast<RequesterId>(npu), place.page, 1));
    else
      pool_.provider(place.provider).revoke(place.page, 1);
  }
  void start_one() {
    const std::uint64_t number = random_() % pages_.size(), offset = random_() % 2 * 1000;
    started_.push_back({number, pages_[number].changes, pages_[number].granted});
    npus_[number / kPages]->requester.start(
        random_() % 2 == 0 ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND,
        number % kPages * kPageBytes + offset, kPageBytes - offset, started_.size() - 1);
  }
  void memory_done(std::uint64_t token, bool ok) override {
    const Started& one = started_[token];
    ++(ok ? worked : refused);
    if (pages_[one.page].changes != one.changes)
      ++across;
    else
      wrong += ok != one.granted;
  }

  Scheduler scheduler_{"scheduler"};
  CheckerSet checkers_;
  ScratchMemory scratch_{};
  RemotePool pool_;
  std::vector<std::unique_ptr<RequesterModule>> npus_;
  std::vector<Page> pages_;
  std::vector<Started> started_;
  std::mt19937_64 random_{5};
};

class RemotePoolGrants : public ::testing::TestWithParam<Variant> {};
TEST_P(RemotePoolGrants, AreThoseOfEachNpu) {
  Bench bench(GetParam());
  bench.run(4000);
  EXPECT_EQ(bench.wrong, 0U);
  EXPECT_LT(bench.across, bench.worked);
  EXPECT_GT(bench.worked, 1000U);
  EXPECT_GT(bench.refused, 300U);
  std::uint64_t asked = 0;
  for (std::uint32_t n = 0; n < kNpus; ++n)
    for (const std::uint64_t count : bench.pool().requester(n).counters().refusals) asked += count;
  for (std::uint32_t p = 0; p < bench.pool().providers(); ++p) {
    EXPECT_GT(bench.pool().provider(p).served(), 0U) << p;
  }
  EXPECT_EQ(asked, bench.refused);
}
using config::Placement;
INSTANTIATE_TEST_SUITE_P(Variants, RemotePoolGrants,
                         ::testing::Values(Variant{PoolKind::shared, 1, Placement::interleaved},
                                           Variant{PoolKind::shared, 4, Placement::interleaved},
                                           Variant{PoolKind::shared, 3, Placement::by_npu},
                                           Variant{PoolKind::per_node, 2, Placement::blocked},
                                           Variant{PoolKind::per_npu, 1, Placement::interleaved}));

}  // namespace
}  // namespace wafertlm
