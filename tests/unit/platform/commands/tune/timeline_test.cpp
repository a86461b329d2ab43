// SPDX-License-Identifier: Apache-2.0
// Times by hand, in picoseconds, from the stream rules (../shared/reference/tuning.md, section 1).
#include "platform/commands/tune/timeline.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm::backends {
namespace {

using Kind = Action::Kind;
using Call = Action::Call;

Action compute(TimePs time) { return {Kind::compute, time}; }
Action call(TimePs time, Call how = Call::ordered, std::size_t backend = 0, TimePs change = 0) {
  return {Kind::communicate, time, backend, how, change};
}
const Action kWait{Kind::wait};

std::vector<Backend> two_streams() { return {{"X"}, {"Y"}}; }
std::vector<Backend> one_engine() { return {{"X", {}, "gpu"}, {"Y", {}, "gpu"}}; }
std::vector<Backend> with_host() { return {{"X"}, {"MPI", {}, "", Progress::host, 3}}; }

TEST(BackendTimeline, AnOrderedOperationStopsTheComputeStream) {
  const TimelineResult result = run_timeline({compute(10), call(5), compute(7)}, two_streams());
  EXPECT_EQ(result.start_ps, (std::vector<TimePs>{0, 10, 15}));
  EXPECT_EQ(result.end_ps, (std::vector<TimePs>{10, 15, 22}));
  EXPECT_EQ(result.time_ps, 22U);
  EXPECT_EQ(result.compute_ps, 17U);
}

TEST(BackendTimeline, AnAsynchronousOneIsHiddenUntilTheWait) {
  EXPECT_EQ(
      run_timeline({compute(10), call(5, Call::asynchronous), compute(7), kWait, compute(1)}, two_streams())
          .end_ps,
      (std::vector<TimePs>{10, 15, 17, 0, 18}));
  EXPECT_EQ(
      run_timeline({compute(10), call(9, Call::asynchronous), compute(7), kWait, compute(1)}, two_streams())
          .time_ps,
      20U);
  EXPECT_EQ(run_timeline({compute(10), call(9, Call::asynchronous), compute(1)}, two_streams()).time_ps, 19U);
}

TEST(BackendTimeline, EnginesWorkSideBySide) {
  const std::vector<Action> actions{call(5, Call::asynchronous, 0), call(6, Call::asynchronous, 1), kWait};
  EXPECT_EQ(run_timeline(actions, two_streams()).time_ps, 6U);
  EXPECT_EQ(run_timeline(actions, one_engine()).time_ps, 11U);
}

TEST(BackendTimeline, AChangeKeepsTheEngineBusy) {
  EXPECT_EQ(run_timeline({call(5), call(6, Call::ordered, 1, 4)}, one_engine()).start_ps,
            (std::vector<TimePs>{0, 9}));
}

TEST(BackendTimeline, ABlockingCallStopsTheHostToo) {
  // The wait is passed by the host: at 5 only if the call has stopped it.
  EXPECT_EQ(run_timeline({call(5, Call::blocking), kWait}, two_streams()).end_ps[1], 5U);
  EXPECT_EQ(run_timeline({call(5), kWait}, two_streams()).end_ps[1], 0U);
}

TEST(BackendTimeline, AHostBackendWaitsForTheDeviceAndABarrier) {
  const TimelineResult result =
      run_timeline({compute(10), call(5, Call::ordered, 1), compute(2), kWait}, with_host());
  EXPECT_EQ(result.start_ps, (std::vector<TimePs>{0, 13, 18, 18}));
  EXPECT_EQ(result.time_ps, 20U);
}

TEST(BackendTimeline, AnAsynchronousHostOperationHoldsTheHostAtTheWait) {
  const TimelineResult result =
      run_timeline({compute(10), call(5, Call::asynchronous, 1), compute(2), kWait, compute(1)}, with_host());
  EXPECT_EQ(result.start_ps, (std::vector<TimePs>{0, 13, 13, 13, 18}));
  EXPECT_EQ(result.time_ps, 19U);
}

TEST(BackendTimeline, RefusesAnUnknownBackend) {
  EXPECT_THROW(run_timeline({call(1, Call::ordered, 2)}, two_streams()), std::out_of_range);
}

}  // namespace
}  // namespace wafertlm::backends
