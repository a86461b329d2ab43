// SPDX-License-Identifier: Apache-2.0
// A tenant's loads and stores while grants come and go, memories fail and tear, and another tenant gets its
// pages meanwhile: against a list of what each page may hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <utility>

#include "tests/support/attacks/scene.h"
#include "tests/support/random_cases.h"

namespace wafertlm::test {
namespace {

struct Variant {
  const char* name;
  Protection protection;
  std::uint32_t providers;
};
void PrintTo(const Variant& of, std::ostream* out) { *out << of.name; }

class RandomLife : private EngineBench {
 public:
  RandomLife(const Variant& of, unsigned seed)
      : EngineBench(1 << 22, {}, {}, 4096, of.providers),
        tenant_(add(params_of(of))),
        other_(*this),
        random_(seed),
        moves_grants_(of.protection.hiding == Hiding::none) {
    grant_all(kTenant, tenant_.layout());
    for (const auto& each : providers) {
      each->engine.enrol(other_.node(), kOther);
      each->memory.fate = [this](bool, std::uint64_t) { return fate(); };
    }
    pages_.resize(kPages);
    for (Page& page : pages_) page.may_be = {Bytes(4096, 0)};
  }

  void run(std::uint64_t accesses) {
    while (started_.size() < accesses) {
      may_fail_ = random_() % 4 == 0;
      failed_ = 0;
      const std::size_t first = started_.size();
      for (std::uint64_t page = random_() % 4; page < kPages; page += 1 + random_() % 12)
        page = start_one(page);
      clock.run(clock.now() + random_() % 8'000'000);
      if (moves_grants_ && random_() % 2 == 0) change_a_grant();
      clock.run();
      for (std::size_t i = first; i < started_.size(); ++i) judge(started_[i], i);
      if (::testing::Test::HasFailure()) return;
    }
    finish();
  }
  std::uint64_t worked = 0, refused = 0, unexplained = 0, wrong = 0, faults = 0, changes = 0, foreign = 0;

 private:
  static constexpr std::uint64_t kPages = 32;
  static constexpr RequesterId kTenant{0}, kOther{1};
  struct Page {
    std::vector<Bytes> may_be;  // usually one
    bool granted = true, writable = true;
    std::uint64_t changes = 0;
  };
  struct Started {
    bool write;
    std::uint64_t address;
    Bytes data;
    std::vector<std::uint64_t> changes;  // of its pages, at the start
    bool granted;
  };

  static RequesterEngineParams params_of(const Variant& of) {
    RequesterEngineParams params = Scene::params_of(of.protection, of.providers, {});
    params.pages = kPages;
    params.spare_slots = 32;
    return params;
  }
  PlainMemory::Fate fate() {
    // A path has many slots; more than a few in a row that cannot be read end a run.
    if (!may_fail_ || random_() % (tenant_.oram() ? 200 : 8) != 0) return PlainMemory::Fate::served;
    ++faults;
    ++failed_;
    return random_() % 2 == 0 ? PlainMemory::Fate::failed : PlainMemory::Fate::torn;
  }

