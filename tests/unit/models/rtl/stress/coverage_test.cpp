// SPDX-License-Identifier: Apache-2.0
#include "models/rtl/stress/coverage.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(RtlStressCoverage, CountsBinsThatADesignCanReach) {
  EXPECT_EQ(RtlStressCoverage(3, true, true).bins(), 9U * 5 * 3 * 3);
  EXPECT_EQ(RtlStressCoverage(3, false, true).bins(), 9U * 2 * 3 * 3);  // only messages
  EXPECT_EQ(RtlStressCoverage(3, false, false).bins(), 9U * 2 * 3);     // buffers cannot be seen
}

TEST(RtlStressCoverage, AddsPairsAndPackets) {
  RtlStressCoverage coverage(2, false, true);
  const auto count = [&](std::uint32_t input, std::uint32_t output) {
    coverage.count(input, output, RtlPacketKind::message, RtlBackpressure::stalled, RtlFill::full);
  };
  count(0, 1);
  count(0, 1);
  count(1, 0);
  coverage.count(1, 0, RtlPacketKind::single_flit, RtlBackpressure::none, RtlFill::empty);
  EXPECT_EQ(coverage.reached(), 3U);
  const auto cell = coverage.cell(RtlPacketKind::message, RtlBackpressure::stalled, RtlFill::full);
  EXPECT_EQ(cell.pairs, 2U);
  EXPECT_EQ(cell.packets, 3U);
  EXPECT_EQ(coverage.cell(RtlPacketKind::message, RtlBackpressure::stalled, RtlFill::empty).packets, 0U);
}

}  // namespace
}  // namespace wafertlm
