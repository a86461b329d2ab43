// SPDX-License-Identifier: Apache-2.0
#include "tlm/operation/checker.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/scripted.h"
#include "tests/support/socket_watcher.h"
#include "tlm/operation/operation_port.h"

namespace wafertlm {
namespace {

using Payload = ::tlm::tlm_generic_payload;

/// A payload with its Operation.
struct Job {
  Job() { payload.set_extension(operation.get()); }
  ~Job() { payload.clear_extension<Operation>(); }  // or the payload would delete it
  std::unique_ptr<Operation> operation = std::make_unique<Operation>();
  Payload payload;
};

std::shared_ptr<CollectiveProgram> program(std::size_t members, std::size_t sources) {
  auto made = std::make_shared<CollectiveProgram>();
  made->group.resize(members);
  made->bytes = 4096;
  made->ranks.resize(sources);
  return made;
}

struct Bench {
  using Initiator = ScriptedInitiator<OperationInitiatorSocket, OperationBackwardIf, Payload>;
  using Target = ScriptedTarget<OperationTargetSocket, OperationForwardIf, Payload>;

  Bench() {
    bind_checked(sequencer.socket, npu.socket, &checkers, "checker");
    npu.answer = [](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
      return phase == ::tlm::END_RESP ? ::tlm::TLM_COMPLETED : ::tlm::TLM_ACCEPTED;
    };
  }
  void begin(Job& job) { sequencer.call(job.payload, ::tlm::BEGIN_REQ); }
  void accept(Job& job) { npu.call(job.payload, ::tlm::END_REQ); }
  /// The operation ran from now on for 100 ps; `spoil` is done just before the response.
  void respond(Job& job, void (*spoil)(Job&) = nullptr) {
    job.operation->start_ps = kernel_now_ps();
    wait_ps(100);
    job.operation->end_ps = kernel_now_ps();
    job.payload.set_response_status(::tlm::TLM_OK_RESPONSE);
    if (spoil) spoil(job);
    npu.call(job.payload, ::tlm::BEGIN_RESP);
  }
  void end(Job& job) { sequencer.call(job.payload, ::tlm::END_RESP); }
  void whole(Job& job, void (*spoil)(Job&) = nullptr) {
    begin(job);
    accept(job);
    respond(job, spoil);
    end(job);
  }

