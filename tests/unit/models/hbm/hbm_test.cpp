// SPDX-License-Identifier: Apache-2.0
// The HBM behind its socket, with a requester or a scripted initiator, and a checker between them.
#include "models/hbm/hbm.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/requester_module.h"
#include "tests/unit/tlm/memory/checker_bench.h"

namespace wafertlm {
namespace {

using memory_bench::Initiator;
using memory_bench::NoPool;
using memory_bench::Payload;

/// 1 TB/s: a byte takes a picosecond.
HbmParams byte_per_ps(std::uint32_t queue = 64, bool functional = false) {
  return {{1'000'000'000'000, 1'000'000'000'000, 100'000}, 1 << 20, queue, functional};
}

struct Done {
  std::uint64_t token;
  bool ok;
  TimePs at;
  bool operator==(const Done& other) const {
    return token == other.token && ok == other.ok && at == other.at;
  }
  friend void PrintTo(const Done& done, std::ostream* out) {
    *out << done.token << (done.ok ? " ok" : " failed") << " at " << done.at;
  }
};

/// An HBM and an NPU's side of it.
struct Connected : MemoryRequesterHost {
  Connected(const HbmParams& hbm_params, const MemoryRequesterParams& params)
      : hbm("hbm", hbm_params, scheduler), npu("npu", params, scratch, scheduler, *this) {
    bind_checked(requester.socket, hbm.socket, &checkers, "checker");
    wait_ps(1000);
  }
  void memory_done(std::uint64_t token, bool ok) override { done.push_back({token, ok, scheduler.now()}); }
  void run() {
    sc_core::sc_start();
    checkers.finish();
    EXPECT_TRUE(requester.idle());
  }
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;
  ScratchMemory scratch{};
  Hbm hbm;
  RequesterModule npu;
  MemoryRequester& requester = npu.requester;
  std::vector<Done> done;
};

TEST(Hbm, AnIdleLoadTakesItsTransferAndTheLatency) {
  Connected pair({}, {});  // 3 TB/s, 100 ns
  EXPECT_EQ(pair.requester.start(::tlm::TLM_READ_COMMAND, 0, 65536, 1), 1U);
  pair.run();
  EXPECT_EQ(pair.done, (std::vector<Done>{{1, true, 1000 + 21'846 + 100'000}}));
}

TEST(Hbm, ALongLoadStreamsAtTheDeclaredBandwidth) {
  Connected pair({}, {65536, 16});
  EXPECT_EQ(pair.requester.start(::tlm::TLM_READ_COMMAND, 4, 1'000'000'000, 1), 15259U);
  pair.run();
  // 10^9 B at 3 TB/s, rounded up once. What is outstanding covers bandwidth times latency.
  EXPECT_EQ(pair.done, (std::vector<Done>{{1, true, 1000 + 333'333'334 + 100'000}}));
  EXPECT_EQ(pair.hbm.engine().counters(HbmCommand::read).idle_ps, 0U);
  EXPECT_EQ(pair.checkers.totals()[0].finished, 15259U);
  EXPECT_EQ(pair.checkers.totals()[0].payload_bytes, 1'000'000'000U);
  EXPECT_EQ(pair.requester.payloads(), 16U);
}

TEST(Hbm, LoadsAndStoresAtOnceTakeNoLonger) {
  Connected pair({}, {65536, 16});
  pair.requester.start(::tlm::TLM_READ_COMMAND, 0, 100 * 65536, 1);
  pair.requester.start(::tlm::TLM_WRITE_COMMAND, 0, 100 * 65536, 2);
  pair.run();
  const TimePs end = 1000 + 2'184'534 + 100'000;  // 100 x 21845 1/3
  EXPECT_EQ(pair.done, (std::vector<Done>{{1, true, end}, {2, true, end}}));
}

TEST(Hbm, TooFewOutstandingRequestsAreNamed) {
  Connected pair(byte_per_ps(), {1000, 1});
  pair.requester.start(::tlm::TLM_WRITE_COMMAND, 0, 5000, 1);
  pair.run();
  EXPECT_EQ(pair.done, (std::vector<Done>{{1, true, 1000 + 5 * 101'000}}));
  EXPECT_EQ(pair.hbm.engine().counters(HbmCommand::write).idle_ps, 4U * 100'000);
}

TEST(Hbm, AFullQueueHoldsTheNextRequestBack) {
  Connected pair(byte_per_ps(2), {1000, 8});
  pair.requester.start(::tlm::TLM_READ_COMMAND, 0, 6000, 1);
  pair.run();
  // Two every 101 ns: done at 101, 102; 202, 203; 303, 304 ns.
  EXPECT_EQ(pair.done, (std::vector<Done>{{1, true, 1000 + 304'000}}));
}

TEST(Hbm, AnAddressErrorIsReportedAndEndsTheAccess) {
  Connected pair(byte_per_ps(), {1024, 4});
  pair.requester.start(::tlm::TLM_READ_COMMAND, (1 << 20) - 1024, 1025, 1);  // the last byte is too much
  pair.requester.start(::tlm::TLM_READ_COMMAND, (1 << 20) - 1024, 1024, 2);
  pair.requester.start(::tlm::TLM_WRITE_COMMAND, ~std::uint64_t{0} - 100'000, 100'000, 3);
  pair.requester.start(::tlm::TLM_READ_COMMAND, 0, 0, 4);
  pair.run();
  ASSERT_EQ(pair.done.size(), 4U);
  EXPECT_EQ(pair.done[0], (Done{4, true, 1000}));
  for (const Done& done : pair.done) EXPECT_EQ(done.ok, done.token == 2 || done.token == 4) << done.token;
  // Access 3 was given up, not sent 98 times. What is refused moves no bytes.
  EXPECT_LT(pair.checkers.totals()[0].begun, 12U);
  EXPECT_EQ(pair.hbm.engine().counters(HbmCommand::write).bytes, 0U);
  EXPECT_EQ(pair.hbm.engine().counters(HbmCommand::read).bytes, 2048U);
}

TEST(Hbm, FunctionalModeKeepsTheData) {
  Connected pair(byte_per_ps(64, true), {1000, 3});
  std::vector<unsigned char> stored(10'000), loaded(10'001, 0xaa);
  std::iota(stored.begin(), stored.end(), static_cast<unsigned char>(7));
  pair.requester.start(::tlm::TLM_WRITE_COMMAND, 4095, stored.size(), 1, stored.data());
  pair.run();
  pair.requester.start(::tlm::TLM_READ_COMMAND, 4095, loaded.size(), 2, loaded.data());
  pair.run();
  EXPECT_EQ(loaded.back(), 0);  // never written
  loaded.pop_back();
  EXPECT_EQ(loaded, stored);
  EXPECT_EQ(pair.hbm.pages(), 4U);
}

TEST(Hbm, KeepsNoDataWhereOnlyTimeMatters) {
  Connected pair(byte_per_ps(), {});
  pair.requester.start(::tlm::TLM_WRITE_COMMAND, 0, 10'000, 1);
  pair.run();
  EXPECT_EQ(pair.hbm.pages(), 0U);
}

/// An HBM and payloads to send by hand.
struct Bench {
  explicit Bench(const HbmParams& params) : hbm("hbm", params, scheduler) {
    bind_checked(initiator.socket, hbm.socket, &checkers, "checker");
    initiator.answer = [this](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
      calls.emplace_back(std::string(phase.get_name()) + " " + std::to_string(payload.get_address()),
                         scheduler.now() + delay.value());
      return ::tlm::TLM_ACCEPTED;
    };
    for (std::size_t i = 0; i < 4; ++i) {
      payloads[i].set_mm(&pool);
      payloads[i].acquire();
      payloads[i].set_read();
      payloads[i].set_address(i);
      payloads[i].set_data_ptr(data);
      payloads[i].set_data_length(1000);
      payloads[i].set_streaming_width(1000);
    }
    wait_ps(1000);
  }
  ::tlm::tlm_response_status block(Payload& payload, TimePs delay_ps = 0) {
    payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = to_sc_time(delay_ps);
    // Past the checker, which would refuse what the HBM is to refuse.
    static_cast<MemoryForwardIf&>(hbm.socket.get_base_interface()).b_transport(payload, delay);
    blocked_ps = delay.value();
    return payload.get_response_status();
  }
  using Calls = std::vector<std::pair<std::string, TimePs>>;

  NoPool pool;
  unsigned char data[1000] = {};
  Payload payloads[4];
  Scheduler scheduler{"scheduler"};
  CheckerSet checkers;
  Initiator initiator{"initiator"};
  Hbm hbm;
  Calls calls;
  TimePs blocked_ps = 0;
};

TEST(HbmSocket, TheNextResponseWaitsForTheEndOfTheOneBefore) {
  Bench bench(byte_per_ps());
  for (Payload* payload : {&bench.payloads[0], &bench.payloads[1]})
    EXPECT_EQ(bench.initiator.call(*payload, ::tlm::BEGIN_REQ), ::tlm::TLM_UPDATED);
  wait_ps(200'000);
  EXPECT_EQ(bench.calls, (Bench::Calls{{"BEGIN_RESP 0", 102'000}}));
  bench.initiator.call(bench.payloads[0], ::tlm::END_RESP, 50);  // in 50 ps
  wait_ps(1000);
  EXPECT_EQ(bench.calls, (Bench::Calls{{"BEGIN_RESP 0", 102'000}, {"BEGIN_RESP 1", 201'050}}));
  bench.initiator.call(bench.payloads[1], ::tlm::END_RESP);
  bench.checkers.finish();
  for (Payload& payload : bench.payloads) EXPECT_EQ(payload.get_ref_count(), 1);  // ours
}

TEST(HbmSocket, EndReqIsWithheldUntilTheQueueHasRoom) {
  Bench bench(byte_per_ps(1));
  EXPECT_EQ(bench.initiator.call(bench.payloads[0], ::tlm::BEGIN_REQ), ::tlm::TLM_UPDATED);
  EXPECT_EQ(bench.initiator.call(bench.payloads[1], ::tlm::BEGIN_REQ, 300'000), ::tlm::TLM_ACCEPTED);
  wait_ps(150'000);
  bench.initiator.call(bench.payloads[0], ::tlm::END_RESP);
  wait_ps(300'000);
  // Room at 151 ns, but the second request only arrives at 301 ns.
  EXPECT_EQ(bench.calls,
            (Bench::Calls{{"BEGIN_RESP 0", 102'000}, {"END_REQ 1", 301'000}, {"BEGIN_RESP 1", 402'000}}));
  bench.initiator.call(bench.payloads[1], ::tlm::END_RESP);
  bench.checkers.finish();
}

TEST(HbmSocket, TakesAResponseThatEndsWithinTheCall) {
  Bench bench(byte_per_ps(2));
  std::vector<TimePs> ends;
  bench.initiator.answer = [&](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != ::tlm::BEGIN_RESP) return ::tlm::TLM_ACCEPTED;
    ends.push_back(bench.scheduler.now());
    if (payload.get_address() == 0) {  // a nested END_RESP
      bench.initiator.call(payload, ::tlm::END_RESP);
      return ::tlm::TLM_ACCEPTED;
    }
    if (payload.get_address() == 1) {  // ends later than the third is done
      phase = ::tlm::END_RESP;
      delay += to_sc_time(200'000);
      return ::tlm::TLM_UPDATED;
    }
    return ::tlm::TLM_COMPLETED;
  };
  for (std::size_t i = 0; i < 3; ++i) bench.initiator.call(bench.payloads[i], ::tlm::BEGIN_REQ);
  wait_ps(1'000'000);
  EXPECT_EQ(ends, (std::vector<TimePs>{102'000, 103'000, 303'000}));
  bench.checkers.finish();
}

TEST(HbmSocket, RefusesWhatIsOutOfOrder) {
  Bench bench(byte_per_ps());
  ::tlm::tlm_phase phase = ::tlm::END_RESP;
  sc_core::sc_time delay;
  EXPECT_THROW(static_cast<MemoryForwardIf&>(bench.hbm.socket.get_base_interface())
                   .nb_transport_fw(bench.payloads[0], phase, delay),
               std::logic_error);
}

TEST(HbmSocket, BlockingCallsAnnotateTheirTime) {
  Bench bench(byte_per_ps());
  EXPECT_EQ(bench.block(bench.payloads[0], 40), ::tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.blocked_ps, 101'040U);
  EXPECT_EQ(bench.block(bench.payloads[1]), ::tlm::TLM_OK_RESPONSE);  // queues behind the first
  EXPECT_EQ(bench.blocked_ps, 102'040U);
}

TEST(HbmSocket, AnswersErrorsAsTheStandardSays) {
  Bench bench(byte_per_ps());
  Payload& payload = bench.payloads[0];
  const unsigned char enables[1] = {0xff};
  payload.set_address((1 << 20) - 999);
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(bench.blocked_ps, 100'000U);
  payload.set_address(~std::uint64_t{0});
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  payload.set_address(0);
  payload.set_streaming_width(999);
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_BURST_ERROR_RESPONSE);
  payload.set_data_length(0);
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_BURST_ERROR_RESPONSE);
  payload.set_data_length(10);
  payload.set_byte_enable_ptr(const_cast<unsigned char*>(enables));
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_data_ptr(nullptr);
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_GENERIC_ERROR_RESPONSE);
  payload.set_command(::tlm::TLM_IGNORE_COMMAND);
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.hbm.engine().counters(HbmCommand::read).bytes, 0U);
}

TEST(HbmSocket, DebugAccessMovesDataInFunctionalModeOnly) {
  for (const bool functional : {true, false}) {
    Scheduler scheduler(functional ? "scheduler_1" : "scheduler_0");
    Hbm hbm(functional ? "hbm_1" : "hbm_0", byte_per_ps(64, functional), scheduler);
    Initiator initiator(functional ? "initiator_1" : "initiator_0");
    CheckerSet checkers;
    bind_checked(initiator.socket, hbm.socket, &checkers, functional ? "checker_1" : "checker_0");
    unsigned char data[4] = {1, 2, 3, 4};
    Payload payload;
    payload.set_write();
    payload.set_address((1 << 20) - 3);  // the last of four bytes is beyond the end
    payload.set_data_ptr(data);
    payload.set_data_length(4);
    auto& target = static_cast<MemoryForwardIf&>(hbm.socket.get_base_interface());
    EXPECT_EQ(target.transport_dbg(payload), functional ? 3U : 0U);
    for (unsigned char& byte : data) byte = 9;
    payload.set_read();
    EXPECT_EQ(target.transport_dbg(payload), functional ? 3U : 0U);
    EXPECT_EQ(data[2], functional ? 3 : 9);
    EXPECT_EQ(data[3], 9);
    ::tlm::tlm_dmi dmi;
    EXPECT_FALSE(target.get_direct_mem_ptr(payload, dmi));
  }
}

TEST(HbmSocket, HonoursByteEnables) {
  Bench bench(byte_per_ps(64, true));
  Payload& payload = bench.payloads[0];
  unsigned char enables[3] = {0xff, 0, 0xff}, data[7] = {1, 2, 3, 4, 5, 6, 7};
  payload.set_data_ptr(data);
  payload.set_data_length(7);
  payload.set_write();
  payload.set_byte_enable_ptr(enables);
  payload.set_byte_enable_length(3);
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_OK_RESPONSE);
  payload.set_read();
  payload.set_byte_enable_ptr(nullptr);
  EXPECT_EQ(bench.block(payload), ::tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(std::vector<int>(data, data + 7), (std::vector<int>{1, 0, 3, 4, 0, 6, 7}));
}

}  // namespace
}  // namespace wafertlm
