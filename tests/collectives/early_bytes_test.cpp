// SPDX-License-Identifier: Apache-2.0
// Messages that come before their receive is posted, by a known time: how many bytes are kept meanwhile.
#include <gtest/gtest.h>

#include <memory>

#include "platform/machine/machine.h"
#include "tests/collectives/dimensional/dimensional_case.h"
#include "tests/support/program_run.h"

namespace wafertlm {
namespace {

constexpr std::uint64_t kFirstBytes = 300'000, kSecondBytes = 75'000;  // bytes
constexpr TimePs kHopLatency = 20'000;

/// Rank 0 sends two messages. Rank 1 works within its buffer for a while, then receives one after the other.
class LateReceiver : public StepSource {
 public:
  LateReceiver(bool sends, TimePs late_ps) : sends_(sends), late_ps_(late_ps) {}
  std::uint32_t threadblocks() const override { return 1; }
  std::uint32_t steps(std::uint32_t) const override { return sends_ ? 2 : 3; }
  Step step(std::uint32_t, std::uint32_t index) const override {
    Step step;
    if (!sends_ && index == 0) {
      step.kind = Step::Kind::local_copy;
      step.bytes = late_ps_ == 0 ? 0 : 8;
      step.delay_ps = late_ps_;
      return step;
    }
    step.kind = sends_ ? Step::Kind::send : Step::Kind::copy;
    step.peer = sends_ ? 1 : 0;
    step.tag = sends_ ? index : index - 1;
    step.bytes = step.tag == 0 ? kFirstBytes : kSecondBytes;
    step.offset = step.tag == 0 ? 0 : kFirstBytes;
    return step;
  }

 private:
  bool sends_;
  TimePs late_ps_;
};

struct Outcome {
  TimePs time_ps;
  std::uint64_t early_bytes;
};

Outcome run_late(const config::PlatformSpec& spec, TimePs late_ps) {
  const nlohmann::json outcome = run_in_child([&]() -> nlohmann::json {
    Machine machine(spec);
    auto program = std::make_shared<CollectiveProgram>();
    program->group = test::npus({0, 1});
    program->bytes = program->buffer_bytes = kFirstBytes + kSecondBytes;
    program->ranks.push_back(std::make_unique<LateReceiver>(true, 0));
    program->ranks.push_back(std::make_unique<LateReceiver>(false, late_ps));
    const TimePs time = test::run_program(machine, program, "dp").time_ps;
    return {time, machine.early_bytes_high_water()};
  });
  return {outcome[0].get<TimePs>(), outcome[1].get<std::uint64_t>()};
}

/// `first` and `second`: when the messages are there; `cost`: of memory, if there is one.
void expect_early_bytes(const config::PlatformSpec& spec, TimePs first, TimePs second) {
  Outcome of = run_late(spec, 0);
  EXPECT_EQ(of.time_ps, second);
  EXPECT_EQ(of.early_bytes, 0U);
  of = run_late(spec, first - 1);
  EXPECT_EQ(of.time_ps, second);
  EXPECT_EQ(of.early_bytes, 0U);
  of = run_late(spec, first + 1);  // the second one is expected in time
  EXPECT_EQ(of.time_ps, second);
  EXPECT_EQ(of.early_bytes, kFirstBytes);
  of = run_late(spec, second + 1);
  EXPECT_EQ(of.time_ps, second + 1);
  EXPECT_EQ(of.early_bytes, kFirstBytes + kSecondBytes);
}

TEST(EarlyBytes, OfPackets) {
  const std::uint64_t rate = 750'000'000'000;
  expect_early_bytes(test::platform(), transfer_time_ps(kFirstBytes, rate) + kHopLatency,
                     transfer_time_ps(kFirstBytes + kSecondBytes, rate) + kHopLatency);
}

TEST(EarlyBytes, OfWholeMessages) {
  test::DimensionalCase what;
  what.dimensions = "{topology: fully_connected, size: 2, bandwidth: 100 GB/s, latency: 20 ns}";
  what.fabric = "transport: messages";
  const std::uint64_t rate = 100'000'000'000;
  expect_early_bytes(what.spec(), transfer_time_ps(kFirstBytes, rate) + kHopLatency,
                     transfer_time_ps(kFirstBytes + kSecondBytes, rate) + kHopLatency);
}

// With the memory's traffic a message counts from its first chunk on.
TEST(EarlyBytes, OfMessagesThatWaitOutsideOfTheMemory) {
  const config::PlatformSpec spec = test::platform({"npu.endpoint.memory=hbm"});
  EXPECT_EQ(run_late(spec, 0).early_bytes, 0U);
  EXPECT_EQ(run_late(spec, 100'000'000).early_bytes, kFirstBytes + kSecondBytes);
}

}  // namespace
}  // namespace wafertlm
