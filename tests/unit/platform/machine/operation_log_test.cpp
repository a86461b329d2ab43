// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/operation_log.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <stdexcept>

#include "tests/support/scripted.h"

namespace wafertlm {
namespace {

using Payload = ::tlm::tlm_generic_payload;
using Initiator = ScriptedInitiator<OperationInitiatorSocket, OperationBackwardIf, Payload>;
using Target = ScriptedTarget<OperationTargetSocket, OperationForwardIf, Payload>;

/// A payload with its Operation.
struct LoggedJob {
  LoggedJob() { payload.set_extension(operation.get()); }
  ~LoggedJob() { payload.clear_extension<Operation>(); }
  std::unique_ptr<Operation> operation = std::make_unique<Operation>();
  Payload payload;
};

std::vector<std::tuple<std::uint64_t, TimePs, TimePs>> ends_of(const OperationLog& log) {
  std::vector<std::tuple<std::uint64_t, TimePs, TimePs>> ends;
  for (const OperationLog::End& end : log.ends) ends.emplace_back(end.number, end.start_ps, end.end_ps);
  return ends;
}
using Ends = decltype(ends_of({}));

TEST(OperationLogs, AreTheSameWhenTheyHaveBeenPackedAndAdded) {
  OperationLogs one, other, all;
  one.of(NpuId{2}).ends = {{1, 10, 20}, {0, 5, 30}};
  one.of(NpuId{0});
  other.of(NpuId{7}).ends = {{0, 1, 2}};
  all.add(one.pack());
  all.add(other.pack());
  all.add({});
  EXPECT_EQ(ends_of(all.of(NpuId{2})), (Ends{{1, 10, 20}, {0, 5, 30}}));
  EXPECT_EQ(ends_of(all.of(NpuId{7})), (Ends{{0, 1, 2}}));
  EXPECT_TRUE(all.of(NpuId{0}).ends.empty());
  std::vector<std::byte> cut = one.pack();
  cut.pop_back();
  EXPECT_THROW(all.add(cut), std::logic_error);
}

/// Operations through a RecordedSocket to a target that the test moves.
struct Recording {
  Recording() {
    initiator.socket.bind(recorded.target_side);
    recorded.initiator_side.bind(target.socket);
  }
  void end(LoggedJob& job, TimePs start_ps) {
    job.operation->start_ps = start_ps;
    job.operation->end_ps = kernel_now_ps();
    target.call(job.payload, ::tlm::BEGIN_RESP);
  }
  OperationLog log;
  Initiator initiator{"recording_initiator"};
  Target target{"target"};
  RecordedSocket recorded{"recorded", log};
};

TEST(OperationLogs, HoldWhatEndsInItsOrder) {
  Recording recording;
  LoggedJob first, second, third;
  wait_ps(100);
  recording.initiator.call(first.payload, ::tlm::BEGIN_REQ);
  recording.initiator.call(second.payload, ::tlm::BEGIN_REQ);
  wait_ps(100);
  recording.end(second, 100);
  recording.initiator.call(third.payload, ::tlm::BEGIN_REQ);
  wait_ps(50);
  recording.end(third, 210);
  recording.end(first, 120);
  EXPECT_EQ(ends_of(recording.log), (Ends{{1, 100, 200}, {2, 210, 250}, {0, 120, 250}}));
}

/// Operations that a log ends; each end with what the operation says.
struct Playing {
  explicit Playing(OperationLog ends) : log(std::move(ends)) {
    initiator.socket.bind(played.socket);
    initiator.answer = [this](Payload& payload, ::tlm::tlm_phase& phase, sc_core::sc_time&) {
      if (phase != ::tlm::BEGIN_RESP) return ::tlm::TLM_ACCEPTED;
      const Operation& operation = *payload.get_extension<Operation>();
      EXPECT_EQ(operation.end_ps, scheduler.now());
      EXPECT_EQ(payload.get_response_status(), ::tlm::TLM_OK_RESPONSE);
      std::uint64_t number = 0;
      while (&jobs[number].payload != &payload) ++number;
      ended.push_back({number, operation.start_ps, operation.end_ps});
      return ::tlm::TLM_ACCEPTED;
    };
  }
  void begin() { initiator.call(jobs.emplace_back().payload, ::tlm::BEGIN_REQ); }

  const OperationLog log;
  Scheduler scheduler{"scheduler"};
  Initiator initiator{"initiator"};
  PlayedSocket played{"played", NpuId{4}, log, scheduler};
  std::deque<LoggedJob> jobs;
  std::vector<OperationLog::End> ended;
};

TEST(PlayedSocket, EndsWhatBeginsAsTheLogSays) {
  Playing playing({{{1, 100, 200}, {2, 210, 250}, {0, 120, 250}, {3, 300, 400}}});
  wait_ps(100);
  playing.begin();
  playing.begin();
  playing.scheduler.run(110);
  EXPECT_EQ(ends_of({playing.ended}), (Ends{{1, 100, 200}}));
  playing.begin();
  playing.scheduler.run(50);
  playing.begin();
  playing.scheduler.run(1000);
  EXPECT_EQ(ends_of({playing.ended}), ends_of(playing.log));
}

TEST(PlayedSocket, SaysSoIfAnOperationBeginsAfterItsEnd) {
  Playing playing({{{0, 10, 99}}});
  wait_ps(100);
  try {
    playing.begin();
    ADD_FAILURE() << "taken";
  } catch (const std::logic_error& error) {
    EXPECT_EQ(
        std::string(error.what()),
        "played: an operation ended at 99 ps and begins at 100 ps when it is played: the processes differ");
  }
}

// It waits for ever, as the process did in which it has not ended.
TEST(PlayedSocket, WhatTheLogDoesNotEndDoesNotEnd) {
  Playing playing({{{0, 10, 99}}});
  playing.begin();
  playing.begin();
  playing.scheduler.run(1000);
  EXPECT_EQ(ends_of({playing.ended}), (Ends{{0, 10, 99}}));
}

}  // namespace
}  // namespace wafertlm
