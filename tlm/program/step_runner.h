// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tlm/program/program.h"

namespace wafertlm {

/// Where a rank is in one threadblock of its program.
struct Threadblock {
  static constexpr std::uint32_t kNone = Step::kNone;

  std::uint32_t done = 0, steps = 0;  ///< finished, in all
  std::uint32_t nonblocking = 0;      ///< receives under way that the threadblock did not wait for
  std::uint32_t awaited_steps = 0;    ///< while it waits: that many of the other threadblock
  /// Those that wait for this one, in the order in which they came, as a list through `next_waiter`.
  std::uint32_t first_waiter = kNone, last_waiter = kNone, next_waiter = kNone;
  std::uint32_t fewest_awaited = kNone;  ///< of this one's steps, by its waiters
  bool running = false;                  ///< step `done` has been started, and blocks
  bool waiting = false;                  ///< step `done` waits for another threadblock
};

/// A rank in a collective. `State` is a Threadblock, with what the host keeps beside it.
template <typename State>
struct ProgramRun {
  const StepSource* program = nullptr;
  std::vector<State> threadblocks;
  std::uint32_t unfinished = 0;  ///< threadblocks
};

/// Runs the steps of programs: which step starts when, what waits for what. What a step does is its host's
/// business. `Run` is a ProgramRun, with what the host keeps of a rank. The host has
///
///   void stage_started(Run&, std::uint32_t threadblock, const Step&, TimePs now);
///   void send(Run&, std::uint32_t threadblock, const Step&, TimePs now);     // step_done() follows,
///   void receive(Run&, std::uint32_t threadblock, const Step&, TimePs now);  // … or receive_done()
///   void delay(Run&, std::uint32_t threadblock, TimePs until);               // local_done() follows
///   void work(Run&, std::uint32_t threadblock, const Step&);  // a step within the rank's own buffer
///   void received_all(Run&, std::uint32_t threadblock);  // that the threadblock did not wait for
///   void program_done(Run&, TimePs now);
///
/// and answers later, never from within these calls. No answer follows a nonblocking send. The step is number
/// `done` of its threadblock in all of them. A template, because it is on the path of every message.
template <typename Host, typename Run>
class StepRunner {
 public:
  explicit StepRunner(Host& host) : host_(host) {}

  /// Makes `run` ready for begin(), or for one advance() of each threadblock in any order.
  static void prepare(Run& run, const StepSource& program) {
    run.program = &program;
    run.threadblocks.resize(program.threadblocks());
    run.unfinished = 0;
    for (std::uint32_t index = 0; index < run.threadblocks.size(); ++index) {
      run.threadblocks[index].steps = program.steps(index);
      if (run.threadblocks[index].steps != 0) ++run.unfinished;
    }
  }
  void begin(Run& run, TimePs now) {
    if (run.unfinished == 0) return host_.program_done(run, now);
    for (std::uint32_t index = 0; index < run.threadblocks.size(); ++index) advance(run, index, now);
  }

  void advance(Run& run, std::uint32_t index, TimePs now) {
    const Threadblock& of = run.threadblocks[index];
    while (!of.running && of.done < of.steps)
      if (!start_step(run, index, now)) return;
  }

  /// The threadblock's send or receive, which blocks it, is over.
  void step_done(Run& run, std::uint32_t index, TimePs now) {
    count_step(run, index, now);
    advance(run, index, now);
  }
  /// A receive is over that the threadblock did not wait for.
  void receive_done(Run& run, std::uint32_t index, TimePs now) {
    if (--run.threadblocks[index].nonblocking != 0) return;
    host_.received_all(run, index);
    advance(run, index, now);
  }
  void local_done(Run& run, std::uint32_t index, TimePs now) {
    host_.work(run, index, run.program->step(index, run.threadblocks[index].done));
    step_done(run, index, now);
  }

 private:
  /// Starts the threadblock's next step; what takes no time is over at once. False if the step has to wait.
  bool start_step(Run& run, std::uint32_t index, TimePs now) {
    Threadblock& of = run.threadblocks[index];
    if (of.waiting) return false;
    if (of.nonblocking != 0 && run.program->wait_all(index, of.done)) return false;
    const Step step = run.program->step(index, of.done);
    if (must_wait(run, index, step)) return false;
    if (step.starts_stage) host_.stage_started(run, index, step, now);
    if (step.bytes == 0) {
      count_step(run, index, now);
    } else if (step.is_local()) {
      start_local(run, index, step, now);
    } else {
      const bool is_send = step.kind == Step::Kind::send || step.kind == Step::Kind::flow_send;
      of.running = !step.nonblocking;
      if (step.nonblocking && !is_send) ++of.nonblocking;
      if (is_send)
        host_.send(run, index, step, now);
      else
        host_.receive(run, index, step, now);
      if (step.nonblocking) count_step(run, index, now);
    }
    return true;
  }

  void start_local(Run& run, std::uint32_t index, const Step& step, TimePs now) {
    if (step.delay_ps == 0) {
      host_.work(run, index, step);
      count_step(run, index, now);
    } else {
      run.threadblocks[index].running = true;
      host_.delay(run, index, now + step.delay_ps);
    }
  }

  void count_step(Run& run, std::uint32_t index, TimePs now) {
    Threadblock& of = run.threadblocks[index];
    of.running = false;
    ++of.done;
    if (of.done >= of.fewest_awaited) wake_waiters(run, index, now);
    if (of.done == of.steps && --run.unfinished == 0) host_.program_done(run, now);
  }

  static bool must_wait(Run& run, std::uint32_t index, const Step& step) {
    if (step.after_threadblock == Step::kNone) return false;
    Threadblock& awaited = run.threadblocks[step.after_threadblock];
    if (awaited.done >= step.after_count) return false;
    run.threadblocks[index].waiting = true;
    run.threadblocks[index].awaited_steps = step.after_count;
    add_waiter(run, awaited, index);
    return true;
  }

  static void add_waiter(Run& run, Threadblock& awaited, std::uint32_t index) {
    if (awaited.first_waiter == Threadblock::kNone)
      awaited.first_waiter = index;
    else
      run.threadblocks[awaited.last_waiter].next_waiter = index;
    awaited.last_waiter = index;
    run.threadblocks[index].next_waiter = Threadblock::kNone;
    awaited.fewest_awaited = std::min(awaited.fewest_awaited, run.threadblocks[index].awaited_steps);
  }

  /// Those that wait for `index` go on if this was what they wait for, the others wait again, behind whoever
  /// has come meanwhile.
  void wake_waiters(Run& run, std::uint32_t index, TimePs now) {
    Threadblock& awaited = run.threadblocks[index];
    std::uint32_t waiter = std::exchange(awaited.first_waiter, Threadblock::kNone);
    awaited.fewest_awaited = Threadblock::kNone;
    while (waiter != Threadblock::kNone) {
      Threadblock& other = run.threadblocks[waiter];
      const std::uint32_t next = other.next_waiter;
      if (other.awaited_steps > awaited.done) {
        add_waiter(run, awaited, waiter);
      } else {
        other.waiting = false;
        advance(run, waiter, now);
      }
      waiter = next;
    }
  }

  Host& host_;
};

}  // namespace wafertlm
