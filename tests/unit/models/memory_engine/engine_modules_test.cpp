// SPDX-License-Identifier: Apache-2.0
// The engines behind sockets: their answers, grants that come and go, memories of a third party.
#include "models/memory_engine/engine_modules.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>
#include <unordered_map>

#include "models/hbm/hbm.h"
#include "tests/support/at_memory.h"
#include "tests/support/engine_rig.h"

namespace wafertlm {
namespace {

HbmParams functional() {
  HbmParams params;
  params.functional = true;
  return params;
}

RequesterEngineParams plain(std::uint64_t pages) {
  RequesterEngineParams params;
  params.pages = pages;
  params.functional = true;
  params.cipher_mode = CipherMode::none;
  params.integrity = Integrity::none;
  return params;
}

std::uint64_t count(const RefusalCounts& counts, Refusal of) { return counts[static_cast<std::size_t>(of)]; }
std::uint64_t sum(const RefusalCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

using Bytes = std::vector<unsigned char>;

/// Pages go out sealed and come back; what the provider does not grant is refused.
template <typename Rig>
void store_and_load(Rig& rig) {
  RequesterEngineParams params = plain(200);
  params.cipher_mode = CipherMode::store_and_forward;
  params.integrity = Integrity::tree;
  params.cached_levels = 1;
  MemoryEngineRequester& engine = rig.add(params);
  Bytes stored(50'000), loaded(50'000);
  std::iota(stored.begin(), stored.end(), static_cast<unsigned char>(3));
  EXPECT_FALSE(rig.access(0, true, 777, stored));
  rig.grant_all(params.id, engine.engine().layout());
  EXPECT_TRUE(rig.access(0, true, 777, stored));
  EXPECT_TRUE(rig.access(0, false, 777, loaded));
  EXPECT_EQ(loaded, stored);
  // Many at a time, each on pages of its own.
  std::vector<Bytes> many(12);
  for (std::uint64_t i = 0; i < many.size(); ++i) {
    many[i].assign(9000, static_cast<unsigned char>(i + 1));
    rig.start(0, true, i * 16'384 + 100, 9000, many[i].data(), i);
  }
  rig.scheduler.run();
  for (std::uint64_t i = 0; i < many.size(); ++i) {
    many[i].assign(9000, 0);
    rig.start(0, false, i * 16'384 + 100, 9000, many[i].data(), 100 + i);
  }
  rig.scheduler.run();
  for (std::uint64_t i = 0; i < many.size(); ++i) {
    EXPECT_TRUE(rig.ended.at(i) && rig.ended.at(100 + i));
    EXPECT_EQ(many[i], Bytes(9000, static_cast<unsigned char>(i + 1)));
  }
  rig.checkers.finish();
  EXPECT_TRUE(engine.engine().idle());
}

constexpr std::uint64_t kMiB = 1 << 20;
TEST(MemoryEngine, UsesAMemoryThatCompletesEarly) {
  EngineRig<third_party::EarlyCompletion> rig(kMiB, {});
  store_and_load(rig);
}
TEST(MemoryEngine, UsesAMemoryThatSkipsEndReq) {
  EngineRig<third_party::SkippedEndReq> rig(kMiB, {});
  store_and_load(rig);
}
TEST(MemoryEngine, UsesAMemoryThatAnswersWithBeginResp) {
  EngineRig<third_party::ResponseFirst> rig(kMiB, {});
  store_and_load(rig);
}
class AnyMemory : public ::testing::TestWithParam<unsigned> {};
TEST_P(AnyMemory, WithFourPhasesAndRandomDelaysServesTheEngine) {
  EngineRig<third_party::FourPhases> rig(kMiB, {}, GetParam());
  store_and_load(rig);
}
INSTANTIATE_TEST_SUITE_P(Seeds, AnyMemory, ::testing::Range(1U, 6U));

/// A host of the blocking interface that also sees what became of its payload.
struct BlockingHost : sc_core::sc_module {
  MemoryInitiatorSocket socket{"socket"};
  std::function<void()> body;
  struct None : MemoryBackwardIf {
    ::tlm::tlm_sync_enum nb_transport_bw(::tlm::tlm_generic_payload&, ::tlm::tlm_phase&,
                                         sc_core::sc_time&) override {
      return ::tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  } none;
  explicit BlockingHost(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(BlockingHost);
    socket.bind(none);
    SC_THREAD(run);
  }
  void run() { body(); }
  ::tlm::tlm_response_status access(bool write, std::uint64_t address, Bytes& data,
                                    unsigned char* enables = nullptr) {
    ::tlm::tlm_generic_payload payload;
    payload.set_command(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    payload.set_byte_enable_ptr(enables);
    payload.set_byte_enable_length(enables ? 1 : 0);
    sc_core::sc_time delay(5, sc_core::SC_NS);
    socket->b_transport(payload, delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    return payload.get_response_status();
  }
};

TEST(MemoryEngine, AnswersEveryRefusalWithAnErrorOfTheStandard) {
  EngineRig<Hbm> rig(64 * 4096, {}, functional());
  RequesterEngineParams params = plain(32);
  params.cipher_mode = CipherMode::store_and_forward;
  params.integrity = Integrity::mac;
  MemoryEngineRequester engine("engine", params, {rig.provider.engine().port()}, rig.scheduler, rig.clock,
                               rig.network);
  rig.provider.engine().enrol(engine.engine().node(), params.id);
  BlockingHost host("host");
  bind_checked(host.socket, engine.host.socket, &rig.checkers, "host_checker");
  const RegionLayout layout = engine.engine().layout();
  bool finished = false;
  host.body = [&] {
    Bytes data(4096, 9);
    const auto is = [&](bool write, std::uint64_t page, ::tlm::tlm_response_status expected) {
      EXPECT_EQ(host.access(write, page * 4096, data), expected) << page;
    };
    ProviderEngine& provider = rig.provider.engine();
    is(true, 32, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);  // outside
    is(true, 1, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);   // not granted
    EXPECT_EQ(rig.memory.pages(), 0U);
    rig.grant_all(params.id, layout);
    is(true, 1, ::tlm::TLM_OK_RESPONSE);
    provider.grant(params.id, 2, 1, {true, false});
    is(true, 2, ::tlm::TLM_COMMAND_ERROR_RESPONSE);
    provider.revoke(1, 1);
    is(false, 1, ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
    provider.grant(params.id, 1, 1);
    is(false, 1, ::tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(data, Bytes(4096, 9));
    // Somebody flips a bit in the provider's memory.
    unsigned char byte = 0;
    ::tlm::tlm_generic_payload debug;
    debug.set_address(4096 + 17);
    debug.set_data_ptr(&byte);
    debug.set_data_length(1);
    debug.set_read();
    EXPECT_EQ(rig.provider.memory.socket->transport_dbg(debug), 1U);
    byte ^= 4;
    debug.set_write();
    EXPECT_EQ(rig.provider.memory.socket->transport_dbg(debug), 1U);
    is(false, 1, ::tlm::TLM_GENERIC_ERROR_RESPONSE);
    unsigned char enable = TLM_BYTE_ENABLED;
    EXPECT_EQ(host.access(true, 0, data, &enable), ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    finished = true;
  };
  sc_core::sc_start();
  EXPECT_TRUE(finished);
  const RefusalCounts& counts = engine.engine().counters().refusals;
  for (const Refusal cause : {Refusal::outside_region, Refusal::not_granted, Refusal::no_right,
                              Refusal::revoked, Refusal::tampered})
    EXPECT_EQ(count(counts, cause), 1U) << to_string(cause);
  EXPECT_EQ(sum(counts), 5U);
}

/// Requesters on the same 48 pages, which their providers have interleaved in stripes of 3; grants come and
/// go all the time. Every page carries its owner's mark. A store or load that begins and ends within one
/// grant must work, and one without any grant between its begin and its end must not; what lies across a
/// change may do either, but no foreign mark may be seen.
class RandomGrants : public EngineRig<Hbm> {
 public:
  static constexpr std::uint64_t kPages = 48, kRequesters = 4;
  explicit RandomGrants(std::uint32_t nodes)
      : EngineRig(nodes, kPages / nodes * 4096, {}, functional()), random_(11), pages_(kPages) {
    RequesterEngineParams params = plain(kPages);
    params.providers = nodes;
    params.stripe_pages = 3;
    for (std::uint64_t r = 0; r < kRequesters; ++r) {
      params.id = static_cast<RequesterId>(r);
      add(params);
    }
  }
  void run(std::uint64_t accesses) {
    for (std::uint64_t done = 0; done < accesses;) {
      for (int i = 0; i < 2; ++i) change_a_grant();
      for (std::uint64_t i = 0; i < 12; ++i, ++done) start_one();
      scheduler.run(random_() % 4'000'000);
    }
    if (!scheduler.idle()) scheduler.run();
    checkers.finish();
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
    const RegionLayout& layout = engines[0]->engine().layout();
    MemoryEngineProvider& of = *providers[layout.provider_of(number)];
    const std::uint64_t there = layout.slot_address(number) / 4096;
    of.engine().revoke(there, 1);
    const std::uint64_t owner = random_() % (kRequesters + 1);
    ++page.changes;
    page.owner = kRequesters;
    if (owner == kRequesters || !of.engine().grant(static_cast<RequesterId>(owner), there, 1)) return;
    page.owner = owner;
    // The provider clears a page that changes hands: nobody finds another's bytes in it.
    clear(of, there);
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
    start(placed.requester, placed.write, placed.page * 4096 + offset, bytes, placed.data.data(), token);
  }
  static void clear(MemoryEngineProvider& of, std::uint64_t page) {
    std::vector<unsigned char> zeros(4096);
    ::tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(page * 4096);
    payload.set_data_ptr(zeros.data());
    payload.set_data_length(4096);
    payload.set_streaming_width(4096);
    EXPECT_EQ(of.memory.socket->transport_dbg(payload), 4096U);
  }
  void done(std::uint64_t token, bool ok) override {
    const Started one = std::move(started_.at(token));
    started_.erase(token);
    const Page& page = pages_[one.page];
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

class Providers : public ::testing::TestWithParam<std::uint32_t> {};
TEST_P(Providers, GrantsHoldForAHundredThousandRandomAccesses) {
  RandomGrants bench(GetParam());
  bench.run(100'000);
  EXPECT_GE(bench.worked + bench.refused, 100'000U);
  EXPECT_EQ(bench.foreign, 0U);
  EXPECT_EQ(bench.wrong_failures, 0U);
  EXPECT_EQ(bench.wrong_successes, 0U);
  EXPECT_GT(bench.worked, 10'000U);
  EXPECT_LT(bench.across, 60'000U);
  // Every refusal is counted by cause at the engine that asked; those that a revocation overtook on the way
  // also at the provider.
  RefusalCounts asked{};
  for (const auto& engine : bench.engines)
    for (std::size_t cause = 0; cause < kRefusals; ++cause)
      asked[cause] += engine->engine().counters().refusals[cause];
  EXPECT_EQ(sum(asked), bench.refused);
  std::uint64_t overtaken = 0;
  for (const auto& provider : bench.providers) {
    overtaken += sum(provider->engine().refusals());
    EXPECT_GT(provider->engine().served(), 10'000U / bench.providers.size());
  }
  for (const Refusal cause : {Refusal::revoked, Refusal::of_another}) EXPECT_GT(count(asked, cause), 1000U);
  EXPECT_GT(overtaken, 50U);
  EXPECT_LT(overtaken, bench.refused);
}
INSTANTIATE_TEST_SUITE_P(Several, Providers, ::testing::Values(1U, 2U, 4U));

}  // namespace
}  // namespace wafertlm
