// SPDX-License-Identifier: Apache-2.0
// The state machine of programs, with a host that writes down what it is told and answers when the test says
// so.
#include "tlm/program/step_runner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wafertlm {
namespace {

using Steps = std::vector<Step>;

/// Threadblocks of steps, as the test writes them.
class Script : public StepSource {
 public:
  explicit Script(std::vector<Steps> threadblocks) : threadblocks_(std::move(threadblocks)) {}
  std::uint32_t threadblocks() const override { return static_cast<std::uint32_t>(threadblocks_.size()); }
  std::uint32_t steps(std::uint32_t index) const override {
    return static_cast<std::uint32_t>(threadblocks_[index].size());
  }
  Step step(std::uint32_t index, std::uint32_t number) const override { return threadblocks_[index][number]; }

 private:
  std::vector<Steps> threadblocks_;
};

Step make(Step::Kind kind, std::uint64_t tag, std::uint64_t bytes = 8) {
  Step step;
  step.kind = kind;
  step.tag = tag;
  step.bytes = bytes;
  return step;
}
Step send(std::uint64_t tag) { return make(Step::Kind::send, tag); }
Step receive(std::uint64_t tag) { return make(Step::Kind::copy, tag); }
Step local(std::uint64_t tag, TimePs delay_ps = 0) {
  Step step = make(Step::Kind::local_copy, tag);
  step.delay_ps = delay_ps;
  return step;
}
Step nothing() { return make(Step::Kind::send, 0, 0); }
Step nonblocking(Step step) {
  step.nonblocking = true;
  return step;
}
Step wait_all(Step step) {
  step.wait_all = true;
  return step;
}
Step after(std::uint32_t threadblock, std::uint32_t count, Step step) {
  step.after_threadblock = threadblock;
  step.after_count = count;
  return step;
}
Step starts_stage(std::uint64_t order, Step step) {
  step.starts_stage = true;
  step.port_order = order;
  return step;
}

/// Writes down "0:send 7" for threadblock 0 and tag 7.
class Host {
 public:
  explicit Host(std::vector<Steps> threadblocks) : script_(std::move(threadblocks)) {
    Runner::prepare(run_, script_);
    runner_.begin(run_, 0);
  }
  /// What has happened since the last call.
  std::string log() { return std::exchange(log_, {}); }
  void step_done(std::uint32_t index, TimePs now = 1) { runner_.step_done(run_, index, now); }
  void receive_done(std::uint32_t index, TimePs now = 1) { runner_.receive_done(run_, index, now); }
  void local_done(std::uint32_t index, TimePs now = 1) { runner_.local_done(run_, index, now); }
  std::uint32_t done(std::uint32_t index) const { return run_.threadblocks[index].done; }

 private:
  using Run = ProgramRun<Threadblock>;
  using Runner = StepRunner<Host, Run>;
  friend Runner;

  void note(std::uint32_t index, const std::string& what, std::uint64_t number) {
    log_ += (log_.empty() ? "" : ", ") + std::to_string(index) + ":" + what + " " + std::to_string(number);
  }
  void stage_started(Run&, std::uint32_t index, const Step& step, TimePs) {
    note(index, "stage", step.port_order);
  }
  void send(Run&, std::uint32_t index, const Step& step, TimePs) { note(index, "send", step.tag); }
  void receive(Run&, std::uint32_t index, const Step& step, TimePs) { note(index, "receive", step.tag); }
  void delay(Run&, std::uint32_t index, TimePs until) { note(index, "delay until", until); }
  void work(Run&, std::uint32_t index, const Step& step) { note(index, "work", step.tag); }
  void received_all(Run& run, std::uint32_t index) {
    note(index, "received all before step", run.threadblocks[index].done);
  }
  void program_done(Run&, TimePs now) { log_ += (log_.empty() ? "done " : ", done ") + std::to_string(now); }