  /// From within `page` on; returns the last page that it touches.
  std::uint64_t start_one(std::uint64_t page) {
    const std::uint64_t begin = page * 4096 + (random_() % 2 == 0 ? 0 : random_() % 4096);
    const std::uint64_t most = std::min<std::uint64_t>(kPages * 4096 - begin, 10'000);
    const std::uint64_t bytes =
        random_() % 2 == 0 ? std::min<std::uint64_t>(4096, most) : 1 + random_() % most;
    const std::uint64_t last = (begin + bytes - 1) / 4096;
    Started one{random_() % 2 == 0, begin, Bytes(bytes, 0xEE), {}, true};
    if (one.write)
      for (unsigned char& byte : one.data) byte = static_cast<unsigned char>(random_() & 0x7F);
    for (; page <= last; ++page) {
      one.changes.push_back(pages_[page].changes);
      one.granted &= pages_[page].granted && (!one.write || pages_[page].writable);
    }
    started_.push_back(std::move(one));
    Started& placed = started_.back();
    tenant_.start(placed.write, placed.address, bytes, placed.data.data(), started_.size() - 1);
    return last;
  }

  /// A page goes to the other tenant, who marks it, and comes back cleared; or it is only away, or may only
  /// be read, for a while.
  void change_a_grant() {
    const std::uint64_t number = random_() % kPages, place = tenant_.layout().slot_address(number) / 4096;
    BenchProvider& its = *providers[tenant_.layout().provider_of(number)];
    Page& page = pages_[number];
    const auto away =
        std::count_if(pages_.begin(), pages_.end(), [](const Page& each) { return !each.granted; });
    if (page.granted && away > 3) return;
    ++page.changes;
    ++changes;
    if (page.granted && (!page.writable || random_() % 3 == 0)) {
      page.writable = !page.writable;
      EXPECT_TRUE(its.engine.grant(kTenant, place, 1, {true, page.writable}));
      return;
    }
    if (page.granted) {
      page.granted = false;
      return its.engine.revoke(place, 1);
    }
    if (random_() % 2 == 0 && its.engine.grant(kOther, place, 1)) {
      const bool could_fail = std::exchange(may_fail_, false);
      clock.run();
      EngineMessage message;
      message.write = true;
      message.requester = kOther;
      message.segments = {{place * 4096, 4096}};
      message.data.assign(4096, 0xFF);
      message.to = its.engine.node();
      message.from = other_.node();
      network.send(message);
      clock.run();
      may_fail_ = could_fail;
      EXPECT_EQ(message.refusal, Refusal::none);
      its.engine.revoke(place, 1);
      tenant_.forget(number, 1);
      Scene::write(its.memory, {place * 4096, 4096}, Bytes(4096, 0));
      page.may_be = {Bytes(4096, 0)};
    }
    page.granted = its.engine.grant(kTenant, place, 1);
  }

  void judge(const Started& one, std::size_t token) {
    const Refusal refusal = ended.at(token).cause;
    const bool ok = refusal == Refusal::none;
    ++(ok ? worked : refused);
    bool changed = false;
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < one.changes.size(); ++i) {
      const std::uint64_t number = one.address / 4096 + i, offset = i == 0 ? one.address % 4096 : 0;
      const std::uint64_t bytes = std::min(4096 - offset, one.data.size() - at);
      Page& page = pages_[number];
      const bool page_changed = page.changes != one.changes[i];
      changed |= page_changed;
      const auto part = one.data.begin() + static_cast<std::ptrdiff_t>(at);
      const auto stretch = static_cast<std::ptrdiff_t>(bytes);
      if (one.write && refusal != Refusal::journal_full) {
        // What was acknowledged is there; what was not may be.
        std::vector<Bytes> after = page.may_be;
        for (Bytes& contents : after)
          std::copy(part, part + stretch, contents.begin() + static_cast<std::ptrdiff_t>(offset));
        if (ok && !page_changed)
          page.may_be = std::move(after);
        else if (one.granted || page_changed)
          page.may_be.insert(page.may_be.end(), after.begin(), after.end());
        std::sort(page.may_be.begin(), page.may_be.end());
        page.may_be.erase(std::unique(page.may_be.begin(), page.may_be.end()), page.may_be.end());
      } else if (!one.write && ok) {
        foreign += static_cast<std::uint64_t>(std::count(part, part + stretch, 0xFF));
        const auto is_other = [&](const Bytes& contents) {
          return !std::equal(part, part + stretch, contents.begin() + static_cast<std::ptrdiff_t>(offset));
        };
        std::vector<Bytes> still = page.may_be;
        still.erase(std::remove_if(still.begin(), still.end(), is_other), still.end());
        if (still.empty())
          wrong += !page_changed;
        else
          page.may_be = std::move(still);
      }
      at += bytes;
    }
    if (!ok && one.granted && !changed && failed_ == 0 && refusal != Refusal::journal_full) ++unexplained;
    if (ok && !one.granted && !changed) ++unexplained;
    if (refusal == Refusal::tampered) ++unexplained;
  }

  /// Without faults every page that is granted can be read, and stored.
  void finish() {
    may_fail_ = false;
    for (std::uint64_t number = 0; number < kPages; ++number) {
      if (!pages_[number].granted) continue;
      Bytes data(4096);
      if (access(tenant_, false, number * 4096, 4096, data.data()) != Refusal::none) ++unexplained;
      const auto& may_be = pages_[number].may_be;
      wrong += std::find(may_be.begin(), may_be.end(), data) == may_be.end();
      if (pages_[number].writable && access(tenant_, true, number * 4096, 4096, data.data()) != Refusal::none)
        ++unexplained;
    }
    if (!moves_grants_ && !tenant_.journal().empty()) ++unexplained;
  }

  RequesterEngine& tenant_;
  Impostor other_;
  std::mt19937_64 random_;
  const bool moves_grants_;
  bool may_fail_ = false;
  std::uint64_t failed_ = 0;
  std::vector<Page> pages_;
  std::deque<Started> started_;
};

class RandomFaults : public ::testing::TestWithParam<Variant> {};
TEST_P(RandomFaults, LoseNothingThatWasAcknowledgedAndShowNothingForeign) {
  RandomLife life(GetParam(), 17);
  life.run(static_cast<std::uint64_t>(random_cases(12'500, 300)));
  EXPECT_EQ(life.foreign, 0U);
  EXPECT_EQ(life.wrong, 0U);
  EXPECT_EQ(life.unexplained, 0U);
  EXPECT_GT(life.faults, life.worked / 100);
  EXPECT_GT(life.worked, life.refused);
}
constexpr CipherMode kSealed = CipherMode::store_and_forward;
INSTANTIATE_TEST_SUITE_P(
    Variants, RandomFaults,
    ::testing::Values(Variant{"plain", {"", CipherMode::none, Integrity::none, Hiding::none}, 1},
                      Variant{"mac", {"", kSealed, Integrity::mac, Hiding::none}, 2},
                      Variant{"tree", {"", kSealed, Integrity::tree, Hiding::none}, 2},
                      Variant{"tree_remap", {"", kSealed, Integrity::tree, Hiding::remap_on_evict}, 1},
                      Variant{"mac_remap", {"", kSealed, Integrity::mac, Hiding::remap_on_evict}, 1},
                      Variant{"tree_dummy", {"", kSealed, Integrity::tree, Hiding::dummy}, 1},
                      Variant{"mac_oram", {"", kSealed, Integrity::mac, Hiding::path_oram}, 1},
                      Variant{"tree_oram", {"", kSealed, Integrity::tree, Hiding::path_oram}, 2}),
    [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace wafertlm::test
