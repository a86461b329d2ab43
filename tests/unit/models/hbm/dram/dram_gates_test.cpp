// SPDX-License-Identifier: Apache-2.0
// Every gate refuses a command a cycle early and takes it in time. Cycles are those of the presets.
#include "models/hbm/dram/dram_gates.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace wafertlm {
namespace {

using Cycle = DramGates::Cycle;
// Banks of HBM2 and HBM3: group · 4 + bank.
constexpr std::uint32_t kThisBank = 0, kSameGroup = 1, kOtherGroup = 4;

void opens_at(const DramTiming& timing, const std::function<void(DramGates&)>& before, DramCommand command,
              std::uint32_t bank, Cycle at) {
  DramGates gates(timing);
  before(gates);
  EXPECT_EQ(gates.earliest(command, bank), at);
  EXPECT_THROW(gates.issue(command, bank, at - 1, 7), std::logic_error);
  EXPECT_NO_THROW(gates.issue(command, bank, at, 7));
}

class Gates : public testing::TestWithParam<const char*> {
 protected:
  const DramTiming& t = dram_timing(GetParam());
  const std::function<void(DramGates&)> opened = [](DramGates& gates) {
    gates.issue(DramCommand::activate, kThisBank, 100, 3);
  };
  /// Three rows are open for long; then a column at 1000.
  std::function<void(DramGates&)> column(DramCommand command) const {
    return [command](DramGates& gates) {
      gates.issue(DramCommand::activate, kThisBank, 100, 3);
      gates.issue(DramCommand::activate, kSameGroup, 200, 3);
      gates.issue(DramCommand::activate, kOtherGroup, 300, 3);
      gates.issue(command, kThisBank, 1000);
    };
  }
};

TEST_P(Gates, OfRows) {
  opens_at(t, opened, DramCommand::read, kThisBank, 100 + t.rcd_read);
  opens_at(t, opened, DramCommand::write, kThisBank, 100 + t.rcd_write);
  opens_at(t, opened, DramCommand::precharge, kThisBank, 100 + t.ras);
  opens_at(t, opened, DramCommand::activate, kOtherGroup, 100 + t.rrd_short);
  opens_at(t, opened, DramCommand::activate, kSameGroup, 100 + t.rrd_long);
  const auto closed = [this](Cycle at) {
    return [this, at](DramGates& gates) {
      opened(gates);
      gates.issue(DramCommand::precharge, kThisBank, at);
    };
  };
  opens_at(t, closed(100 + t.ras), DramCommand::activate, kThisBank, 100 + std::max(t.rc, t.ras + t.rp));
  opens_at(t, closed(500), DramCommand::activate, kThisBank, 500 + t.rp);
  opens_at(t, closed(500), DramCommand::refresh, kThisBank, 500 + t.rp);
  opens_at(
      t, [](DramGates& gates) { gates.issue(DramCommand::refresh, kThisBank, 100); }, DramCommand::activate,
      kThisBank, 100 + t.rfc_bank);
}

TEST_P(Gates, OfAllBanks) {
  const auto two_open = [](DramGates& gates) {
    gates.issue(DramCommand::activate, kThisBank, 100, 3);
    gates.issue(DramCommand::activate, kOtherGroup, 300, 3);
  };
  opens_at(t, two_open, DramCommand::precharge_all, 0, 300 + t.ras);
  const auto all_closed = [&](DramGates& gates) {
    two_open(gates);
    gates.issue(DramCommand::precharge_all, 0, 300 + t.ras);
  };
  const Cycle closed = 300 + std::max(t.rc, t.ras + t.rp);
  opens_at(t, all_closed, DramCommand::refresh_all, 0, closed);
  for (const std::uint32_t bank : {kThisBank, kSameGroup, kOtherGroup})
    opens_at(
        t,
        [&](DramGates& gates) {
          all_closed(gates);
          gates.issue(DramCommand::refresh_all, 0, closed);
        },
        DramCommand::activate, bank, closed + t.rfc_all);
  DramGates open(t);
  two_open(open);
  EXPECT_EQ(open.earliest(DramCommand::refresh_all, 0), DramGates::kNeverCycle);
  EXPECT_EQ(DramGates(t).earliest(DramCommand::precharge_all, 0), DramGates::kNeverCycle);
}

TEST_P(Gates, FourActivatesFillTheWindow) {
  opens_at(
      t,
      [this](DramGates& gates) {
        for (std::uint32_t group = 0; group < 4; ++group)
          gates.issue(DramCommand::activate, 4 * group, 100 + group * t.rrd_short);
      },
      DramCommand::activate, kSameGroup, 100 + t.faw);
}

TEST_P(Gates, OfColumns) {
  for (const DramCommand command : {DramCommand::read, DramCommand::write}) {
    opens_at(t, column(command), command, kOtherGroup, 1000 + t.ccd_short);
    opens_at(t, column(command), command, kSameGroup, 1000 + t.ccd_long);
  }
  opens_at(t, column(DramCommand::read), DramCommand::write, kOtherGroup, 1000 + t.rtw);
  const Cycle written = 1000 + t.cwl + t.burst;
  opens_at(t, column(DramCommand::write), DramCommand::read, kOtherGroup, written + t.wtr_short);
  opens_at(t, column(DramCommand::write), DramCommand::read, kSameGroup, written + t.wtr_long);
  opens_at(t, column(DramCommand::read), DramCommand::precharge, kThisBank, 1000 + t.rtp);
  opens_at(t, column(DramCommand::write), DramCommand::precharge, kThisBank, written + t.wr);
}

TEST_P(Gates, ABankInTheWrongStateTakesNothing) {
  DramGates gates(t);
  EXPECT_EQ(gates.earliest(DramCommand::read, kThisBank), DramGates::kNeverCycle);
  EXPECT_THROW(gates.issue(DramCommand::precharge, kThisBank, 1000), std::logic_error);
  gates.issue(DramCommand::activate, kThisBank, 1000);
  EXPECT_THROW(gates.issue(DramCommand::activate, kThisBank, 9000), std::logic_error);
  EXPECT_THROW(gates.issue(DramCommand::refresh, kThisBank, 9000), std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Generations, Gates, testing::Values("hbm2", "hbm2e", "hbm3", "hbm3e"),
                         [](const auto& each) { return std::string(each.param); });

TEST(DramTiming, PinsGiveTheDeclaredBandwidth) {
  // Gb/s per pin × 1024 data pins / 8: 2.0, 3.2, 6.4, 9.6.
  EXPECT_EQ(dram_timing("hbm2").stack_bytes_per_s(), 256'000'000'000U);
  EXPECT_EQ(dram_timing("hbm2e").stack_bytes_per_s(), 409'600'000'000U);
  EXPECT_EQ(dram_timing("hbm3").stack_bytes_per_s(), 819'200'000'000U);
  EXPECT_NEAR(static_cast<double>(dram_timing("hbm3e").stack_bytes_per_s()), 1228.8e9, 1e6);
  EXPECT_THROW(dram_timing("hbm1"), std::invalid_argument);
}

}  // namespace
}  // namespace wafertlm