  Script script_;
  Run run_;
  Runner runner_{*this};
  std::string log_;
};

TEST(StepRunner, RunsThreadblocksSideBySideAndTheirStepsInOrder) {
  Host host({{send(1), receive(2)}, {receive(3)}});
  EXPECT_EQ(host.log(), "0:send 1, 1:receive 3");
  host.step_done(0, 10);
  EXPECT_EQ(host.log(), "0:receive 2");
  host.step_done(1, 20);
  EXPECT_EQ(host.log(), "");
  host.step_done(0, 30);
  EXPECT_EQ(host.log(), "done 30");
}

TEST(StepRunner, AProgramWithoutStepsIsDoneAtOnce) {
  Host none({});
  EXPECT_EQ(none.log(), "done 0");
  Host empty({{}, {}});
  EXPECT_EQ(empty.log(), "done 0");
}

TEST(StepRunner, StepsWithoutBytesTakeNoTime) {
  Host host({{nothing(), nothing(), send(1), nothing()}, {}});
  EXPECT_EQ(host.log(), "0:send 1");
  host.step_done(0, 5);
  EXPECT_EQ(host.log(), "done 5");
  Host all({{nothing()}, {nothing(), nothing()}});
  EXPECT_EQ(all.log(), "done 0");
}

TEST(StepRunner, AStepWaitsForStepsOfAnotherThreadblock) {
  Host host({{receive(1), receive(2), receive(3)}, {after(0, 2, send(4))}});
  EXPECT_EQ(host.log(), "0:receive 1");
  host.step_done(0);
  EXPECT_EQ(host.log(), "0:receive 2");
  host.step_done(0);  // whoever waited goes on before the threadblock itself
  EXPECT_EQ(host.log(), "1:send 4, 0:receive 3");
}

TEST(StepRunner, WhoWaitsGoesOnInTheOrderOfComing) {
  // 3 comes first, then 1 and 2 when their receives are over.
  Host host({{receive(0), receive(0)},
             {receive(1), after(0, 1, send(11))},
             {receive(2), after(0, 1, send(12))},
             {after(0, 1, send(13))}});
  host.step_done(2);
  host.step_done(1);
  host.log();
  host.step_done(0);
  EXPECT_EQ(host.log(), "3:send 13, 2:send 12, 1:send 11, 0:receive 0");
}

// 1 goes on, and waits again before 2, which was not let go, does.
TEST(StepRunner, WhoIsNotLetGoWaitsBehindWhoHasComeMeanwhile) {
  Host host({{receive(0), receive(0), receive(0)},
             {after(0, 1, nothing()), after(0, 2, send(11))},
             {after(0, 2, send(12))},
             {after(0, 1, send(13))}});
  EXPECT_EQ(host.log(), "0:receive 0");
  host.step_done(0);
  EXPECT_EQ(host.log(), "3:send 13, 0:receive 0");
  host.step_done(0);
  EXPECT_EQ(host.log(), "1:send 11, 2:send 12, 0:receive 0");
}

TEST(StepRunner, AWaitThatIsOverAlreadyIsNone) {
  Host host({{nothing(), nothing()}, {after(0, 2, send(1))}});
  EXPECT_EQ(host.log(), "1:send 1");
}

TEST(StepRunner, WakesChainsOfThreadblocks) {
  Host host({{receive(1)}, {after(0, 1, nothing())}, {after(1, 1, nothing())}, {after(2, 1, send(4))}});
  EXPECT_EQ(host.log(), "0:receive 1");
  host.step_done(0);
  EXPECT_EQ(host.log(), "3:send 4");
  host.step_done(3, 9);
  EXPECT_EQ(host.log(), "done 9");
}

TEST(StepRunner, ThreadblocksThatWaitForEachOtherWaitForEver) {
  Host host({{after(1, 1, send(1))}, {after(0, 1, send(2))}});
  EXPECT_EQ(host.log(), "");
}

TEST(StepRunner, NonblockingStepsDoNotHoldTheThreadblock) {
  Host host({{nonblocking(receive(1)), nonblocking(receive(2)), nonblocking(send(3)), wait_all(send(4))}});
  EXPECT_EQ(host.log(), "0:receive 1, 0:receive 2, 0:send 3");
  EXPECT_EQ(host.done(0), 3U);
  host.receive_done(0);
  EXPECT_EQ(host.log(), "");
  host.receive_done(0);
  EXPECT_EQ(host.log(), "0:received all before step 3, 0:send 4");
  host.step_done(0, 7);
  EXPECT_EQ(host.log(), "done 7");
}

TEST(StepRunner, WithoutReceivesUnderWayThereIsNothingToWaitFor) {
  Host host({{nonblocking(send(1)), wait_all(nothing()), send(2)}});
  EXPECT_EQ(host.log(), "0:send 1, 0:send 2");
}

// The receives are over before the step that waits for all of them is reached.
TEST(StepRunner, ReceivesMayEndWhileAnotherStepBlocks) {
  Host host({{nonblocking(receive(1)), receive(2), wait_all(send(3))}});
  host.log();
  host.receive_done(0);
  EXPECT_EQ(host.log(), "0:received all before step 1");
  host.step_done(0);
  EXPECT_EQ(host.log(), "0:send 3");
}

TEST(StepRunner, ANonblockingStepCountsForThoseThatWait) {
  Host host({{after(1, 1, send(1))}, {nonblocking(receive(2)), wait_all(nothing())}});
  EXPECT_EQ(host.log(), "1:receive 2, 0:send 1");
}

TEST(StepRunner, LocalStepsWorkAtOnceOrAfterTheirDelay) {
  Host host({{local(1), local(2, 50), send(3)}});
  EXPECT_EQ(host.log(), "0:work 1, 0:delay until 50");
  host.local_done(0, 50);
  EXPECT_EQ(host.log(), "0:work 2, 0:send 3");
}

TEST(StepRunner, AStageBeginsWhenItsStepStarts) {
  Host host({{receive(1)}, {starts_stage(4, after(0, 1, send(2))), starts_stage(5, nothing())}});
  EXPECT_EQ(host.log(), "0:receive 1");
  host.step_done(0);
  EXPECT_EQ(host.log(), "1:stage 4, 1:send 2");
  host.step_done(1, 3);
  EXPECT_EQ(host.log(), "1:stage 5, done 3");
}

}  // namespace
}  // namespace wafertlm
