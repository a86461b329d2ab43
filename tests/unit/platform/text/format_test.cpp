// SPDX-License-Identifier: Apache-2.0
#include "platform/text/format.h"

#include <gtest/gtest.h>

namespace wafertlm {
namespace {

TEST(Format, TimesWithFourDigits) {
  EXPECT_EQ(format_time(0), "0 ps");
  EXPECT_EQ(format_time(999), "999 ps");
  EXPECT_EQ(format_time(1000), "1.000 ns");
  EXPECT_EQ(format_time(9999), "9.999 ns");
  EXPECT_EQ(format_time(10'000), "10.00 ns");
  EXPECT_EQ(format_time(99'990), "99.99 ns");
  EXPECT_EQ(format_time(100'000), "100.0 ns");
  EXPECT_EQ(format_time(999'949), "999.9 ns");
  EXPECT_EQ(format_time(999'950), "1.000 us");  // not 1000.0 ns
  EXPECT_EQ(format_time(1'234'567'000), "1.235 ms");
  EXPECT_EQ(format_time(2'500'000'000'000), "2.500 s");
  EXPECT_EQ(format_time(2'500'000'000'000'000), "2.500 ks");
  EXPECT_EQ(format_time(5'000'000'000'000'000'000), "5000 ks");
}

TEST(Format, BytesInWholeBinaryUnitsIfTheyAre) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.000 kB");
  EXPECT_EQ(format_bytes(1024), "1 KiB");
  EXPECT_EQ(format_bytes(1025), "1.025 kB");
  EXPECT_EQ(format_bytes(16ULL << 20), "16 MiB");
  EXPECT_EQ(format_bytes(1536ULL << 10), "1536 KiB");
  EXPECT_EQ(format_bytes(3ULL << 40), "3 TiB");
  EXPECT_EQ(format_bytes(1'500'000'000), "1.500 GB");
  EXPECT_EQ(format_bytes(99'999ULL << 10), "99999 KiB");
  EXPECT_EQ(format_bytes(100'001ULL << 10), "102.4 MB");
  EXPECT_EQ(format_bytes(5000ULL << 40), "5000 TiB");
}

TEST(Format, CountsRatesAndPlurals) {
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1.000 k");
  EXPECT_EQ(format_count(25'560'000), "25.56 M");
  EXPECT_EQ(format_bandwidth(712'300'000'000), "712.3 GB/s");
  EXPECT_EQ(format_bandwidth(500), "0.500 kB/s");
  EXPECT_DOUBLE_EQ(seconds(1'500'000), 1.5e-6);
  EXPECT_EQ(counted(1, "node"), "1 node");
  EXPECT_EQ(counted(0, "node"), "0 nodes");
  EXPECT_EQ(counted(2, "axis", "axes"), "2 axes");
  EXPECT_EQ(counted(1, "axis", "axes"), "1 axis");
}

}  // namespace
}  // namespace wafertlm
