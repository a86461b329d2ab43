// SPDX-License-Identifier: Apache-2.0
// What the scheduler says of a wake-up that fails.
#include "tlm/kernel/scheduler.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm::test {
namespace {

template <typename Error>
struct Failing final : sc_core::sc_module, Wakeable {
  Failing() : sc_module(sc_core::sc_module_name("router3")) {}
  void wake(std::uint32_t, TimePs) override { throw Error("a count is wrong"); }
};

template <typename Error>
std::string told_of() {
  Scheduler scheduler("scheduler");
  Failing<Error> failing;
  scheduler.schedule(1234, failing, 0);
  try {
    scheduler.run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Scheduler, TellsWhereAnInternalErrorCameFrom) {
  EXPECT_EQ(told_of<std::logic_error>(), "router3, 1234 ps: a count is wrong");
}

TEST(Scheduler, LeavesBadInputAsItIs) { EXPECT_EQ(told_of<std::invalid_argument>(), "a count is wrong"); }

}  // namespace
}  // namespace wafertlm::test
