// SPDX-License-Identifier: Apache-2.0
#include "tlm/kernel/units.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wafertlm {
namespace {

TEST(Units, TransferTimeIsRoundedUpToThePicosecond) {
  EXPECT_EQ(transfer_time_ps(0, 1), 0U);
  EXPECT_EQ(transfer_time_ps(4096, 750'000'000'000), 5462U);  // 5461.33 ps
  EXPECT_EQ(transfer_time_ps(3, 750'000'000'000), 4U);        // exact
}

TEST(Units, TransferTimeThatDoesNotFitIsAnError) {
  EXPECT_THROW(transfer_time_ps(std::uint64_t{1} << 60, 1), std::overflow_error);
}

}  // namespace
}  // namespace wafertlm
