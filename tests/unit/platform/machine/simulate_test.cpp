// SPDX-License-Identifier: Apache-2.0
// What is said of an internal error during a simulation.
#include "platform/machine/simulate.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "platform/machine/machine.h"
#include "platform/machine/wafer.h"
#include "platform/spec/load.h"
#include "tlm/operation/operation_port.h"

namespace wafertlm::test {
namespace {

struct Failing final : Wakeable {
  void wake(std::uint32_t, TimePs) override { throw std::logic_error("a count is wrong"); }
};

struct Nobody final : OperationListener {
  void operation_done(std::uint64_t, const Operation&, const std::vector<std::byte>&) override {}
};

std::string told_with(const std::string& acceleration) {
  Machine machine(config::load_platform(WAFERTLM_SOURCE_DIR "/configs/platforms/fred_b.yaml",
                                        {"run.acceleration=" + acceleration}));
  Nobody nobody;
  std::vector<std::unique_ptr<OperationPort>> ports;
  for (std::uint32_t n = 0; n < machine.wafer().endpoints(); ++n) {
    ports.push_back(std::make_unique<OperationPort>(("port_" + std::to_string(n)).c_str(), nobody));
    machine.attach(*ports.back(), static_cast<NpuId>(n));
  }
  Failing failing;
  try {
    simulate(
        machine, [&] { machine.wafer().scheduler.schedule(1234, failing, 0); }, [] { return true; });
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Simulate, SaysHowToGoOnAfterAnInternalErrorOfAcceleration) {
  const std::string text = told_with("exact");
  EXPECT_NE(text.find("internal error: the fabric, 1234 ps: a count is wrong"), std::string::npos) << text;
  EXPECT_NE(text.find("--set run.acceleration=off"), std::string::npos) << text;
}

TEST(Simulate, NamesNoAccelerationWhereThereIsNone) {
  EXPECT_EQ(told_with("off"), "internal error: the fabric, 1234 ps: a count is wrong");
}

}  // namespace
}  // namespace wafertlm::test
