// SPDX-License-Identifier: Apache-2.0
#include "platform/text/quantity.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace wafertlm::config {
namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

TEST(Quantity, BandwidthIsInBytesPerSecond) {
  EXPECT_EQ(parse_bandwidth("750 GB/s"), 750'000'000'000U);
  EXPECT_EQ(parse_bandwidth("1.5TB/s"), 1'500'000'000'000U);
  EXPECT_EQ(parse_bandwidth("0.1 MB/s"), 100'000U);
  EXPECT_EQ(parse_bandwidth("2 GiB/s"), 2'147'483'648U);
  EXPECT_EQ(parse_bandwidth("100 Gb/s"), 12'500'000'000U);
  EXPECT_EQ(parse_bandwidth("8 b/s"), 1U);
}

TEST(Quantity, TimeIsInPicoseconds) {
  EXPECT_EQ(parse_time("20 ns"), 20'000U);
  EXPECT_EQ(parse_time("0.5us"), 500'000U);
  EXPECT_EQ(parse_time("0.001 ns"), 1U);
  EXPECT_EQ(parse_time("2 ms"), 2'000'000'000U);
  EXPECT_EQ(parse_time("10 s"), 10'000'000'000'000U);
  EXPECT_EQ(parse_time("0 ns"), 0U);
}

TEST(Quantity, SizeKnowsDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_size("4 KiB"), 4096U);
  EXPECT_EQ(parse_size("24KiB"), 24'576U);
  EXPECT_EQ(parse_size("1 MB"), 1'000'000U);
  EXPECT_EQ(parse_size("1 MiB"), 1'048'576U);
  EXPECT_EQ(parse_size("1.5 KiB"), 1536U);
  EXPECT_EQ(parse_size("80 GB"), 80'000'000'000U);
  EXPECT_EQ(parse_size("512 B"), 512U);
}

TEST(Quantity, RealsAreCorrectlyRounded) {
  EXPECT_EQ(parse_compute_rate("1000 TFLOPS"), 1e15);
  EXPECT_EQ(parse_compute_rate("9.56 PFLOPS"), 9.56e15);
  EXPECT_EQ(parse_energy_per_bit("0.5 pJ/bit"), 0.5e-12);
  EXPECT_EQ(parse_energy_per_bit("0.1 pJ/bit"), 1e-13);  // 0.1 * 1e-12 in doubles is another number
  EXPECT_EQ(parse_power("15 kW"), 15'000.0);
  EXPECT_EQ(parse_power("0 W"), 0.0);
}

TEST(Quantity, TheWholeRangeIsExact) {
  EXPECT_EQ(parse_size("18446744073709551615 B"), kMax);
  EXPECT_EQ(parse_size("18446744073709.551615 MB"), kMax);
  EXPECT_EQ(parse_time("18446744.073709551615 s"), kMax);
  EXPECT_EQ(parse_size("0.5000000000000000000000000000000000000000000000 KiB"), 512U);
  EXPECT_EQ(parse_size("0.0009765625 KiB"), 1U);
}

struct Wrong {
  const char* text;
  const char* expected;
};

void expect_errors(const Dimension& dimension, const std::vector<Wrong>& table) {
  for (const auto& [text, expected] : table) {
    try {
      parse_whole(dimension, text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const QuantityError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(dimension.example), std::string::npos) << error.what();
    }
  }
}

TEST(Quantity, WhatIsNotAQuantityIsAnErrorThatNamesTheUnits) {
  expect_errors(bandwidth_dimension(), {{"750", "has no unit"},
                                        {"750", "B/s, kB/s, MB/s"},
                                        {"750 GBs", "did you mean 'GB/s'"},
                                        {"750 GBps", "unknown unit"},
                                        {"750 gb/s", "unknown unit"},
                                        {"20 ns", "a unit of time"},
                                        {"-1 GB/s", "is negative"},
                                        {"GB/s", "does not start with a number"},
                                        {"", "does not start with a number"},
                                        {"1. GB/s", "unknown unit"},
                                        {"1e3 GB/s", "unknown unit"},
                                        {"1 GB/s ", "unknown unit"},
                                        {"0x10 B/s", "unknown unit"},
                                        {"1 b/s", "not a whole number of bytes/s"},
                                        {"0.5 B/s", "not a whole number of bytes/s"},
                                        {"18446744073709551616 B/s", "above 2^64-1"},
                                        {"18446.744073709551616 PB/s", "above 2^64-1"},
                                        {"99999999999999999999999999999999999999999 B/s", "above 2^64-1"}});
  expect_errors(time_dimension(),
                {{"0.5 ps", "not a whole number of ps"},
                 {"1.0005 ns", "not a whole number of ps"},
                 {"0.00000000000000000000000000000000000000000001 s", "not a whole number of ps"},
                 {"4 KiB", "a unit of size"}});
  expect_errors(size_dimension(),
                {{"0.1 KiB", "not a whole number of bytes"}, {"4 KB", "did you mean 'kB'"}});
  EXPECT_THROW(parse_compute_rate("1000 TFLOP"), QuantityError);
  EXPECT_THROW(parse_compute_rate(std::string(400, '9') + " FLOPS"), QuantityError);
}

TEST(Quantity, IsWrittenInTheShortestExactForm) {
  EXPECT_EQ(format_whole(bandwidth_dimension(), 750'000'000'000), "750 GB/s");
  EXPECT_EQ(format_whole(bandwidth_dimension(), 1'500'000'000'000), "1.5 TB/s");
  EXPECT_EQ(format_whole(time_dimension(), 20'000), "20 ns");
  EXPECT_EQ(format_whole(time_dimension(), 0), "0 ps");
  EXPECT_EQ(format_whole(size_dimension(), 4096), "4 KiB");
  EXPECT_EQ(format_whole(size_dimension(), 25U << 20), "25 MiB");
  EXPECT_EQ(format_whole(size_dimension(), 80'000'000'000), "80 GB");
  EXPECT_EQ(format_whole(size_dimension(), 512), "512 B");
  EXPECT_EQ(format_real(compute_rate_dimension(), 4e14), "400 TFLOPS");
  EXPECT_EQ(format_real(energy_per_bit_dimension(), 0.5e-12), "500 fJ/bit");
  EXPECT_EQ(format_real(energy_per_bit_dimension(), 1.25e-12), "1.25 pJ/bit");
  EXPECT_EQ(format_real(power_dimension(), 0), "0 mW");
}

TEST(Quantity, AnythingWrittenReadsBackAsTheSameBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t value = random() >> (random() % 64);
    for (const Dimension* dimension : {&bandwidth_dimension(), &time_dimension(), &size_dimension()})
      EXPECT_EQ(parse_whole(*dimension, format_whole(*dimension, value)), value);
    double real = 0;
    const std::uint64_t bits = random() >> 1;
    std::memcpy(&real, &bits, sizeof(real));
    if (!(real > 1e-60 && real < 1e60)) continue;
    for (const Dimension* dimension :
         {&compute_rate_dimension(), &energy_per_bit_dimension(), &power_dimension()})
      EXPECT_EQ(parse_real(*dimension, format_real(*dimension, real)), real);
  }
}

}  // namespace
}  // namespace wafertlm::config