  Job first, second;
  Violations violations;
  CheckerSet checkers{violations.handler()};
  Initiator sequencer{"sequencer"};
  Target npu{"npu"};
};
using Case = Conversation<Bench>;

/// A whole operation; `spoil` is done before BEGIN_REQ.
Case request(const char* rule, void (*spoil)(Job&), const char* variant = "") {
  return {rule,
          [spoil](Bench& bench) {
            spoil(bench.first);
            bench.whole(bench.first);
          },
          variant};
}
/// The same for a collective that is legal so far: rank 3 of 4.
Case collective(const char* rule, void (*spoil)(Operation&), const char* variant = "") {
  return {rule,
          [spoil](Bench& bench) {
            Operation& operation = *bench.first.operation;
            operation.kind = Operation::Kind::collective;
            operation.collective_id = 1;
            operation.rank = 3;
            operation.program = program(4, 4);
            spoil(operation);
            bench.whole(bench.first);
          },
          variant};
}
/// `spoil` is done between END_REQ and BEGIN_RESP.
Case response(const char* rule, void (*spoil)(Job&), const char* variant = "") {
  return {rule, [spoil](Bench& bench) { bench.whole(bench.first, spoil); }, variant};
}
/// The answer to `phase` is `answer`, and legal otherwise.
Case answered(const char* rule, ::tlm::tlm_phase_enum phase, ::tlm::tlm_sync_enum answer) {
  return {rule, [=](Bench& bench) {
            bench.npu.answer = [=](Payload&, ::tlm::tlm_phase& called, sc_core::sc_time&) {
              if (called == phase) return answer;
              return called == ::tlm::END_RESP ? ::tlm::TLM_COMPLETED : ::tlm::TLM_ACCEPTED;
            };
            bench.sequencer.answer = [=](Payload&, ::tlm::tlm_phase& called, sc_core::sc_time&) {
              return called == phase ? answer : ::tlm::TLM_ACCEPTED;
            };
            bench.whole(bench.first);
          }};
}

const std::vector<Case> kCases = {
    response(
        nullptr, [](Job&) {}, "alone"),
    response(
        nullptr, [](Job& job) { job.payload.set_response_status(::tlm::TLM_GENERIC_ERROR_RESPONSE); },
        "failed"),
    response(
        nullptr, [](Job& job) { job.operation->end_ps = job.operation->start_ps; }, "in_no_time"),
    collective(
        nullptr, [](Operation&) {}, "collective"),
    collective(
        nullptr, [](Operation& operation) { operation.program = program(4, 0); }, "without_sources"),
    request(
        nullptr, [](Job& job) { job.operation->kind = Operation::Kind::send; }, "empty_message"),
    {nullptr,
     [](Bench& bench) {  // several outstanding, finished in another order, and the payload used again
       bench.begin(bench.first);
       bench.begin(bench.second);
       bench.accept(bench.second);
       bench.accept(bench.first);
       bench.respond(bench.second);
       bench.respond(bench.first);
       bench.end(bench.first);
       bench.first.payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
       bench.first.operation->kind = Operation::Kind::receive;
       bench.begin(bench.first);
       bench.end(bench.second);
       bench.accept(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "many_outstanding"},
    {nullptr,
     [](Bench& bench) {  // each phase from within the one before it
       bench.npu.answer = [&](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         if (phase != ::tlm::BEGIN_REQ) return ::tlm::TLM_COMPLETED;
         bench.accept(bench.first);
         bench.first.operation->start_ps = bench.first.operation->end_ps = kernel_now_ps();
         bench.first.payload.set_response_status(::tlm::TLM_OK_RESPONSE);
         bench.npu.call(bench.first.payload, ::tlm::BEGIN_RESP);
         return ::tlm::TLM_ACCEPTED;
       };
       bench.sequencer.answer = [&](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
         if (phase == ::tlm::BEGIN_RESP) bench.end(bench.first);
         return ::tlm::TLM_ACCEPTED;
       };
       bench.begin(bench.first);
     },
     "nested"},
    {nullptr,
     [](Bench& bench) {  // announced ahead
       bench.sequencer.call(bench.first.payload, ::tlm::BEGIN_REQ, 10);
       bench.npu.call(bench.first.payload, ::tlm::END_REQ, 10);
       bench.first.operation->start_ps = kernel_now_ps() + 10;
       bench.first.operation->end_ps = kernel_now_ps() + 20;
       bench.first.payload.set_response_status(::tlm::TLM_OK_RESPONSE);
       bench.npu.call(bench.first.payload, ::tlm::BEGIN_RESP, 20);
       bench.sequencer.call(bench.first.payload, ::tlm::END_RESP, 20);
     },
     "annotated"},
    {nullptr,
     [](Bench& bench) {  // after BEGIN_RESP the request is the sequencer's again
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.respond(bench.first);
       bench.first.operation->tag = 7;
       bench.end(bench.first);
     },
     "changed_after_the_response"},
    {"forward_phase", [](Bench& bench) { bench.sequencer.call(bench.first.payload, ::tlm::END_REQ); }},
    {"backward_phase", [](Bench& bench) { bench.npu.call(bench.first.payload, ::tlm::END_RESP); }},
    answered("begin_req_answer", ::tlm::BEGIN_REQ, ::tlm::TLM_UPDATED),
    answered("end_req_answer", ::tlm::END_REQ, ::tlm::TLM_COMPLETED),
    answered("begin_resp_answer", ::tlm::BEGIN_RESP, ::tlm::TLM_COMPLETED),
    answered("end_resp_answer", ::tlm::END_RESP, ::tlm::TLM_ACCEPTED),
    {"begin_req_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.whole(bench.first);
     }},
    {"end_req_order", [](Bench& bench) { bench.accept(bench.first); }, "without_request"},
    {"end_req_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.accept(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "twice"},
    {"begin_resp_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.respond(bench.first);
       bench.accept(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "end_req_skipped"},
    {"begin_resp_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.respond(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "twice"},
    {"end_resp_order",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
       bench.end(bench.first);
       bench.respond(bench.first);
       bench.end(bench.first);
     },
     "early"},
    {"end_resp_order",
     [](Bench& bench) {
       bench.whole(bench.first);
       bench.end(bench.first);
     },
     "twice"},
    {"time_forward",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.npu.call(bench.first.payload, ::tlm::END_REQ, 101);
       bench.respond(bench.first);  // after 100 ps
       bench.end(bench.first);
     }},
    {"extension_present",
     [](Bench& bench) {
       Payload bare;
       bench.sequencer.call(bare, ::tlm::BEGIN_REQ);
     },
     "at_begin_req"},
    response(
        "extension_present", [](Job& job) { job.payload.clear_extension<Operation>(); }, "at_begin_resp"),
    request("request_status", [](Job& job) { job.payload.set_response_status(::tlm::TLM_OK_RESPONSE); }),
    response("response_status",
             [](Job& job) { job.payload.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE); }),
    response(
        "request_constant", [](Job& job) { job.operation->kind = Operation::Kind::send; }, "kind"),
    response(
        "request_constant", [](Job& job) { job.operation->traffic_class = ClassId{1}; }, "class"),
    response(
        "request_constant", [](Job& job) { job.operation->duration_ps = 1; }, "duration"),
    response(
        "request_constant", [](Job& job) { job.operation->collective_id = 1; }, "collective"),
    response(
        "request_constant", [](Job& job) { job.operation->rank = 1; }, "rank"),
    response(
        "request_constant", [](Job& job) { job.operation->program = program(1, 1); }, "program"),
    response(
        "request_constant", [](Job& job) { job.operation->peer = NpuId{1}; }, "peer"),
    response(
        "request_constant", [](Job& job) { job.operation->tag = 1; }, "tag"),
    response(
        "request_constant", [](Job& job) { job.operation->bytes = 1; }, "bytes"),
    response(
        "request_constant", [](Job& job) { job.operation->address = 1; }, "address"),
    request("kind_known", [](Job& job) { job.operation->kind = static_cast<Operation::Kind>(6); }),
    request("class_in_range", [](Job& job) { job.operation->traffic_class = ClassId{8}; }),
    request("duration_fits", [](Job& job) { job.operation->duration_ps = kNever; }),
    request(
        "bytes_fit", [](Job& job) { job.operation->bytes = std::uint64_t{1} << 53; }, "too_many"),
    request(
        "bytes_fit",
        [](Job& job) {
          job.operation->kind = Operation::Kind::memory_store;
          job.operation->address = ~std::uint64_t{0} - 4;
          job.operation->bytes = 6;
        },
        "wrapped"),
    request(
        "memory_bytes", [](Job& job) { job.operation->kind = Operation::Kind::memory_load; }, "load"),
    request(
        "memory_bytes", [](Job& job) { job.operation->kind = Operation::Kind::memory_store; }, "store"),
    collective("collective_number", [](Operation& operation) { operation.collective_id = 0; }),
    collective(
        "collective_program", [](Operation& operation) { operation.program.reset(); }, "none"),
    collective(
        "collective_program", [](Operation& operation) { operation.program = program(0, 0); }, "no_group"),
    collective("collective_rank", [](Operation& operation) { operation.rank = 4; }),
    collective("collective_sources", [](Operation& operation) { operation.program = program(4, 3); }),
    response("start_after_request", [](Job& job) { job.operation->start_ps = 999; }),
    response("end_after_start", [](Job& job) { job.operation->end_ps = job.operation->start_ps - 1; }),
    response("response_after_end", [](Job& job) { job.operation->end_ps += 1; }),
    {"all_done",
     [](Bench& bench) {
       bench.begin(bench.first);
       bench.accept(bench.first);
     }},
};

class OperationCheckerCase : public ::testing::TestWithParam<Case> {};
TEST_P(OperationCheckerCase, ReportsThisRuleOnly) { expect_caught(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Conversations, OperationCheckerCase, ::testing::ValuesIn(kCases));

TEST(OperationChecker, EveryRuleHasACase) { expect_all_covered(kOperationRules, kCases); }

TEST(OperationChecker, CountsOperationsAndTheirBytes) {
  Bench bench;
  wait_ps(1000);
  bench.first.operation->kind = Operation::Kind::memory_load;
  bench.first.operation->bytes = 100;
  bench.whole(bench.first);
  bench.second.operation->kind = Operation::Kind::collective;
  bench.second.operation->collective_id = 1;
  bench.second.operation->program = program(2, 2);
  bench.begin(bench.second);
  const CheckerTotals totals = bench.checkers.totals().at(0);
  EXPECT_EQ(totals.begun, 2U);
  EXPECT_EQ(totals.finished, 1U);
  EXPECT_EQ(totals.payload_bytes, 100U + 4096U);
}

TEST(OperationChecker, ShowsOperationsToAnObserver) {
  OperationChecker checker("checker");
  Bench::Initiator sequencer{"sequencer"};
  Bench::Target npu{"npu"};
  sequencer.socket.bind(checker.target_side);
  checker.initiator_side.bind(npu.socket);
  npu.answer = [](Payload&, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
    return phase == ::tlm::END_RESP ? ::tlm::TLM_COMPLETED : ::tlm::TLM_ACCEPTED;
  };
  SocketWatcher watcher;
  checker.observe(watcher, 3);
  wait_ps(1000);
  Job send, collective;
  send.operation->kind = Operation::Kind::send;
  send.operation->traffic_class = ClassId{2};
  send.operation->peer = NpuId{7};
  send.operation->tag = 12;
  send.operation->bytes = 99;
  send.operation->address = 640;
  sequencer.call(send.payload, ::tlm::BEGIN_REQ);
  npu.call(send.payload, ::tlm::END_REQ, 20);
  wait_ps(100);
  send.operation->start_ps = 1000;
  send.operation->end_ps = 1100;
  send.payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  npu.call(send.payload, ::tlm::BEGIN_RESP);
  sequencer.call(send.payload, ::tlm::END_RESP, 5);
  collective.operation->kind = Operation::Kind::collective;
  collective.operation->collective_id = 5;
  collective.operation->program = program(1, 1);
  sequencer.call(collective.payload, ::tlm::BEGIN_REQ);
  const int kind_of_send = static_cast<int>(Operation::Kind::send),
            kind_of_collective = static_cast<int>(Operation::Kind::collective);
  EXPECT_EQ(watcher.seen,
            (std::vector<std::string>{
                say("3 begins at 1000 for 1000, bytes 99, tag 12, address 640, destination 7, kind ",
                    kind_of_send, ", class 2"),
                "3 phase 2 at 1000 for 1020", "3 phase 3 at 1100 for 1100", "3 phase 4 at 1100 for 1105",
                say("3 begins at 1100 for 1100, bytes 4096, stream 5, kind ", kind_of_collective)}));
}

}  // namespace
}  // namespace wafertlm
